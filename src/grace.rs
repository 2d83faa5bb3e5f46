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
    signal::{Cancelled, Signal},
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

/// The clock of one wait: after `signal` has fired, what is waited for has `period` to settle.
///
/// Costs nothing while the participant answers at once; timers and wake-ups are made after the first pending poll.
pub(crate) struct Grace {
    signal: Signal,
    period: Duration,
    woken_by: Option<Cancelled>,
    end: Option<Pin<Box<Sleep>>>,
}

impl Grace {
    pub(crate) fn new(signal: Signal, period: Duration) -> Self {
        Self { signal, period, woken_by: None, end: None }
    }

    /// Polls the participant, then the clock: what settles in the same instant has settled in time.
    /// `follow` passes a cancellation on to tokens handed out, and tells whether somebody got news.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        follow: impl Fn() -> bool,
        mut inner: impl FnMut(&mut Context<'_>) -> Poll<Result<T, Panicked>>,
    ) -> Poll<Waited<T>> {
        let settled = |r| match r {
            Ok(value) => Waited::Settled(value),
            Err(panic) => Waited::Panicked(panic),
        };
        follow();
        if let Poll::Ready(r) = inner(cx) {
            return Poll::Ready(settled(r));
        }
        let Some(fired) = self.signal.fired_at() else {
            let signal = &self.signal;
            let wait = self.woken_by.get_or_insert_with(|| signal.cancelled());
            if Pin::new(wait).poll(cx).is_pending() {
                return Poll::Pending;
            }
            // It fired between the look and the wait: look again.
            return self.poll(cx, follow, inner);
        };
        if follow() {
            // Those who wait on a token hear of it now and get one more poll before the clock is read.
            if let Poll::Ready(r) = inner(cx) {
                return Poll::Ready(settled(r));
            }
        }
        let Some(end) = fired.checked_add(self.period) else { return Poll::Pending };
        if end <= Instant::now() {
            return Poll::Ready(Waited::Dropped);
        }
        let timer = self.end.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        match timer.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Waited::Dropped),
            Poll::Pending => Poll::Pending,
        }
    }
}
