//! A policy's own time: what passes while no `next` of its own is pending.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::signal::CLOCK_MARGIN;

/// The clock of one policy. It runs from the policy's first poll, and stands while a `next` of its own is pending: then
/// that one's runs, whether or not anybody polls it.
pub(crate) struct OwnTime {
    pub(crate) name: Arc<str>,
    pub(crate) limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    started: Option<Instant>,
    delegated: Duration,
    /// Since when it waits, and for whom.
    delegate: Option<(Instant, Arc<OwnTime>)>,
    over: bool,
}

/// Whose clock runs in a chain, and who waits for that policy.
pub(crate) struct Turn {
    pub(crate) who: Arc<OwnTime>,
    pub(crate) waiting: Option<Arc<OwnTime>>,
}

impl OwnTime {
    pub(crate) fn new(name: Arc<str>, limit: Duration) -> Self {
        Self { name, limit, state: Mutex::default() }
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        // No foreign code runs under the lock, and no other clock is looked at.
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn start(&self) {
        self.with(|s| _ = s.started.get_or_insert_with(Instant::now));
    }

    /// Stands from now on, for `to` is waited for.
    pub(crate) fn delegate(&self, to: &Arc<OwnTime>) {
        self.with(|s| _ = s.delegate.get_or_insert_with(|| (Instant::now(), to.clone())));
    }

    pub(crate) fn resume(&self) {
        let waited_for = self.with(|s| {
            let (since, waited_for) = s.delegate.take()?;
            s.delegated += since.elapsed();
            Some(waited_for)
        });
        drop(waited_for);
    }

    /// Whose clock runs: this one, or that of the policy furthest in that is waited for.
    pub(crate) fn turn(self: &Arc<Self>) -> Turn {
        let mut turn = Turn { who: self.clone(), waiting: None };
        while let Some(further_in) = turn.who.with(|s| s.delegate.as_ref().map(|(_, to)| to.clone())) {
            turn = Turn { waiting: Some(turn.who), who: further_in };
        }
        turn
    }

    /// When its time is over, if nothing is waited for until then; `None` where no clock can tell.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.with(|s| {
            let at = s.started?.checked_add(self.limit)?.checked_add(s.delegated)?;
            at.checked_add(CLOCK_MARGIN).map(|_| at)
        })
    }

    /// Its time is over, as somebody farther out has found: it hears of it when it is polled.
    pub(crate) fn run_out(&self) {
        self.with(|s| s.over = true);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.with(|s| s.over)
    }
}
