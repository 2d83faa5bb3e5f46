//! A call while it goes through the stages.

use std::sync::Arc;

use crate::{
    call::ScopeId,
    call_core::CallCore,
    execution::DispatchExecution,
    registry::Shared,
    schema::ArgumentProblem,
    signal::Signal,
    view::{Handle, Live, RegisteredTool},
};

/// What is known of the caller's cancellation: a look at it costs as much as a policy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// It was looked at, and nothing foreign has run since.
    Fresh,
    /// Somebody may have cancelled meanwhile.
    Old,
}

/// What admission captured; everything that follows reads this.
pub(crate) struct RunningCall<'r> {
    pub(crate) cx: DispatchExecution,
    pub(crate) registry: &'r Shared,
    /// The chains as they were at admission.
    pub(crate) view: Arc<Handle>,
    /// The changes there had been then.
    pub(crate) version: u64,
    /// The place of the tool in the view.
    pub(crate) place: Option<usize>,
    /// What is wrong with the argument text.
    pub(crate) problem: Option<ArgumentProblem>,
}

impl RunningCall<'_> {
    pub(crate) fn core(&self) -> &CallCore {
        &self.cx.core
    }

    /// The tool as it was at admission: what was approved is what runs.
    pub(crate) fn tool(&self) -> Option<&Arc<RegisteredTool>> {
        self.place.map(|place| self.view.tool_at(place))
    }

    pub(crate) fn agent(&self) -> Option<&ScopeId> {
        self.cx.core.agent.as_ref()
    }

    pub(crate) fn signal(&self) -> Signal {
        self.cx.signal()
    }

    /// Whether the caller has cancelled. Exact.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cx.is_cancelled()
    }

    /// The view as it is now: guards and tools are read live. Once its scope is closed the call sees no tool any more, and
    /// is still under the guards of ancestors that are open.
    pub(crate) fn live(&self) -> Live<'_> {
        if self.registry.version() == self.version {
            return Live::Same(&self.view);
        }
        Live::Changed(self.registry.snapshot().view_of(self.agent(), self.core().scope, &self.view.above))
    }
}
