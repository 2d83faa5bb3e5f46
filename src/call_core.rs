//! The state of a running call, which its views share.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    approval::Approval,
    arguments::Arguments,
    call::{ScopeId, ScopeKey, ToolCall},
    contain::let_go,
    execution::{ExecutionToken, ToolExecution},
    extensions::Extensions,
    result::{ToolFailure, ToolResult},
    runs::Runs,
    signal::{HasNode, Node, Signal},
    stage::{Stage, Stages},
};

/// The state of one running call, in one allocation.
pub(crate) struct CallCore {
    pub(crate) token: ExecutionToken,
    pub(crate) id: Arc<str>,
    pub(crate) root_id: Option<Arc<str>>,
    pub(crate) name: Arc<str>,
    pub(crate) arguments: Arguments,
    pub(crate) agent: Option<ScopeId>,
    /// Which opening of its scope the call belongs to; none, if that is not open.
    pub(crate) scope: Option<ScopeKey>,
    pub(crate) parent: Option<ExecutionToken>,
    /// The calls whose bodies this one runs in, the outermost first.
    pub(crate) ancestors: Ancestors,
    pub(crate) extensions: Extensions,
    pub(crate) grace: Duration,
    /// The first link of every signal of this call: the caller's token.
    pub(crate) node: Node,
    /// How the call was admitted, once an approver said yes.
    pub(crate) approval: OnceLock<Box<Approval>>,
    /// The first failure of a policy or wrapper. Sticky: nobody outside of it can undo it.
    failed: OnceLock<Box<ToolFailure>>,
    stages: AtomicU8,
    pub(crate) runs: Runs,
}

impl HasNode for CallCore {
    fn node(&self) -> &Node {
        &self.node
    }
}

/// What a call is made of when it is admitted.
pub(crate) struct CallParts {
    pub(crate) id: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) arguments: Arguments,
    pub(crate) agent: Option<ScopeId>,
    pub(crate) scope: Option<ScopeKey>,
    pub(crate) extensions: Extensions,
    pub(crate) cancellation: CancellationToken,
    pub(crate) grace: Duration,
    pub(crate) origin: Origin,
}

/// None for a top-level call.
pub(crate) type Ancestors = Option<Arc<[ExecutionToken]>>;

/// Where a call comes from.
#[derive(Default)]
pub(crate) struct Origin {
    /// The signal that ends it beside its own token: that of the body which makes it, or of its batch.
    pub(crate) outer: Option<Signal>,
    /// The call whose body makes it.
    pub(crate) parent: Option<ToolExecution>,
}

/// What a body reaches beside its call: the view that the call was admitted with. This layer knows no more of it.
pub(crate) trait Home: Send + Sync {
    /// Runs the calls that the body makes; gone with the registry.
    fn caller(&self) -> Option<Arc<dyn Caller>>;

    /// The schema of the arguments of the tool at this place.
    fn parameters(&self, tool: usize) -> &Value;
}

/// Runs a call that a body makes. The registry is one; this layer knows no more of it.
pub(crate) trait Caller: Send + Sync {
    fn call(self: Arc<Self>, call: ToolCall, origin: Origin) -> Pin<Box<dyn Future<Output = Arc<ToolResult>> + Send>>;
}

impl CallCore {
    pub(crate) fn new(parts: CallParts) -> Self {
        let Origin { outer, parent } = parts.origin;
        let parent = parent.as_ref().map(|p| &p.core);
        Self {
            token: ExecutionToken::next(),
            id: parts.id,
            root_id: parent.map(|p| p.root_id.as_ref().unwrap_or(&p.id).clone()),
            name: parts.name,
            arguments: parts.arguments,
            agent: parts.agent,
            scope: parts.scope,
            parent: parent.map(|p| p.token),
            ancestors: parent.map(|p| p.ancestors().iter().copied().chain([p.token]).collect()),
            extensions: parts.extensions,
            grace: parts.grace,
            node: Node::root(parts.cancellation, outer),
            approval: OnceLock::new(),
            failed: OnceLock::new(),
            stages: AtomicU8::new(0),
            runs: Runs::default(),
        }
    }

    pub(crate) fn ancestors(&self) -> &[ExecutionToken] {
        self.ancestors.as_deref().unwrap_or_default()
    }

    /// The stages entered so far.
    pub(crate) fn stages(&self) -> Stages {
        Stages(self.stages.load(Ordering::Relaxed))
    }

    pub(crate) fn enter(&self, stage: Stage) {
        // Only the task that drives the call enters stages.
        self.stages.store(self.stages.load(Ordering::Relaxed) | stage.bit(), Ordering::Relaxed);
    }

    pub(crate) fn fail(&self, failure: ToolFailure) {
        // A later failure goes; its source may have a destructor of its own.
        let_go(self.failed.set(Box::new(failure)));
    }

    pub(crate) fn failure(&self) -> Option<&ToolFailure> {
        self.failed.get().map(|f| &**f)
    }

    /// The id of the next nested call: the call's own, and a number.
    pub(crate) fn next_nested_id(&self) -> String {
        format!("{}/{}", self.id, self.runs.next_nested())
    }
}
