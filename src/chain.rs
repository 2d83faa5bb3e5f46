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
    own_time::{OwnTime, Turn},
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

/// The policies that are still to come, and the call they are about.
pub(crate) struct Chain<'a, P: ?Sized> {
    cx: &'a ToolExecution,
    rest: &'a [Named<P>],
    timeout: Option<Duration>,
    /// The clock of the policy that holds this chain as its `next`.
    outer: Option<Arc<OwnTime>>,
    fresh: Option<Arc<OwnTime>>,
}

impl<'a, P: ?Sized> Chain<'a, P> {
    pub(crate) fn new(cx: &'a ToolExecution, policies: &'a [Named<P>], timeout: Option<Duration>) -> Self {
        Self { cx, rest: policies, timeout, outer: None, fresh: None }
    }

    pub(crate) fn execution(&self) -> &'a ToolExecution {
        self.cx
    }

    /// The next policy; what is left of the chain is for its `next`.
    pub(crate) fn step(&mut self) -> Option<&'a Named<P>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.fresh = self.timeout.map(|limit| Arc::new(OwnTime::new(first.name.clone(), limit)));
        Some(first)
    }

    /// The clocks of the policy that `step` gave: its own, and that of the policy which delegated to it.
    pub(crate) fn clock(&mut self) -> Clocks {
        let own = self.fresh.take();
        let outer = std::mem::replace(&mut self.outer, own.clone());
        Clocks { own, outer }
    }
}

impl<P: ?Sized> fmt::Debug for Chain<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("left", &self.rest.len()).finish_non_exhaustive()
    }
}

pub(crate) struct Clocks {
    own: Option<Arc<OwnTime>>,
    outer: Option<Arc<OwnTime>>,
}

/// One policy's answer on its way: panics become errors, an error marks the call for good, and its own time is bounded.
#[must_use = "futures do nothing unless polled"]
pub(crate) struct Link<'a, T> {
    state: LinkState<'a, T>,
}

enum LinkState<'a, T> {
    Answer(Option<T>),
    Running(Running<'a, T>),
}

struct Running<'a, T> {
    future: Contained<'a, Result<T, PolicyError>>,
    cx: &'a ToolExecution,
    name: &'a Arc<str>,
    clocks: Clocks,
    timer: Option<Pin<Box<Sleep>>>,
    sign: fn(&mut T, &Arc<str>),
}

impl<'a, T> Link<'a, T> {
    /// The end of the chain.
    pub(crate) fn answer(value: T) -> Self {
        Self { state: LinkState::Answer(Some(value)) }
    }

    pub(crate) fn start(
        cx: &'a ToolExecution,
        name: &'a Arc<str>,
        clocks: Clocks,
        sign: fn(&mut T, &Arc<str>),
        make: impl FnOnce() -> BoxFuture<'a, Result<T, PolicyError>>,
    ) -> Self {
        let future = Contained::start(make);
        Self { state: LinkState::Running(Running { future, cx, name, clocks, timer: None, sign }) }
    }
}

impl<T> Running<'_, T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, PolicyError>> {
        if let Some(own) = &self.clocks.own {
            if own.is_over() {
                // The call has failed for it already.
                self.future.end();
                return Poll::Ready(Err(PolicyError::inner()));
            }
            own.start();
        }
        match self.future.poll(cx) {
            Poll::Ready(Ok(Ok(mut value))) => {
                (self.sign)(&mut value, self.name);
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
        let Some(own) = &self.clocks.own else { return Poll::Pending };
        loop {
            let Turn { who, waiting } = own.turn();
            let Some(deadline) = who.deadline() else { return Poll::Pending };
            let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
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
fn fail(cx: &ToolExecution, name: &Arc<str>, error: PolicyError) -> PolicyError {
    cx.core.fail(
        ToolFailure::new(ErrorCode::POLICY_FAILED, format!("policy \"{name}\" failed"))
            .by(Some(name.clone()))
            .caused_by(error.into_source()),
    );
    PolicyError::inner()
}

impl<T> Link<'_, T> {
    pub(crate) fn poll_link(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, PolicyError>> {
        match &mut self.state {
            LinkState::Answer(value) => value.take().map_or(Poll::Pending, |v| Poll::Ready(Ok(v))),
            LinkState::Running(running) => {
                let polled = running.poll(cx);
                if let Clocks { own: Some(own), outer: Some(outer) } = &running.clocks {
                    if polled.is_pending() { outer.delegate(own) } else { outer.resume() }
                }
                polled
            }
        }
    }
}

impl<T: Unpin> Future for Link<'_, T> {
    type Output = Result<T, PolicyError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().poll_link(cx)
    }
}

impl<T> Drop for Link<'_, T> {
    /// A policy that drops its `next` is on its own time again.
    fn drop(&mut self) {
        if let LinkState::Running(Running { clocks: Clocks { outer: Some(outer), .. }, .. }) = &self.state {
            outer.resume();
        }
    }
}
