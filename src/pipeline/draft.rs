//! A result on its way.

use std::sync::Arc;

use crate::{
    call_core::CallCore,
    code::ErrorCode,
    contain::let_go,
    result::{Effects, ToolFailure, ToolResult},
};

/// A result before it is frozen: built in its final place, and edited there.
pub(crate) struct Draft(pub(crate) Arc<ToolResult>);

impl Draft {
    pub(crate) fn new(result: ToolResult) -> Self {
        Self(Arc::new(result))
    }

    pub(crate) fn failure(failure: ToolFailure) -> Self {
        Self::new(ToolResult::failure(failure))
    }

    pub(crate) fn edit(&mut self) -> &mut ToolResult {
        Arc::make_mut(&mut self.0)
    }

    pub(crate) fn result(&self) -> &ToolResult {
        &self.0
    }
}

/// The failure of a cancelled call: which one depends on whether a body was ever started.
pub(crate) fn aborted(core: &CallCore) -> ToolFailure {
    match core.effects() {
        Effects::None => ToolFailure::new(ErrorCode::ABORTED_BEFORE_DISPATCH, "tool call aborted before dispatch"),
        Effects::Settled | Effects::Unknown => ToolFailure::new(ErrorCode::ABORTED, "tool call aborted"),
    }
}

/// A success of a cancelled call is none. Contexts are kept.
pub(crate) fn take_success_away(core: &CallCore, draft: &mut Draft) {
    if draft.result().is_success() {
        let contexts = std::mem::take(&mut draft.edit().contexts);
        let_go(std::mem::replace(draft, Draft::failure(aborted(core))));
        draft.edit().contexts = contexts;
    }
}
