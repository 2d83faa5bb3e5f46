//! Stages 7 and 8, on every path: the finalizer, then the observers.

use std::sync::Arc;

use serde_json::json;

use crate::{
    code::ErrorCode,
    contain::{contained, let_go},
    pipeline::{
        draft::{Draft, aborted, make_honest},
        running::RunningCall,
    },
    result::{ToolFailure, ToolResult},
    stage::Stage,
};

/// Holds a call while it runs, and ends it exactly once: with its result, or, when the future that holds this is
/// dropped, with an aborted one.
pub(crate) struct Finish<'r> {
    call: Option<RunningCall<'r>>,
}

impl<'r> Finish<'r> {
    pub(crate) fn new(call: RunningCall<'r>) -> Self {
        Self { call: Some(call) }
    }

    /// The call, which is there until it is finished.
    pub(crate) fn call(&self) -> &RunningCall<'r> {
        self.call.as_ref().expect("a call is finished once, and not looked at after that")
    }

    pub(crate) fn now(&mut self, draft: Draft) -> Arc<ToolResult> {
        let call = self.call.take().expect("a call is finished once");
        let result = finish(&call, draft);
        // The last handle on tools and extensions may be this call's; their destructors are foreign code.
        let_go(call);
        result
    }
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            let draft = Draft::failure(aborted(call.core()));
            finish(&call, draft);
            let_go(call);
        }
    }
}

/// Ends a call: nothing of it may run any more. To be called once.
pub(crate) fn finish(call: &RunningCall, mut draft: Draft) -> Arc<ToolResult> {
    // From here on nothing of the call runs any more: whoever holds a token of it is told.
    call.core().runs.abandon();
    call.core().node.end(Arc::strong_count(&call.cx.core) == 1);
    make_honest(call.core(), &mut draft);
    finalize(call, &mut draft);
    let result = draft.into_inner();
    observe(call, &result);
    result
}

/// The definition's own last word on the content. Synchronous and outside of every chain, so nothing skips it.
fn finalize(call: &RunningCall, draft: &mut Draft) {
    let Some(finalizer) = call.tool().and_then(|t| t.finalizer.as_ref()) else { return };
    call.core().enter(Stage::Finalize);
    match contained(|| finalizer(draft.result())) {
        Ok(None) => {}
        Ok(Some(content)) => draft.edit().replace_content(content),
        Err(panic) => {
            let mut failure = ToolFailure::new(
                ErrorCode::FINALIZER_FAILED,
                format!("the finalizer of tool \"{}\" failed", call.cx.name()),
            )
            .by(Some(call.core().name.clone()))
            .caused_by(panic.into_source());
            failure.effects = call.core().runs.effects();
            failure.details = draft.result().code().map(|code| json!({ "code": code.as_str() }));
            let contexts = std::mem::take(&mut draft.edit().contexts);
            *draft = Draft::failure(failure);
            draft.edit().contexts = contexts;
        }
    }
}

fn observe(call: &RunningCall, result: &Arc<ToolResult>) {
    call.core().enter(Stage::Result);
    for observer in &call.view.observers {
        if let Err(panic) = contained(|| observer.part.observe(&call.cx, result)) {
            tracing::error!(observer = %observer.name, %panic, "an observer panicked; the result is unharmed");
        }
    }
}
