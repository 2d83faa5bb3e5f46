//! One run of a body on its way, under its deadline and its grace period.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use serde_json::Value;

use crate::{
    call_core::CallCore,
    contain::{Contained, Panicked},
    error::ToolError,
    execution::ToolExecution,
    grace::{Grace, Waited},
    result::Effects,
    signal::Signal,
};

/// How a run of a body ended.
pub(crate) struct Ended {
    pub(crate) how: Waited<Result<Value, ToolError>>,
    /// The fused signal of the run.
    pub(crate) signal: Signal,
    /// The definition's deadline, if that was the first cause of its end.
    pub(crate) timed_out: Option<Duration>,
}

/// A body that has been started. Dropped before it has settled, its effects are unknown.
pub(crate) struct BodyRun {
    // Dropped before the mark: what the body does while it is dropped is part of its run.
    future: Contained<'static, Result<Value, ToolError>>,
    grace: Grace,
    signal: Signal,
    timeout: Option<Duration>,
    mark: Mark,
}

/// Ends the run when it is dropped: with unknown effects, unless the body has settled before.
struct Mark {
    call: ToolExecution,
    open: bool,
}

impl Mark {
    fn close(&mut self, effects: Effects) {
        if std::mem::take(&mut self.open) {
            self.call.core.end_run(effects);
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.close(Effects::Unknown);
    }
}

impl BodyRun {
    /// `timeout` is the last link of `signal`, where the definition sets one.
    pub(crate) fn new(
        call: ToolExecution,
        signal: Signal,
        timeout: Option<Duration>,
        future: Contained<'static, Result<Value, ToolError>>,
    ) -> Self {
        let grace = Grace::new(signal.clone(), call.core.grace);
        Self { future, grace, signal, timeout, mark: Mark { call, open: true } }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        let core: &CallCore = &self.mark.call.core;
        let signal = &self.signal;
        let follow = || signal.follow() | core.follow_run();
        let future = &mut self.future;
        let waited = self.grace.poll(cx, follow, |cx| future.poll(cx));
        let Poll::Ready(how) = waited else { return Poll::Pending };
        match &how {
            Waited::Dropped => {
                if let Some(panic) = self.future.end() {
                    report(&panic);
                }
                self.mark.close(Effects::Unknown);
            }
            Waited::Settled(Err(error)) if error.is_not_entered() => self.mark.close(Effects::None),
            Waited::Settled(_) | Waited::Panicked(_) => self.mark.close(Effects::Settled),
        }
        let timed_out = self.timeout.filter(|_| self.signal.fired_by_itself());
        Poll::Ready(Ended { how, signal: self.signal.clone(), timed_out })
    }
}

fn report(panic: &Panicked) {
    tracing::error!(%panic, "a body's destructor panicked when it was dropped");
}
