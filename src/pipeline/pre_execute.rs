//! Stage 2: policies decide, a waterfall.

use std::future::poll_fn;

use futures_util::FutureExt;

use crate::{
    chain::{Chain, Course},
    code::ErrorCode,
    contain::Panicked,
    grace::{Grace, Waited},
    pipeline::{
        admit::Admitted,
        draft::{Draft, aborted},
        exit::Exit,
        running::{Look, RunningCall},
    },
    pre_policy::{PreDecision, PreNext, Reason},
    result::ToolFailure,
    stage::Stage,
};

/// What the policies came to, short of a refusal.
pub(crate) enum Verdict {
    Allowed(Look),
    Ask(Reason),
}

pub(crate) async fn pre_execute(call: &RunningCall<'_>, admitted: Admitted) -> Result<Verdict, Exit> {
    call.core().enter(Stage::PreExecute);
    if call.view.pre.is_empty() { Ok(Verdict::Allowed(admitted.look())) } else { asked(call).await }
}

async fn asked(call: &RunningCall<'_>) -> Result<Verdict, Exit> {
    let waited = {
        let course = Course { cx: &call.cx, timeout: call.registry.limits.policy_timeout };
        let mut link = PreNext { chain: Chain::new(&course, &call.view.pre) }.start();
        let mut grace = Grace::new(call.core().grace);
        poll_fn(|cx| grace.poll(cx, &call.cx, || false, |cx| link.poll_unpin(cx).map(Ok::<_, Panicked>))).await
    };
    // The first failure counts, whatever an outer policy made of it, and whether or not that came to an end.
    if let Some(exit) = Exit::of_failed(call.core()) {
        return Err(exit);
    }
    match waited {
        Waited::Settled(Ok(PreDecision::Allow)) => Ok(Verdict::Allowed(Look::Old)),
        Waited::Settled(Ok(PreDecision::Ask(reason))) => Ok(Verdict::Ask(reason)),
        Waited::Settled(Ok(PreDecision::Deny(reason))) => {
            let (reason, by) = reason.into_parts();
            Err(Exit::Post(Draft::failure(ToolFailure::new(ErrorCode::DENIED, reason).by(by))))
        }
        // An `Err` has left its mark above; what is left was dropped.
        Waited::Settled(Err(_)) | Waited::Panicked(_) | Waited::Dropped => {
            Err(Exit::Post(Draft::failure(aborted(call.core()))))
        }
    }
}
