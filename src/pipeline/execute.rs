//! Stage 5: the wrappers, around the dispatch.

use std::future::poll_fn;

use futures_util::FutureExt;

use crate::{
    contain::{Panicked, let_go},
    grace::{Grace, Waited},
    outcome::DispatchOutcome,
    pipeline::{
        dispatch::{self, Dispatch},
        draft::{Draft, aborted, take_success_away},
        exit::Exit,
        guard::Cleared,
        running::RunningCall,
    },
    result::ToolResult,
    stage::Stage,
    wrapper,
};

pub(crate) async fn execute(call: &RunningCall<'_>, cleared: &Cleared) -> Result<Draft, Exit> {
    call.core().enter(Stage::Execute);
    let dispatch = Dispatch::new(call, cleared);
    let mut chain = wrapper::start(&call.cx, &call.view.wrappers, &dispatch);
    let waited = if call.view.wrappers.is_empty() {
        // The run of the body has the same grace period.
        Waited::Settled(chain.await)
    } else {
        let mut grace = Grace::new(call.core().grace);
        poll_fn(|cx| grace.poll(cx, &call.cx, || false, |cx| chain.poll_unpin(cx).map(Ok::<_, Panicked>))).await
    };
    // The first failure of a wrapper counts, whatever an outer one made of it. Contexts are dropped.
    if let Some(failure) = call.core().failure() {
        let_go(waited);
        return Err(Exit::Finalize(Draft::failure(failure.clone())));
    }
    let outcome = match waited {
        Waited::Settled(Ok(outcome)) => outcome,
        Waited::Settled(Err(_)) | Waited::Panicked(_) | Waited::Dropped => {
            DispatchOutcome::settled(call.cx.token(), ToolResult::failure(aborted(call.core())))
        }
    };
    let mut draft = settle(call, outcome);
    if may_have_been_cancelled(call) && call.is_cancelled() {
        take_success_away(call.core(), &mut draft);
    }
    Ok(draft)
}

/// Whether anybody could have cancelled since the body settled: dispatch has looked then.
fn may_have_been_cancelled(call: &RunningCall) -> bool {
    let asked = !call.view.wrappers.is_empty() || call.tool().is_none_or(|tool| tool.shows_by_itself());
    asked || !call.core().node.is_token_alone()
}

/// What came out of the chain becomes the call's result, with what the body's last run said beside its value.
fn settle(call: &RunningCall, outcome: DispatchOutcome) -> Draft {
    let DispatchOutcome { answer, contexts } = outcome;
    let mut draft = dispatch::result_of(call, answer);
    let (said, concludes) = call.core().runs.take_said();
    if concludes || !said.is_empty() || !contexts.is_empty() {
        let result = draft.edit();
        result.concludes_turn = concludes && result.is_success();
        result.contexts = said;
        result.contexts.extend(contexts);
    }
    draft
}
