//! The state of a running call, which its views share.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::{
    approval::Approval,
    arguments::Arguments,
    call::{ScopeId, ScopeKey, ToolCall},
    contain::let_go,
    content::AdditionalContext,
    execution::{ExecutionToken, ToolExecution},
    extensions::Extensions,
    result::{Effects, ToolFailure, ToolResult},
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
    /// Runs the calls that the body makes.
    pub(crate) caller: Arc<dyn Caller>,
    /// How the call was admitted, once an approver said yes.
    pub(crate) approval: OnceLock<Approval>,
    /// The first failure of a policy or wrapper. Sticky: nobody outside of it can undo it.
    failed: OnceLock<Box<ToolFailure>>,
    stages: AtomicU8,
    effects: AtomicU8,
    run: Mutex<RunState>,
}

/// What the body's current run has said beside its value.
#[derive(Default)]
struct RunState {
    number: u32,
    alive: bool,
    /// Nested calls so far, over all runs.
    nested: u32,
    contexts: Vec<AdditionalContext>,
    concludes: bool,
    /// Made on first use: the signal that ends with the run.
    scope: Option<(Signal, CancellationToken)>,
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
    pub(crate) caller: Arc<dyn Caller>,
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
            caller: parts.caller,
            approval: OnceLock::new(),
            failed: OnceLock::new(),
            stages: AtomicU8::new(0),
            effects: AtomicU8::new(Effects::None as u8),
            run: Mutex::default(),
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
        self.stages.fetch_or(stage.bit(), Ordering::Relaxed);
    }

    pub(crate) fn fail(&self, failure: ToolFailure) {
        // A later failure goes; its source may have a destructor of its own.
        let_go(self.failed.set(Box::new(failure)));
    }

    pub(crate) fn failure(&self) -> Option<&ToolFailure> {
        self.failed.get().map(|f| &**f)
    }

    pub(crate) fn effects(&self) -> Effects {
        if self.run_state().alive {
            // It is on its way, or its future was leaked: nobody knows.
            return Effects::Unknown;
        }
        match self.effects.load(Ordering::Acquire) {
            0 => Effects::None,
            1 => Effects::Settled,
            _ => Effects::Unknown,
        }
    }

    fn run_state(&self) -> MutexGuard<'_, RunState> {
        // Nothing foreign runs under this lock, so a poisoned one holds a sound state.
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a run of the body: what an earlier run said beside its value is forgotten.
    pub(crate) fn begin_run(&self) -> u32 {
        self.abandon_run();
        let mut run = self.run_state();
        run.number += 1;
        run.alive = true;
        run.contexts.clear();
        run.concludes = false;
        run.number
    }

    /// A run whose future was leaked is over too.
    pub(crate) fn abandon_run(&self) {
        let alive = self.run_state().alive;
        if alive {
            self.end_run(Effects::Unknown);
        }
    }

    /// Ends the current run: its context is dead, and what it left behind is cancelled.
    pub(crate) fn end_run(&self, effects: Effects) {
        self.effects.fetch_max(effects as u8, Ordering::AcqRel);
        let scope = {
            let mut run = self.run_state();
            run.alive = false;
            run.scope.take()
        };
        if let Some((signal, token)) = scope {
            token.cancel();
            signal.end();
        }
    }

    /// Passes a cancellation on to the tokens of this call and of the body's run.
    pub(crate) fn follow_run(&self) -> bool {
        let scope = self.run_state().scope.as_ref().map(|(signal, _)| signal.clone());
        scope.is_some_and(|signal| signal.follow())
    }

    /// What the body's last run said beside its value.
    pub(crate) fn take_said(&self) -> (Vec<AdditionalContext>, bool) {
        let mut run = self.run_state();
        (std::mem::take(&mut run.contexts), run.concludes)
    }

    /// Does `f` if run `number` is still going on.
    fn in_run<T>(&self, number: u32, f: impl FnOnce(&mut RunState) -> T) -> Option<T> {
        let mut run = self.run_state();
        (run.alive && run.number == number).then(|| f(&mut run))
    }

    pub(crate) fn defer(&self, number: u32, context: AdditionalContext) -> Result<(), AdditionalContext> {
        let mut context = Some(context);
        self.in_run(number, |run| run.contexts.extend(context.take()));
        context.map_or(Ok(()), Err)
    }

    /// The id of the next nested call: the call's own, and a number.
    pub(crate) fn next_nested_id(&self) -> String {
        let mut run = self.run_state();
        run.nested += 1;
        format!("{}/{}", self.id, run.nested)
    }

    pub(crate) fn conclude(&self, number: u32) -> bool {
        self.in_run(number, |run| run.concludes = true).is_some()
    }

    /// The signal of run `number`: `fused`, and the end of the run.
    pub(crate) fn run_signal(&self, number: u32, fused: &Signal) -> Signal {
        let live = self.in_run(number, |run| run.scope.get_or_insert_with(|| fused.scoped()).0.clone());
        live.unwrap_or_else(|| {
            let (signal, token) = fused.scoped();
            token.cancel();
            signal
        })
    }
}
