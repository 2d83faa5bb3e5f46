//! The mechanics that pre- and post-policies share: one link of a waterfall, contained, timed, and failing for good.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep};

use crate::{
    code::ErrorCode,
    contain::{BoxFuture, Contained, Shell},
    error::{Described, PolicyError},
    execution::ToolExecution,
    result::ToolFailure,
    signal::CLOCK_MARGIN,
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
        self.fresh = self.timeout.map(|limit| Arc::new(OwnTime::new(limit)));
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

/// A policy's own time: what passes while no `next` of its own is pending.
pub(crate) struct OwnTime {
    limit: Duration,
    state: Mutex<OwnTimeState>,
}

#[derive(Default)]
struct OwnTimeState {
    started: Option<Instant>,
    delegated: Duration,
    delegating_since: Option<Instant>,
}

impl OwnTime {
    fn new(limit: Duration) -> Self {
        Self { limit, state: Mutex::default() }
    }

    fn with<T>(&self, f: impl FnOnce(&mut OwnTimeState) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn start(&self) {
        self.with(|s| _ = s.started.get_or_insert_with(Instant::now));
    }

    fn delegate(&self) {
        self.with(|s| _ = s.delegating_since.get_or_insert_with(Instant::now));
    }

    fn resume(&self) {
        self.with(|s| {
            if let Some(since) = s.delegating_since.take() {
                s.delegated += since.elapsed();
            }
        });
    }

    /// When its own time is over; `None` while it delegates, or where no clock can tell.
    fn deadline(&self) -> Option<Instant> {
        self.with(|s| {
            if s.delegating_since.is_some() {
                return None;
            }
            let at = s.started?.checked_add(self.limit)?.checked_add(s.delegated)?;
            at.checked_add(CLOCK_MARGIN).map(|_| at)
        })
    }
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
            own.start();
        }
        match self.future.poll(cx) {
            Poll::Ready(Ok(Ok(mut value))) => {
                (self.sign)(&mut value, self.name);
                Poll::Ready(Ok(value))
            }
            Poll::Ready(Ok(Err(error))) => Poll::Ready(Err(self.fail(error))),
            Poll::Ready(Err(panic)) => Poll::Ready(Err(self.fail(panic.into()))),
            Poll::Pending => match self.poll_timer(cx) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(limit) => {
                    self.future.end();
                    let error = Described(format!("did not decide within {} ms of its own", limit.as_millis()));
                    Poll::Ready(Err(self.fail(error.into())))
                }
            },
        }
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<Duration> {
        let Some(own) = &self.clocks.own else { return Poll::Pending };
        let Some(deadline) = own.deadline() else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx).map(|()| own.limit)
    }

    fn fail(&self, error: PolicyError) -> PolicyError {
        self.cx.core.fail(
            ToolFailure::new(ErrorCode::POLICY_FAILED, format!("policy \"{}\" failed", self.name))
                .by(Some(self.name.clone()))
                .caused_by(error.into_source()),
        );
        PolicyError::inner()
    }
}

impl<T> Link<'_, T> {
    pub(crate) fn poll_link(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, PolicyError>> {
        match &mut self.state {
            LinkState::Answer(value) => value.take().map_or(Poll::Pending, |v| Poll::Ready(Ok(v))),
            LinkState::Running(running) => {
                let polled = running.poll(cx);
                if let Some(outer) = &running.clocks.outer {
                    if polled.is_pending() { outer.delegate() } else { outer.resume() }
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
