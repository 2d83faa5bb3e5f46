//! A running call as its participants see it.

use std::{
    cell::Cell,
    fmt,
    ops::{Deref, Range},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;

use crate::{
    approval::Approval,
    call::ScopeId,
    call_core::CallCore,
    extensions::Extensions,
    repair::Repaired,
    signal::{Node, Signal},
    stage::Stages,
};

/// Names one execution: never used twice in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExecutionToken(u64);

impl ExecutionToken {
    /// Threads take numbers in blocks, so that they do not wait for one another at every call.
    pub(crate) fn next() -> Self {
        const BLOCK: u64 = 1024;
        static BLOCKS: AtomicU64 = AtomicU64::new(0);
        thread_local!(static LEFT: Cell<Range<u64>> = const { Cell::new(0..0) });
        let of_a_new_block = || {
            let first = BLOCKS.fetch_add(1, Ordering::Relaxed) * BLOCK + 1;
            first..first + BLOCK
        };
        let number = LEFT.try_with(|left| {
            let mut range = left.take();
            let number = range.next().or_else(|| {
                range = of_a_new_block();
                range.next()
            });
            left.set(range);
            number
        });
        // While a thread ends, each call takes a block.
        Self(number.ok().flatten().unwrap_or_else(|| of_a_new_block().start))
    }

    /// The token as a number, for logs.
    pub fn as_u64(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ExecutionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The read-only view of a running call that policies, guards, approvers and observers see. Cheap to clone.
#[derive(Clone)]
pub struct ToolExecution {
    pub(crate) core: Arc<CallCore>,
    /// The narrowed signal of a dispatch; `None` is the caller's own.
    signal: Option<Signal>,
}

impl ToolExecution {
    /// Names this execution, and no other in this process.
    pub fn token(&self) -> ExecutionToken {
        self.core.token
    }

    /// The caller's name for the call. Not unique; see [`token`](Self::token).
    pub fn call_id(&self) -> &str {
        &self.core.id
    }

    /// The id of the top-level call that this one belongs to; its own, if it is one.
    pub fn root_call_id(&self) -> &str {
        self.core.root_id.as_ref().unwrap_or(&self.core.id)
    }

    /// The tool's name, as the model gave it.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// The arguments: the same allocation for every participant. Numbers are as they were written: `13` and `13.0` are
    /// different values; compare with `as_f64`. An object, but where the call was refused for them:
    /// then the text as a JSON string, or a remark in place of a value too deep to walk.
    pub fn arguments(&self) -> &Value {
        self.core.arguments.value()
    }

    /// What was repaired in the arguments before the call was made, if something was.
    pub fn repaired(&self) -> Option<&Repaired> {
        self.core.arguments.repaired()
    }

    /// The scope the call is made in.
    pub fn agent(&self) -> Option<&ScopeId> {
        self.core.agent.as_ref()
    }

    /// The execution whose body made this call.
    pub fn parent(&self) -> Option<ExecutionToken> {
        self.core.parent
    }

    /// Values of the caller's own.
    pub fn extensions(&self) -> &Extensions {
        &self.core.extensions
    }

    /// Whether nothing will be dispatched: policies with effects of their own abstain then. Always false today.
    pub fn is_dry_run(&self) -> bool {
        false
    }

    /// The cancellation that this participant is under.
    pub fn signal(&self) -> Signal {
        self.signal.clone().unwrap_or_else(|| Signal::of_call(self.core.clone()))
    }

    /// Whether the call is cancelled, as far as this participant is concerned; the same as `signal().is_cancelled()`.
    pub fn is_cancelled(&self) -> bool {
        self.link().is_cancelled()
    }

    /// The link that this view is under, without a handle on it.
    pub(crate) fn link(&self) -> &Node {
        self.signal.as_ref().map_or(&self.core.node, Signal::node)
    }

    /// How the call was admitted.
    pub fn approval(&self) -> Approval {
        self.core.approval.get().map_or(Approval::NotAsked, |approval| (**approval).clone())
    }

    /// The stages that the call has entered so far.
    pub fn stages(&self) -> Stages {
        self.core.stages()
    }

    pub(crate) fn narrowed(&self, signal: Signal) -> DispatchExecution {
        DispatchExecution { execution: Self { core: self.core.clone(), signal: Some(signal) } }
    }
}

impl fmt::Debug for ToolExecution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolExecution")
            .field("token", &self.core.token)
            .field("call_id", &self.core.id)
            .field("name", &self.core.name)
            .field("agent", &self.core.agent)
            .field("stages", &self.stages())
            .finish_non_exhaustive()
    }
}

/// A running call as [`ExecuteWrapper`](crate::ExecuteWrapper)s see it: [`signal`](ToolExecution::signal) is the one
/// that this run is under, with what outer wrappers added. Reads like the [`ToolExecution`] it is.
#[derive(Clone, Debug)]
pub struct DispatchExecution {
    execution: ToolExecution,
}

impl DispatchExecution {
    /// The view of a call under its caller's signal.
    pub(crate) fn new(core: Arc<CallCore>) -> Self {
        Self { execution: ToolExecution { core, signal: None } }
    }
}

impl Deref for DispatchExecution {
    type Target = ToolExecution;

    fn deref(&self) -> &ToolExecution {
        &self.execution
    }
}
