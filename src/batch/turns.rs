//! When a call of a batch may start, and whether beside others.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::Poll,
};

use super::driver::{Board, Slot};
use crate::{signal::Signal, view::RegisteredTool};

impl Board<'_> {
    /// Waits until the call at `at` may start; tells whether beside others, and by which tool's word.
    ///
    /// Nothing is awaited between the last look at the mode and the start.
    pub(super) async fn turn(&self, at: usize, max_parallel: usize) -> (bool, Option<Arc<RegisteredTool>>) {
        loop {
            self.commit_head(at).await;
            let (safe, judged) = self.classify(at);
            if safe {
                if self.has_room(at, max_parallel) {
                    return (safe, judged);
                }
                self.wait_for_room(at, max_parallel).await;
            } else {
                if self.state().committed >= at {
                    return (safe, judged);
                }
                self.until(|s| s.committed >= at).await;
            }
            // What was committed meanwhile may have changed the mode: again.
        }
    }

    /// Waits until every settled call at the head is committed, those included that settle meanwhile.
    async fn commit_head(&self, at: usize) {
        loop {
            let head = self.settled_head().min(at);
            if self.state().committed >= head {
                return;
            }
            self.until(|s| s.committed >= head).await;
        }
    }

    /// How many calls at the head have settled.
    fn settled_head(&self) -> usize {
        let committed = self.state().committed;
        let slots = self.slots();
        let settled = slots[committed..]
            .iter()
            .take_while(|s| matches!(s, Slot::Started(_, Some(_)) | Slot::Committing(_) | Slot::Committed(_)))
            .count();
        committed + settled
    }

    /// Whether the call at `at` may overlap, as its tool says now; and which tool that is.
    fn classify(&self, at: usize) -> (bool, Option<Arc<RegisteredTool>>) {
        // A classifier is foreign code: it runs on a copy, after the lock.
        let call = match &self.slots()[at] {
            Slot::Waiting(call) => call.clone(),
            _ => return (false, None),
        };
        self.registry.classify(&call)
    }

    /// A cancelled call needs no place, for it will not be dispatched.
    fn has_room(&self, at: usize, max_parallel: usize) -> bool {
        self.state().running < max_parallel || self.cancellation(at).is_none_or(|signal| signal.is_cancelled())
    }

    /// What ends the call at `at` before it has started.
    fn cancellation(&self, at: usize) -> Option<Signal> {
        match &self.slots()[at] {
            Slot::Waiting(call) => Some(self.outer.with_token(call.cancellation.clone())),
            _ => None,
        }
    }

    /// Waits for a free place in the pool, or until the mode may be another one. Nobody is asked for it meanwhile: a body
    /// that wakes itself makes no classifier run.
    async fn wait_for_room(&self, at: usize, max_parallel: usize) {
        let Some(signal) = self.cancellation(at) else { return };
        let mut cancelled = signal.cancelled();
        let version = self.registry.version();
        poll_fn(|cx| {
            let full = self.state().running >= max_parallel && self.registry.version() == version;
            if full && Pin::new(&mut cancelled).poll(cx).is_pending() { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }
}
