//! Calls that have settled and wait for their turn: nobody polls them, and their clocks run all the same.

use std::{
    future::Future,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::sync::oneshot;

use crate::{
    contain::Shell,
    signal::{Cancelled, Signal},
};

/// Looks at signals for those who wait, so that a cancellation counts from when it comes: a call has one grace period, and
/// what passes of it before its post stage is gone.
#[derive(Default)]
pub(super) struct Watch(Mutex<FuturesUnordered<Watched>>);

/// Held by a call while it waits; dropped when its turn comes.
pub(super) type Turn = oneshot::Sender<()>;

/// One signal under watch, until it fires or the call's turn comes.
struct Watched {
    /// May be the last handle on the call: what that holds is foreign.
    signal: Option<Shell<Cancelled>>,
    turn: oneshot::Receiver<()>,
}

impl Watch {
    pub(super) fn add(&self, signal: &Signal) -> Turn {
        let (waits, turn) = oneshot::channel();
        let signal = Some(Shell::new(signal.cancelled()));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Watched { signal, turn });
        waits
    }

    pub(super) fn poll(&self, cx: &mut Context<'_>) {
        loop {
            let polled = self.0.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(cx);
            // The signal goes after the lock.
            let Poll::Ready(Some(_signal)) = polled else { return };
        }
    }
}

impl Future for Watched {
    type Output = Option<Shell<Cancelled>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut over = Pin::new(&mut self.turn).poll(cx).is_ready();
        if let Some(signal) = self.signal.as_mut().filter(|_| !over) {
            over = Pin::new(&mut **signal).poll(cx).is_ready();
        }
        if over { Poll::Ready(self.signal.take()) } else { Poll::Pending }
    }
}
