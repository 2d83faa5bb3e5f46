//! The schedule of a batch: stages in model order, dispatch side by side.
//!
//! Three things go on in one task. The *starter* takes the calls in model order through admission, policies, approval
//! and guards. The *pool* holds what is dispatched. The *committer* takes what has settled through post-policies,
//! finalizer and observers, in model order again. They share a [`Board`] and are polled in turn until none of them
//! moves, so nothing needs to be woken between them.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use futures_util::{StreamExt, stream::FuturesUnordered};

use super::{
    options::{BatchOptions, OnCommit},
    watch::{Turn, Watch},
};
use crate::{
    call::ToolCall,
    call_core::Origin,
    contain::{BoxFuture, Shell, contained, let_go},
    pipeline::{self, Draft, Exit, RunningCall, aborted},
    registry::Shared,
    result::{ToolResult, never_started},
    signal::Signal,
};

type Settled = Result<Draft, Exit>;

/// Where one call of the batch stands.
pub(super) enum Slot<'r> {
    /// Not started: its arguments are read, nothing else.
    Waiting(ToolCall),
    /// Started; `Some` once it has settled, with what ends the watch over its signal.
    Started(Arc<RunningCall<'r>>, Option<(Settled, Option<Turn>)>),
    /// Settled, and with the post-policies.
    Committing(Arc<RunningCall<'r>>),
    Committed(Arc<ToolResult>),
    /// Between two of these.
    Moving,
}

/// What starter, pool and committer share. Dropped, it ends every call that has no result yet, in model order.
pub(super) struct Board<'r> {
    pub(super) registry: &'r Shared,
    pub(super) outer: Signal,
    slots: Mutex<Vec<Slot<'r>>>,
    state: Mutex<State>,
    watch: Watch,
}

#[derive(Default)]
pub(super) struct State {
    /// Counts what has happened.
    moves: u64,
    pub(super) running: usize,
    pub(super) committed: usize,
}

pub(crate) async fn run(registry: &Shared, calls: Vec<ToolCall>, options: BatchOptions) -> Vec<Arc<ToolResult>> {
    let BatchOptions { max_parallel, cancellation, on_commit } = options;
    let on_commit = on_commit.map(Shell::new);
    let count = calls.len();
    let limits = registry.limits.arguments;
    let board = Board {
        registry,
        outer: Signal::new(cancellation),
        slots: Mutex::new(calls.into_iter().map(|call| Slot::Waiting(call.read(limits))).collect()),
        state: Mutex::default(),
        watch: Watch::default(),
    };
    {
        let pool = Pool::default();
        let mut starter = pin!(board.start(count, max_parallel, &pool));
        let mut committer = pin!(board.commit(count, on_commit));
        let (mut all_started, mut all_committed) = (false, false);
        poll_fn(|cx| {
            loop {
                let before = board.state().moves;
                board.settle(&pool, cx);
                all_committed = all_committed || committer.as_mut().poll(cx).is_ready();
                all_started = all_started || starter.as_mut().poll(cx).is_ready();
                board.watch.poll(cx);
                if all_committed && all_started {
                    return Poll::Ready(());
                }
                if board.state().moves == before {
                    return Poll::Pending;
                }
            }
        })
        .await;
    }
    board.into_results()
}

/// What is dispatched: the place of each call, and how it settled.
#[derive(Default)]
struct Pool<'a>(Mutex<FuturesUnordered<BoxFuture<'a, (usize, Settled)>>>);

impl<'a> Pool<'a> {
    fn add(&self, future: BoxFuture<'a, (usize, Settled)>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(future);
    }

    fn poll(&self, cx: &mut Context<'_>) -> Option<(usize, Settled)> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(cx) {
            Poll::Ready(settled) => settled,
            Poll::Pending => None,
        }
    }
}

impl<'r> Board<'r> {
    pub(super) fn slots(&self) -> MutexGuard<'_, Vec<Slot<'r>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `reached` is so. The driver polls again whenever something has moved.
    pub(super) async fn until(&self, reached: impl Fn(&State) -> bool) {
        poll_fn(|_| if reached(&self.state()) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Moves what the pool has settled onto the board.
    fn settle(&self, pool: &Pool<'_>, cx: &mut Context<'_>) {
        while let Some((at, settled)) = pool.poll(cx) {
            self.state().running -= 1;
            self.has_settled(at, settled);
        }
    }

    fn has_settled(&self, at: usize, settled: Settled) {
        // Whose turn it is now is not left unpolled.
        let waits = self.state().committed < at;
        if let Slot::Started(call, outcome) = &mut self.slots()[at] {
            let turn = waits.then(|| self.watch.add(&call.signal()));
            *outcome = Some((settled, turn));
        }
        self.state().moves += 1;
    }

    /// Starts the calls in model order.
    async fn start<'a>(&'a self, count: usize, max_parallel: usize, pool: &Pool<'a>) {
        for at in 0..count {
            let (mut safe, judged) = self.turn(at, max_parallel).await;
            let Some(call) = self.begin(at) else { continue };
            // Somebody else may have put another tool in its place just now: what counts is the one that was captured.
            let judged_this = judged.as_ref().zip(call.tool()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
            if safe && !judged_this {
                safe = call.tool().is_some_and(|tool| tool.is_concurrency_safe(call.cx.arguments()));
                if !safe {
                    self.until(|s| s.committed >= at).await;
                }
            }
            match pipeline::decided(&call).await {
                Err(exit) => self.has_settled(at, Err(exit)),
                Ok(approved) => {
                    let keys = pipeline::claim(&call);
                    let own = call.clone();
                    let mut future: BoxFuture<'a, _> =
                        Box::pin(async move { (at, pipeline::dispatched(&own, approved, keys).await) });
                    // Its first poll is now, before anything else moves: the guards speak in model order, unless the
                    // call has to wait for its keys.
                    match poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
                        Poll::Ready((at, settled)) => self.has_settled(at, settled),
                        Poll::Pending => self.dispatch(pool, future),
                    }
                }
            }
            if !safe {
                self.until(|s| s.committed > at).await;
            }
            // It may be the last to hold what the call holds.
            let_go(call);
        }
    }

    /// Puts a call into the pool.
    fn dispatch<'a>(&self, pool: &Pool<'a>, future: BoxFuture<'a, (usize, Settled)>) {
        pool.add(future);
        let mut state = self.state();
        state.running += 1;
        state.moves += 1;
    }

    fn begin(&self, at: usize) -> Option<Arc<RunningCall<'r>>> {
        let call = match std::mem::replace(&mut self.slots()[at], Slot::Moving) {
            Slot::Waiting(call) => call,
            other => {
                self.slots()[at] = other;
                return None;
            }
        };
        let origin = Origin { outer: Some(self.outer.clone()), parent: None };
        let call = Arc::new(pipeline::admit(self.registry, call, origin));
        self.slots()[at] = Slot::Started(call.clone(), None);
        self.state().moves += 1;
        Some(call)
    }

    /// Commits the calls in model order.
    async fn commit(&self, count: usize, mut on_commit: Option<Shell<OnCommit>>) {
        for at in 0..count {
            let (call, settled) = poll_fn(|_| self.take_settled(at)).await;
            // It has waited for its turn since it settled.
            let draft = pipeline::reviewed(&call, settled, call.is_cancelled()).await;
            let result = pipeline::finish(&call, draft);
            self.slots()[at] = Slot::Committed(result.clone());
            let_go(call);
            if let Some(on_commit) = &mut on_commit
                && let Err(panic) = contained(|| on_commit(at, &result))
            {
                tracing::error!(%panic, "on_commit panicked; the results are unharmed");
            }
            let mut state = self.state();
            state.committed = at + 1;
            state.moves += 1;
        }
    }

    /// The call stays on the board until it is committed, so that a drop in between finds it.
    fn take_settled(&self, at: usize) -> Poll<(Arc<RunningCall<'r>>, Settled)> {
        let slot = &mut self.slots()[at];
        match std::mem::replace(slot, Slot::Moving) {
            Slot::Started(call, Some((settled, _turn))) => {
                *slot = Slot::Committing(call.clone());
                Poll::Ready((call, settled))
            }
            other => {
                *slot = other;
                Poll::Pending
            }
        }
    }

    fn into_results(self) -> Vec<Arc<ToolResult>> {
        let slots = std::mem::take(&mut *self.slots());
        slots.into_iter().map(|slot| self.result_of(slot)).collect()
    }

    /// The result of a call, whatever became of it: every call has one.
    fn result_of(&self, slot: Slot<'r>) -> Arc<ToolResult> {
        let call = match slot {
            Slot::Committed(result) => return result,
            Slot::Started(call, _) | Slot::Committing(call) => call,
            Slot::Waiting(call) => {
                let origin = Origin { outer: Some(self.outer.clone()), parent: None };
                Arc::new(pipeline::admit(self.registry, call, origin))
            }
            // No call is on the move when the board is taken apart: moves happen within one poll, and do not panic.
            Slot::Moving => return Arc::new(ToolResult::failure(never_started())),
        };
        let result = pipeline::finish(&call, Draft::failure(aborted(&call.cx.core)));
        let_go(call);
        result
    }
}

impl Drop for Board<'_> {
    fn drop(&mut self) {
        let slots = std::mem::take(&mut *self.slots());
        for slot in slots {
            let_go(self.result_of(slot));
        }
    }
}
