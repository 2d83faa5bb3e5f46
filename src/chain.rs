//! The mechanics that pre- and post-policies share: one link of a waterfall, contained, timed, and failing for good.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::Sleep;

use crate::{
    code::ErrorCode,
    contain::{BoxFuture, Contained, Shell},
    error::{Described, PolicyError},
    execution::ToolExecution,
    own_time::{self, OwnTime},
    result::ToolFailure,
};

/// A participant and the name it had when it was registered: `name()` is foreign code, and asked once.
pub(crate) struct Named<P: ?Sized> {
    pub(crate) name: Arc<str>,
    pub(crate) part: Shell<Arc<P>>,
}

impl<P: ?Sized> Named<P> {
    pub(crate) fn new(name: Arc<str>, part: Arc<P>) -> Self {
        Self { name, part: Shell::new(part) }
    }
}

impl<P: ?Sized> Clone for Named<P> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), part: self.part.clone() }
    }
}

/// What a policy answers with.
pub(crate) trait Decision: Unpin {
    /// Puts down who decided.
    fn sign(&mut self, name: &Arc<str>);
}

/// What all policies of one chain have in common.
pub(crate) struct Course<'a> {
    pub(crate) cx: &'a ToolExecution,
    /// How long each may take of its own time.
    pub(crate) timeout: Option<Duration>,
}

/// The policies that are still to come, and the call they are about.
pub(crate) struct Chain<'a, P: ?Sized> {
    course: &'a Course<'a>,
    rest: &'a [Named<P>],
    /// The clock of the policy that holds this chain as its `next`.
    outer: Option<Arc<OwnTime>>,
}

/// The next policy of a chain, and what is left of it.
pub(crate) struct Turn<'a, P: ?Sized> {
    pub(crate) policy: &'a Named<P>,
    pub(crate) clocks: Option<Box<Clocks>>,
    pub(crate) next: Chain<'a, P>,
}

impl<'a, P: ?Sized> Chain<'a, P> {
    pub(crate) fn new(course: &'a Course<'a>, policies: &'a [Named<P>]) -> Self {
        Self { course, rest: policies, outer: None }
    }

    pub(crate) fn execution(&self) -> &'a ToolExecution {
        self.course.cx
    }

    /// The next policy; what is left of the chain is for its `next`.
    pub(crate) fn step(self) -> Option<Turn<'a, P>> {
        let (policy, rest) = self.rest.split_first()?;
        let own = self.course.timeout.map(|limit| Arc::new(OwnTime::new(policy.name.clone(), limit)));
        let next = Chain { course: self.course, rest, outer: own.clone() };
        let clocks = own.map(|own| Box::new(Clocks { own, outer: self.outer, timer: None }));
        Some(Turn { policy, clocks, next })
    }
}

impl<P: ?Sized> fmt::Debug for Chain<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("left", &self.rest.len()).finish_non_exhaustive()
    }
}

/// The clocks of a policy whose time is bounded.
pub(crate) struct Clocks {
    own: Arc<OwnTime>,
    /// That of the policy which delegated to it.
    outer: Option<Arc<OwnTime>>,
    timer: Option<Pin<Box<Sleep>>>,
}

/// One policy's answer on its way: panics become errors, an error marks the call for good, and its own time is bounded.
#[must_use = "futures do nothing unless polled"]
pub(crate) enum Link<'a, T> {
    /// The end of the chain.
    Answer(Option<T>),
    Running(Running<'a, T>),
}

pub(crate) struct Running<'a, T> {
    future: Contained<'a, Result<T, PolicyError>>,
    cx: &'a ToolExecution,
    name: &'a Arc<str>,
    clocks: Option<Box<Clocks>>,
}

impl<'a, T> Link<'a, T> {
    /// The end of the chain.
    pub(crate) fn answer(value: T) -> Self {
        Self::Answer(Some(value))
    }

    pub(crate) fn start(
        cx: &'a ToolExecution,
        name: &'a Arc<str>,
        clocks: Option<Box<Clocks>>,
        make: impl FnOnce() -> BoxFuture<'a, Result<T, PolicyError>>,
    ) -> Self {
        Self::Running(Running { future: Contained::start(make), cx, name, clocks })
    }
}

impl<T: Decision> Running<'_, T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, PolicyError>> {
        if let Some(clocks) = &self.clocks {
            if clocks.own.is_over() {
                // The call has failed for it already.
                self.future.end();
                return Poll::Ready(Err(PolicyError::inner()));
            }
            clocks.own.start();
        }
        match self.future.poll(cx) {
            Poll::Ready(Ok(Ok(mut value))) => {
                value.sign(self.name);
                Poll::Ready(Ok(value))
            }
            Poll::Ready(Ok(Err(error))) => Poll::Ready(Err(fail(self.cx, self.name, error))),
            Poll::Ready(Err(panic)) => Poll::Ready(Err(fail(self.cx, self.name, panic.into()))),
            Poll::Pending => self.poll_timer(cx).map(|error| {
                self.future.end();
                Err(error)
            }),
        }
    }

    /// Ready when this policy's own time is over.
    ///
    /// While it waits for its `next` the clock of the one furthest in runs, and is looked at here too: this policy may hold
    /// its `next` without polling it. Then that one's time is over, and this one's runs again.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<PolicyError> {
        let Some(clocks) = &mut self.clocks else { return Poll::Pending };
        loop {
            let own_time::Turn { who, waiting } = clocks.own.turn();
            let Some(deadline) = who.deadline() else { return Poll::Pending };
            let timer = clocks.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
            if timer.deadline() != deadline {
                timer.as_mut().reset(deadline);
            }
            if timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let error = Described(format!("did not decide within {} ms of its own", who.limit.as_millis()));
            let error = fail(self.cx, &who.name, error.into());
            let Some(waiting) = waiting else { return Poll::Ready(error) };
            who.run_out();
            waiting.resume();
        }
    }
}

/// Marks the call as failed, for good; what is told farther out says no more than that.
#[cold]
fn fail(cx: &ToolExecution, name: &Arc<str>, error: PolicyError) -> PolicyError {
    cx.core.fail(
        ToolFailure::new(ErrorCode::POLICY_FAILED, format!("policy \"{name}\" failed"))
            .by(Some(name.clone()))
            .caused_by(error.into_source()),
    );
    PolicyError::inner()
}

impl<T: Decision> Future for Link<'_, T> {
    type Output = Result<T, PolicyError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Answer(value) => value.take().map_or(Poll::Pending, |v| Poll::Ready(Ok(v))),
            Self::Running(running) => {
                let polled = running.poll(cx);
                if let Some(Clocks { own, outer: Some(outer), .. }) = running.clocks.as_deref() {
                    if polled.is_pending() { outer.delegate(own) } else { outer.resume() }
                }
                polled
            }
        }
    }
}

impl Drop for Clocks {
    /// A policy that drops its `next` is on its own time again.
    fn drop(&mut self) {
        if let Some(outer) = &self.outer {
            outer.resume();
        }
    }
}
