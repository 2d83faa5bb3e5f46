//! A result on its way.

use std::sync::Arc;

use crate::{
    call_core::CallCore,
    code::ErrorCode,
    contain::Shell,
    result::{Effects, ToolFailure, ToolResult, never_started},
};

/// A result before it is frozen: built in its final place, and edited there.
/// Its errors' sources are foreign: dropping it never panics.
pub(crate) struct Draft(Shell<Arc<ToolResult>>);

impl Draft {
    pub(crate) fn new(result: ToolResult) -> Self {
        Self::of(Arc::new(result))
    }

    #[cold]
    pub(crate) fn failure(failure: ToolFailure) -> Self {
        Self::new(ToolResult::failure(failure))
    }

    pub(crate) fn of(result: Arc<ToolResult>) -> Self {
        Self(Shell::new(result))
    }

    pub(crate) fn into_inner(self) -> Arc<ToolResult> {
        self.0.into_inner()
    }

    pub(crate) fn edit(&mut self) -> &mut ToolResult {
        Arc::make_mut(&mut self.0)
    }

    pub(crate) fn result(&self) -> &ToolResult {
        &self.0
    }
}

/// The failure of a cancelled call: which one depends on whether a body was ever started.
#[cold]
pub(crate) fn aborted(core: &CallCore) -> ToolFailure {
    let effects = core.runs.effects();
    let mut failure = match effects {
        Effects::None => never_started(),
        Effects::Settled | Effects::Unknown => ToolFailure::new(ErrorCode::ABORTED, "tool call aborted"),
    };
    failure.effects = effects;
    failure
}

/// Makes a failure say of the body what is known of it by now, of several runs the worst: nobody else has a say.
/// Wrappers may answer with the outcome of an earlier run, and even of one before the body was started.
pub(crate) fn make_honest(core: &CallCore, draft: &mut Draft) {
    let Some(failure) = draft.result().error() else { return };
    let (effects, denies) = (core.runs.effects(), failure.code == ErrorCode::ABORTED_BEFORE_DISPATCH);
    if denies && effects != Effects::None {
        return replace_by_aborted(core, draft);
    }
    if failure.effects != effects
        && let Err(failure) = &mut draft.edit().outcome
    {
        failure.effects = effects;
    }
}

/// Takes the place of an outcome that is not the call's any more. Contexts are kept.
#[cold]
pub(crate) fn replace_by_aborted(core: &CallCore, draft: &mut Draft) {
    let contexts = std::mem::take(&mut draft.edit().contexts);
    *draft = Draft::failure(aborted(core));
    draft.edit().contexts = contexts;
}

/// A success of a cancelled call is none. Contexts are kept.
pub(crate) fn take_success_away(core: &CallCore, draft: &mut Draft) {
    if draft.result().is_success() {
        replace_by_aborted(core, draft);
    }
}
