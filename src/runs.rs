//! The runs of one call's body: which one is going on, and what it says beside its value.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use tokio_util::sync::CancellationToken;

use crate::{content::AdditionalContext, result::Effects, signal::Signal};

/// The runs of one body. Most bodies say nothing beside their value: one word tells that, and no lock is taken.
#[derive(Default)]
pub(crate) struct Runs {
    /// From below: [`ALIVE`], [`TOLD`], two bits of effects, and the number of the run.
    word: AtomicU64,
    /// Nested calls so far, over all runs.
    nested: AtomicU32,
    said: Mutex<Said>,
}

/// A run is going on.
const ALIVE: u64 = 1;
/// There may be something in `said`.
const TOLD: u64 = 1 << 1;
const EFFECTS: u64 = 0b11 << 2;
const ONE_RUN: u64 = 1 << 4;

/// What the current run has said, and what was made for it.
#[derive(Default)]
struct Said {
    contexts: Vec<AdditionalContext>,
    concludes: bool,
    /// Made on first use: the signal that ends with the run.
    scope: Option<(Signal, CancellationToken)>,
}

fn effects_of(word: u64) -> Effects {
    match (word & EFFECTS) >> 2 {
        0 => Effects::None,
        1 => Effects::Settled,
        _ => Effects::Unknown,
    }
}

fn number_of(word: u64) -> u64 {
    word / ONE_RUN
}

impl Runs {
    /// What is known of the body's effects: of several runs the worst.
    pub(crate) fn effects(&self) -> Effects {
        let word = self.word.load(Ordering::Acquire);
        // On its way, or its future was leaked: nobody knows.
        if word & ALIVE != 0 { Effects::Unknown } else { effects_of(word) }
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        // Nothing foreign runs under this lock, so a poisoned one holds a sound state.
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn was_told(&self) -> bool {
        self.word.load(Ordering::Acquire) & TOLD != 0
    }

    /// Starts a run of the body: what an earlier run said beside its value is forgotten.
    pub(crate) fn begin(&self) -> u64 {
        self.abandon();
        if self.was_told() {
            *self.said() = Said::default();
        }
        number_of(self.word.fetch_add(ONE_RUN | ALIVE, Ordering::AcqRel)) + 1
    }

    /// A run whose future was leaked is over too.
    pub(crate) fn abandon(&self) {
        if self.word.load(Ordering::Acquire) & ALIVE != 0 {
            self.end(Effects::Unknown);
        }
    }

    /// Ends the current run: its context is dead, and what it left behind is cancelled.
    pub(crate) fn end(&self, effects: Effects) {
        let ended = |word: u64| {
            let worst = effects_of(word).max(effects) as u64;
            word & !ALIVE & !EFFECTS | worst << 2
        };
        let (Ok(before) | Err(before)) =
            self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| Some(ended(word)));
        if before & TOLD == 0 {
            return;
        }
        let scope = self.said().scope.take();
        if let Some((signal, token)) = scope {
            token.cancel();
            signal.end();
        }
    }

    /// Passes a cancellation on to the tokens of the call and of the body's run.
    pub(crate) fn follow(&self) -> bool {
        if !self.was_told() {
            return false;
        }
        let scope = self.said().scope.as_ref().map(|(signal, _)| signal.clone());
        scope.is_some_and(|signal| signal.follow())
    }

    /// What the body's last run said beside its value.
    pub(crate) fn take_said(&self) -> (Vec<AdditionalContext>, bool) {
        if !self.was_told() {
            return (Vec::new(), false);
        }
        let mut said = self.said();
        (std::mem::take(&mut said.contexts), said.concludes)
    }

    /// Does `f` if run `number` is still going on. What it puts down is seen by whoever ends the run: he finds the mark,
    /// and waits for the lock.
    fn during<T>(&self, number: u64, f: impl FnOnce(&mut Said) -> T) -> Option<T> {
        let mut said = self.said();
        let word = self.word.fetch_or(TOLD, Ordering::AcqRel);
        (word & ALIVE != 0 && number_of(word) == number).then(|| f(&mut said))
    }

    pub(crate) fn defer(&self, number: u64, context: AdditionalContext) -> Result<(), AdditionalContext> {
        let mut context = Some(context);
        self.during(number, |said| said.contexts.extend(context.take()));
        context.map_or(Ok(()), Err)
    }

    pub(crate) fn conclude(&self, number: u64) -> bool {
        self.during(number, |said| said.concludes = true).is_some()
    }

    /// The number of the next nested call.
    pub(crate) fn next_nested(&self) -> u32 {
        self.nested.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The signal of run `number`: `fused`, and the end of the run.
    pub(crate) fn signal(&self, number: u64, fused: &Signal) -> Signal {
        let live = self.during(number, |said| said.scope.get_or_insert_with(|| fused.scoped()).0.clone());
        live.unwrap_or_else(|| {
            let (signal, token) = fused.scoped();
            token.cancel();
            signal
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_runs_the_worst_effects_count_and_each_has_its_own_words() {
        let runs = Runs::default();
        assert_eq!(runs.effects(), Effects::None);
        let first = runs.begin();
        assert_eq!(runs.effects(), Effects::Unknown);
        runs.defer(first, AdditionalContext::new("first", "t")).expect("it runs");
        runs.end(Effects::Unknown);
        let second = runs.begin();
        assert!(runs.defer(first, AdditionalContext::new("late", "t")).is_err());
        runs.defer(second, AdditionalContext::new("second", "t")).expect("it runs");
        runs.end(Effects::Settled);
        assert_eq!(runs.effects(), Effects::Unknown);
        assert!(!runs.conclude(second));
        let (contexts, concludes) = runs.take_said();
        assert_eq!((contexts, concludes), (vec![AdditionalContext::new("second", "t")], false));
    }

    #[test]
    fn what_a_run_was_told_is_kept_by_is_never_lost() {
        for _ in 0..200 {
            let runs = Runs::default();
            let number = runs.begin();
            let told = std::thread::scope(|scope| {
                let told = scope.spawn(|| runs.defer(number, AdditionalContext::new("x", "t")).is_ok());
                runs.end(Effects::Settled);
                told.join().expect("it does not panic")
            });
            assert_eq!(runs.take_said().0.len(), usize::from(told));
        }
    }
}
