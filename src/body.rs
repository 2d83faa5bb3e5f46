//! One run of a body on its way, under its deadline and its grace period.

use std::{
    ops::Deref,
    task::{Context, Poll},
    time::Duration,
};

use serde_json::Value;

use crate::{
    contain::{Contained, let_go},
    error::ToolError,
    execution::DispatchExecution,
    grace::{Grace, Waited},
    result::Effects,
    schema::dismantle,
};

/// How a run of a body ended.
pub(crate) struct Ended {
    pub(crate) how: Waited<Result<Value, ToolError>>,
    /// Whether the fused signal of the run had fired when it settled.
    pub(crate) cancelled: bool,
    /// The definition's deadline, if that was the first cause of its end.
    pub(crate) timed_out: Option<Duration>,
}

/// The view that a run is under.
pub(crate) enum Under<'a> {
    Outer(&'a DispatchExecution),
    /// With a last link of the run's own, which ends with it.
    Own(DispatchExecution),
}

impl Deref for Under<'_> {
    type Target = DispatchExecution;

    fn deref(&self) -> &DispatchExecution {
        match self {
            Self::Outer(cx) => cx,
            Self::Own(cx) => cx,
        }
    }
}

/// A body that has been started. Dropped before it has settled, its effects are unknown.
pub(crate) struct BodyRun<'a> {
    // Dropped before the mark: what the body does while it is dropped is part of its run.
    future: Contained<'static, Result<Value, ToolError>>,
    grace: Grace,
    timeout: Option<Duration>,
    mark: Mark<'a>,
}

/// Ends the run when it is dropped: with unknown effects, unless the body has settled before.
struct Mark<'a> {
    cx: Under<'a>,
    open: bool,
}

impl Mark<'_> {
    fn close(&mut self, effects: Effects) {
        if std::mem::take(&mut self.open) {
            self.cx.core.runs.end(effects);
            if let Under::Own(cx) = &self.cx {
                cx.link().end(false);
            }
        }
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        self.close(Effects::Unknown);
    }
}

impl<'a> BodyRun<'a> {
    /// `cx` is the view of the run; `timeout` is the last link of its signal, where the definition sets one.
    pub(crate) fn new(
        cx: Under<'a>,
        timeout: Option<Duration>,
        future: Contained<'static, Result<Value, ToolError>>,
    ) -> Self {
        let grace = Grace::new(cx.core.grace);
        Self { future, grace, timeout, mark: Mark { cx, open: true } }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        let run = &self.mark.cx;
        let future = &mut self.future;
        let waited = self.grace.poll(cx, run, || run.core.runs.follow(), |cx| future.poll_with(cx, dispose));
        let Poll::Ready(how) = waited else { return Poll::Pending };
        match &how {
            Waited::Dropped => {
                if let Some(panic) = self.future.end() {
                    panic.report();
                }
                self.mark.close(Effects::Unknown);
            }
            Waited::Settled(Err(error)) if error.is_not_entered() => self.mark.close(Effects::None),
            Waited::Settled(_) | Waited::Panicked(_) => self.mark.close(Effects::Settled),
        }
        let link = self.mark.cx.link();
        let timed_out = self.timeout.filter(|_| link.fired_by_itself());
        Poll::Ready(Ended { how, cancelled: link.has_fired(), timed_out })
    }
}

/// Drops a body's answer: a value may be too deep, an error's source may panic.
fn dispose(answer: Result<Value, ToolError>) {
    match answer {
        Ok(value) => dismantle(value),
        Err(error) => let_go(error),
    }
}
