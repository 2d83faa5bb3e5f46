//! Waiting for a participant: cooperative first, then firm.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep};

use crate::{
    contain::Panicked,
    execution::ToolExecution,
    signal::{CLOCK_MARGIN, Cancelled},
};

/// How the wait for a participant ended.
pub(crate) enum Waited<T> {
    /// It settled by itself.
    Settled(T),
    /// It panicked.
    Panicked(Panicked),
    /// Its signal had fired and the grace period was over: it was dropped.
    Dropped,
}

/// The clock of one wait: after the signal it is under has fired, what is waited for has `period` to settle.
///
/// Costs nothing while the participant answers at once; timers and wake-ups are made after the first pending poll.
pub(crate) struct Grace {
    period: Duration,
    /// Made after the first pending poll.
    waiting: Option<Box<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    woken_by: Option<Cancelled>,
    end: Option<Pin<Box<Sleep>>>,
}

impl Grace {
    pub(crate) fn new(period: Duration) -> Self {
        Self { period, waiting: None }
    }

    /// Polls the participant, then the clock: what settles in the same instant has settled in time.
    /// `under` is the view whose signal counts; `also` passes a cancellation on to tokens handed out besides that one's,
    /// and tells whether somebody got news.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        under: &ToolExecution,
        also: impl Fn() -> bool,
        mut inner: impl FnMut(&mut Context<'_>) -> Poll<Result<T, Panicked>>,
    ) -> Poll<Waited<T>> {
        let settled = |r| match r {
            Ok(value) => Waited::Settled(value),
            Err(panic) => Waited::Panicked(panic),
        };
        let follow = || under.link().follow() | also();
        follow();
        if let Poll::Ready(r) = inner(cx) {
            return Poll::Ready(settled(r));
        }
        let Some(fired) = under.link().fired_at() else {
            let wait = self.waiting.get_or_insert_default().woken_by.get_or_insert_with(|| under.signal().cancelled());
            if Pin::new(wait).poll(cx).is_pending() {
                return Poll::Pending;
            }
            // It fired between the look and the wait: look again.
            return self.poll(cx, under, also, inner);
        };
        if follow() {
            // Those who wait on a token hear of it now and get one more poll before the clock is read.
            if let Poll::Ready(r) = inner(cx) {
                return Poll::Ready(settled(r));
            }
        }
        let end = fired.checked_add(self.period).filter(|end| end.checked_add(CLOCK_MARGIN).is_some());
        let Some(end) = end else { return Poll::Pending };
        if end <= Instant::now() {
            return Poll::Ready(Waited::Dropped);
        }
        let timer =
            self.waiting.get_or_insert_default().end.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        match timer.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Waited::Dropped),
            Poll::Pending => Poll::Pending,
        }
    }
}
