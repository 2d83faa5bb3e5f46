//! What calls read and write, so that those which must not overlap do not.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

use crate::{call_core::Ancestors, execution::ExecutionToken};

/// What one call reads and writes, by names that mean the same to every tool of the registry, such as `file:/a/b`.
///
/// Readers of a key share it; a writer excludes every other reader and writer.
///
/// ```
/// use serde_json::json;
/// use toolgate::{OutputSpec, ResourceKeys, tool};
///
/// let edit = tool("edit")
///     .output(OutputSpec::any())
///     .resources(|arguments| {
///         let path = arguments["path"].as_str().unwrap_or_default();
///         ResourceKeys::new().write(format!("file:{path}"))
///     })
///     .body(|_| async { Ok(json!(null)) });
/// # let _ = edit;
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[must_use = "keys do nothing until a definition gives them"]
pub struct ResourceKeys {
    reads: BTreeSet<Arc<str>>,
    writes: BTreeSet<Arc<str>>,
    everything: bool,
}

impl ResourceKeys {
    /// Neither reads nor writes anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `key`.
    pub fn read(mut self, key: impl Into<Arc<str>>) -> Self {
        self.reads.insert(key.into());
        self
    }

    /// Writes `key`.
    pub fn write(mut self, key: impl Into<Arc<str>>) -> Self {
        self.writes.insert(key.into());
        self
    }

    /// Writes whatever any other call with keys reads or writes; calls without keys are not held back. Also what a
    /// definition is taken to say whose keys cannot be computed.
    pub fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.everything && self.reads.is_empty() && self.writes.is_empty()
    }
}

impl fmt::Debug for ResourceKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.everything {
            return f.write_str("everything");
        }
        f.debug_struct("ResourceKeys").field("reads", &self.reads).field("writes", &self.writes).finish()
    }
}

/// Who holds what, in one registry.
#[derive(Default)]
pub(crate) struct ResourceTable {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: HashMap<ExecutionToken, ResourceKeys>,
    by_key: HashMap<Arc<str>, Holders>,
    /// Who holds everything.
    everything: Vec<ExecutionToken>,
    /// In the order of asking.
    waiting: Vec<Waiting>,
}

#[derive(Default)]
struct Holders {
    readers: Vec<ExecutionToken>,
    writers: Vec<ExecutionToken>,
}

struct Waiting {
    claim: Claim,
    granted: oneshot::Sender<()>,
}

/// Who asks for what. All of it is given at once, or none: nobody holds one key and waits for another.
#[derive(Clone)]
pub(crate) struct Claim {
    pub(crate) owner: ExecutionToken,
    /// The calls whose bodies the owner runs in: what they hold does not hinder it.
    pub(crate) ancestors: Ancestors,
    pub(crate) keys: ResourceKeys,
}

impl Claim {
    fn is_within(&self, holder: ExecutionToken) -> bool {
        self.ancestors.as_ref().is_some_and(|all| all.contains(&holder))
    }
}

impl ResourceTable {
    fn state(&self) -> MutexGuard<'_, State> {
        // No foreign code runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the keys if that can be done at once; else queues for them. `None` if that wait would never end.
    pub(crate) fn claim(self: &Arc<Self>, claim: Claim) -> Option<Held> {
        let owner = claim.owner;
        let mut state = self.state();
        if state.would_lock_up(&claim) {
            return None;
        }
        let hindered = state.is_held_by_others(&claim) || state.is_wanted_before(&claim, state.waiting.len());
        let granted = if hindered {
            let (granted, wait) = oneshot::channel();
            state.waiting.push(Waiting { claim, granted });
            Some(wait)
        } else {
            state.give(owner, claim.keys);
            None
        };
        drop(state);
        Some(Held { table: self.clone(), owner, granted })
    }

    /// Gives up what `owner` holds or waits for, and gives it to those who wait.
    fn release(&self, owner: ExecutionToken) {
        let mut state = self.state();
        state.waiting.retain(|w| w.claim.owner != owner);
        state.take(owner);
        let mut at = 0;
        while let Some(next) = state.waiting.get(at) {
            if state.is_held_by_others(&next.claim) || state.is_wanted_before(&next.claim, at) {
                at += 1;
                continue;
            }
            let Waiting { claim, granted } = state.waiting.remove(at);
            state.give(claim.owner, claim.keys);
            // Whoever has stopped waiting gives it up again when its handle is dropped.
            let _ = granted.send(());
        }
    }
}

impl State {
    fn give(&mut self, owner: ExecutionToken, keys: ResourceKeys) {
        for key in &keys.reads {
            self.by_key.entry(key.clone()).or_default().readers.push(owner);
        }
        for key in &keys.writes {
            self.by_key.entry(key.clone()).or_default().writers.push(owner);
        }
        if keys.everything {
            self.everything.push(owner);
        }
        self.held.insert(owner, keys);
    }

    fn take(&mut self, owner: ExecutionToken) {
        let Some(keys) = self.held.remove(&owner) else { return };
        self.everything.retain(|h| *h != owner);
        for key in keys.reads.iter().chain(&keys.writes) {
            if let Some(holders) = self.by_key.get_mut(key) {
                holders.readers.retain(|h| *h != owner);
                holders.writers.retain(|h| *h != owner);
                if holders.readers.is_empty() && holders.writers.is_empty() {
                    self.by_key.remove(key);
                }
            }
        }
    }

    /// Those who hold what excludes this claim. What its ancestors hold does not.
    fn blockers(&self, claim: &Claim) -> Vec<ExecutionToken> {
        let keys = &claim.keys;
        let mut found: Vec<ExecutionToken> = if keys.everything {
            self.held.keys().copied().collect()
        } else {
            let holders = |key| self.by_key.get(key);
            let of_writes = keys.writes.iter().filter_map(holders).flat_map(|h| h.readers.iter().chain(&h.writers));
            let of_reads = keys.reads.iter().filter_map(holders).flat_map(|h| &h.writers);
            of_writes.chain(of_reads).chain(&self.everything).copied().collect()
        };
        found.retain(|holder| *holder != claim.owner && !claim.is_within(*holder));
        found
    }

    fn is_held_by_others(&self, claim: &Claim) -> bool {
        !self.blockers(claim).is_empty()
    }

    /// Whether those who would have to give way wait, in calls within theirs, for what an ancestor of this claim holds:
    /// then nobody would ever go on.
    fn would_lock_up(&self, claim: &Claim) -> bool {
        let mut todo = self.blockers(claim);
        let mut seen = Vec::new();
        while let Some(holder) = todo.pop() {
            if claim.is_within(holder) {
                return true;
            }
            if !seen.contains(&holder) {
                seen.push(holder);
                let within = self.waiting.iter().filter(|w| w.claim.is_within(holder));
                todo.extend(within.flat_map(|w| self.blockers(&w.claim)));
            }
        }
        false
    }

    /// Whether somebody who asked earlier wants what excludes this: so a writer is not passed by readers for ever.
    /// A call within one that holds keys does not queue: those who wait may wait for its ancestor.
    fn is_wanted_before(&self, claim: &Claim, at: usize) -> bool {
        if claim.ancestors.iter().flat_map(|all| all.iter()).any(|a| self.held.contains_key(a)) {
            return false;
        }
        self.waiting[..at].iter().any(|earlier| excludes(&earlier.claim.keys, &claim.keys))
    }
}

fn excludes(a: &ResourceKeys, b: &ResourceKeys) -> bool {
    if a.everything || b.everything {
        return true;
    }
    let meets = |writes: &BTreeSet<Arc<str>>, other: &ResourceKeys| {
        writes.iter().any(|key| other.writes.contains(key) || other.reads.contains(key))
    };
    meets(&a.writes, b) || meets(&b.writes, a)
}

/// Keys that are held or waited for; given up when this is dropped.
pub(crate) struct Held {
    table: Arc<ResourceTable>,
    owner: ExecutionToken,
    granted: Option<oneshot::Receiver<()>>,
}

impl Held {
    pub(crate) fn is_granted(&self) -> bool {
        self.granted.is_none()
    }

    /// Waits for the keys. Dropping the future loses nothing; dropping the handle gives them up.
    pub(crate) async fn granted(&mut self) {
        if let Some(wait) = &mut self.granted {
            // The table drops no sender without an answer while the handle lives.
            let _ = wait.await;
            self.granted = None;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.table.release(self.owner);
    }
}
