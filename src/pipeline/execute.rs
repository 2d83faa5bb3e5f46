//! Stage 5: the wrappers, around the dispatch.

use std::future::poll_fn;

use futures_util::FutureExt;

use crate::{
    contain::{Panicked, let_go},
    content::AdditionalContext,
    grace::{Grace, Waited},
    outcome::DispatchOutcome,
    pipeline::{
        dispatch::{self, Dispatch},
        draft::{Draft, aborted, take_success_away},
        exit::Exit,
        guard::Cleared,
        running::RunningCall,
    },
    stage::Stage,
    wrapper::{self, Begun, Innermost},
};

pub(crate) async fn execute(call: &RunningCall<'_>, cleared: &Cleared) -> Result<Draft, Exit> {
    call.core().enter(Stage::Execute);
    let dispatch = Dispatch::new(call, cleared);
    let (mut draft, contexts) = if call.view.wrappers.is_empty() {
        (alone(call, &dispatch).await?, Vec::new())
    } else {
        wrapped(call, &dispatch).await?
    };
    add_said(call, &mut draft, contexts);
    if may_have_been_cancelled(call) && call.is_cancelled() {
        take_success_away(call.core(), &mut draft);
    }
    Ok(draft)
}

/// Without wrappers what the body answers is the result, and its own grace period the only one.
async fn alone(call: &RunningCall<'_>, dispatch: &Dispatch<'_>) -> Result<Draft, Exit> {
    match dispatch.begin(&call.cx) {
        Begun::Body(mut body) => {
            let ended = poll_fn(|cx| body.poll(cx)).await;
            Ok(dispatch.result(ended))
        }
        Begun::Answer(Ok(outcome)) => Ok(dispatch::result_of(call, outcome.answer)),
        Begun::Answer(Err(_)) => {
            Err(Exit::of_failed(call.core()).unwrap_or_else(|| Exit::Post(Draft::failure(aborted(call.core())))))
        }
    }
}

async fn wrapped(call: &RunningCall<'_>, dispatch: &Dispatch<'_>) -> Result<(Draft, Vec<AdditionalContext>), Exit> {
    let waited = {
        let mut chain = wrapper::start(&call.cx, &call.view.wrappers, dispatch);
        let mut grace = Grace::new(call.core().grace);
        poll_fn(|cx| grace.poll(cx, &call.cx, || false, |cx| chain.poll_unpin(cx).map(Ok::<_, Panicked>))).await
    };
    // The first failure of a wrapper counts, whatever an outer one made of it. Contexts are dropped.
    if let Some(exit) = Exit::of_failed(call.core()) {
        let_go(waited);
        return Err(exit);
    }
    match waited {
        Waited::Settled(Ok(DispatchOutcome { answer, contexts })) => Ok((dispatch::result_of(call, answer), contexts)),
        Waited::Settled(Err(_)) | Waited::Panicked(_) | Waited::Dropped => {
            Ok((Draft::failure(aborted(call.core())), Vec::new()))
        }
    }
}

/// Whether anybody could have cancelled since the body settled: dispatch has looked then.
fn may_have_been_cancelled(call: &RunningCall) -> bool {
    let asked = !call.view.wrappers.is_empty() || call.tool().is_none_or(|tool| tool.shows_by_itself());
    asked || !call.core().node.is_token_alone()
}

/// Adds to the result what the body's last run said beside its value, and then what the wrappers did.
fn add_said(call: &RunningCall<'_>, draft: &mut Draft, contexts: Vec<AdditionalContext>) {
    let (said, concludes) = call.core().runs.take_said();
    if concludes || !said.is_empty() || !contexts.is_empty() {
        let result = draft.edit();
        result.concludes_turn = concludes && result.is_success();
        result.contexts = said;
        result.contexts.extend(contexts);
    }
}
