//! The registry's state: one pointer to an immutable snapshot, and those who swap it.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, Ordering},
};

use arc_swap::ArcSwap;
use serde_json::Value;
use tokio::sync::watch;

use crate::{
    arguments::RawArguments,
    call::{ScopeId, ScopeKey, ToolCall},
    register_error::RegisterError,
    registry::Limits,
    repair::Repairs,
    resources::ResourceTable,
    view::{Handle, RegisteredTool, Snapshot},
};

/// What the handles of one registry share.
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    current: ArcSwap<Snapshot>,
    /// Counts the changes; read before the snapshot, which most calls need only once.
    version: AtomicU64,
    /// Held while a change is made; readers never wait for it.
    writers: Mutex<()>,
    ids: AtomicU64,
    pub(crate) resources: Arc<ResourceTable>,
    /// Tells those who keep listings that something has changed.
    changes: watch::Sender<u64>,
}

impl Shared {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new_cyclic(|shared: &Weak<Self>| Self {
            limits,
            current: ArcSwap::from_pointee(Snapshot::empty(shared.clone())),
            version: AtomicU64::new(0),
            writers: Mutex::new(()),
            ids: AtomicU64::new(1),
            resources: Arc::default(),
            changes: watch::Sender::new(0),
        })
    }

    /// A number for a registration or an opening of a scope; never given twice.
    pub(crate) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn snapshot(&self) -> arc_swap::Guard<Arc<Snapshot>> {
        self.current.load()
    }

    pub(crate) fn view(&self, agent: Option<&ScopeId>) -> (Arc<Handle>, Option<ScopeKey>) {
        self.current.load().view(agent)
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Whether `call` may overlap with others, and by which tool's word.
    pub(crate) fn classify(&self, call: &ToolCall) -> (bool, Option<Arc<RegisteredTool>>) {
        let (view, _) = self.view(call.agent());
        let Some(tool) = view.tool(call.name()) else { return (false, None) };
        let safe = match call.arguments.clone().read(self.limits.arguments) {
            (arguments, None) => {
                tool.parameters.is_valid(arguments.value()) && tool.is_concurrency_safe(arguments.value())
            }
            (_, Some(_)) => false,
        };
        (safe, Some(tool.clone()))
    }

    /// Repairs the arguments of a call by the parameters of its tool, if they are not valid and can be made so.
    pub(crate) fn repair(&self, mut call: ToolCall, allowed: Repairs) -> ToolCall {
        let (view, _) = self.view(call.agent());
        let Some(tool) = view.tool(call.name()) else { return call };
        let fits = |value: &Value| tool.parameters.is_valid(value);
        if let Some((value, record)) =
            call.arguments.repaired_by(tool.schema.parameters(), allowed, self.limits.arguments, fits)
        {
            tracing::info!(tool = call.name(), call = call.id(), repairs = %record, "arguments were repaired");
            call.arguments = RawArguments::repaired(value, record);
        }
        call
    }

    /// How many changes there have been; a change counts before the method that makes it returns.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Makes one change: the next snapshot is published whole, or not at all.
    pub(crate) fn update<T>(
        &self,
        change: impl FnOnce(&mut Snapshot) -> Result<T, RegisterError>,
    ) -> Result<T, RegisterError> {
        // What is replaced or spoiled may be the last to hold a tool or policy, whose destructor is foreign code and may
        // want to register or remove something itself: it goes after the lock.
        let (done, _garbage) = {
            let _one = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
            let mut next = Snapshot::clone(&self.current.load());
            next.version += 1;
            let version = next.version;
            match change(&mut next) {
                Ok(done) => {
                    let old = self.current.swap(Arc::new(next));
                    self.version.store(version, Ordering::Release);
                    self.changes.send_replace(version);
                    (Ok(done), old)
                }
                Err(error) => (Err(error), Arc::new(next)),
            }
        };
        done
    }
}
