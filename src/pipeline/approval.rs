//! Stage 3: somebody is asked.

use std::{future::poll_fn, pin::Pin, task::Poll};

use crate::{
    approval::{Approval, ApprovalMode},
    approver::{ApprovalOutcome, ApprovalRequest, Approver},
    chain::Named,
    code::ErrorCode,
    contain::{Contained, Panicked, let_go},
    digest::ApprovalDigest,
    error::{Described, PolicyError},
    pipeline::{
        draft::{Draft, aborted},
        exit::Exit,
        guard,
        pre_execute::Verdict,
        running::{Look, RunningCall},
    },
    pre_policy::Reason,
    result::ToolFailure,
    stage::Stage,
};

/// Proof that nobody had to be asked, or that somebody said yes.
pub(crate) struct Approved(Look);

impl Approved {
    /// The caller's cancellation, as it was last looked at.
    pub(crate) fn look(self) -> Look {
        self.0
    }
}

/// Nobody has to be asked, or why somebody has.
pub(crate) fn unasked(verdict: Verdict) -> Result<Approved, Reason> {
    match verdict {
        Verdict::Allowed(look) => Ok(Approved(look)),
        Verdict::Ask(reason) => Err(reason),
    }
}

pub(crate) async fn approval(call: &RunningCall<'_>, reason: Reason) -> Result<Approved, Exit> {
    // Nobody is asked about a call that a guard will refuse.
    guard::consult(call)?;
    call.core().enter(Stage::Approval);
    ask(call, reason).await.map_err(|failure| Exit::Post(Draft::failure(failure)))
}

async fn ask(call: &RunningCall<'_>, reason: Reason) -> Result<Approved, ToolFailure> {
    // Only the approver is kept while it is waited for, and not all that is registered with it.
    let Some((_, approver)) = &call.registry.snapshot().approver.clone() else {
        return Err(unavailable("approval needed, but no approver is installed"));
    };
    let Some(agent) = call.agent() else {
        return Err(unavailable("approval needed, but the call has no agent to route it through"));
    };
    // The stricter of then and now: nothing that happened meanwhile loosens it.
    if call.view.mode.max(call.live().mode) == ApprovalMode::Never {
        let message = format!("approvals are off for tool \"{}\"", call.cx.name());
        return Err(ToolFailure::new(ErrorCode::APPROVAL_REJECTED, message));
    }
    if call.is_cancelled() {
        return Err(aborted(call.core()));
    }
    let (reason, asked_by) = reason.into_parts();
    let digest = ApprovalDigest::of(call.cx.name(), call.cx.arguments(), Some(agent));
    let request = ApprovalRequest {
        agent: agent.clone(),
        tool_name: call.core().name.clone(),
        call_id: call.core().id.clone(),
        reason: reason.clone(),
        asked_by,
        digest,
        signal: call.signal(),
        arguments: call.core().arguments.clone(),
    };
    match answer(call, approver, request).await {
        Asked::CallerCancelled => Err(aborted(call.core())),
        Asked::Answered(Ok(ApprovalOutcome::AllowedOnce)) => {
            let approval = Approval::AllowedOnce { by: approver.name.clone(), reason, digest };
            let _ = call.core().approval.set(Box::new(approval));
            Ok(Approved(Look::Old))
        }
        Asked::Answered(outcome) => Err(refused(call.cx.name(), outcome).by(Some(approver.name.clone()))),
    }
}

fn refused(tool: &str, outcome: Result<ApprovalOutcome, PolicyError>) -> ToolFailure {
    match outcome {
        Ok(ApprovalOutcome::Rejected) => {
            ToolFailure::new(ErrorCode::APPROVAL_REJECTED, format!("the user rejected tool \"{tool}\""))
        }
        Ok(ApprovalOutcome::Cancelled) => {
            ToolFailure::new(ErrorCode::APPROVAL_CANCELLED, format!("approval for tool \"{tool}\" was withdrawn"))
        }
        Ok(ApprovalOutcome::Unavailable | ApprovalOutcome::AllowedOnce) => {
            unavailable("nobody answered the approval request")
        }
        Err(error) => unavailable("approval is not available").caused_by(error.into_source()),
    }
}

fn unavailable(message: &str) -> ToolFailure {
    ToolFailure::new(ErrorCode::APPROVAL_UNAVAILABLE, message)
}

enum Asked {
    Answered(Result<ApprovalOutcome, PolicyError>),
    CallerCancelled,
}

/// Waits for the answer or for the caller's cancellation, which wins and needs no grace.
async fn answer(call: &RunningCall<'_>, approver: &Named<dyn Approver>, request: ApprovalRequest) -> Asked {
    let signal = call.signal();
    let mut future = Contained::start(|| approver.part.request(request));
    let mut cancelled = None;
    let mut deadline = None;
    poll_fn(|cx| {
        signal.follow();
        let settled = future.poll(cx);
        // A cancel and an answer in the same instant: the cancel.
        if signal.fired_at().is_some() {
            signal.follow();
            let_go(settled);
            future.end();
            return Poll::Ready(Asked::CallerCancelled);
        }
        match settled {
            Poll::Ready(Ok(outcome)) => return Poll::Ready(Asked::Answered(outcome)),
            Poll::Ready(Err(panic)) => return Poll::Ready(Asked::Answered(Err(Panicked::into(panic)))),
            Poll::Pending => {}
        }
        if let Some(limit) = call.registry.limits.approval_timeout {
            let timer = deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
            if timer.as_mut().poll(cx).is_ready() {
                future.end();
                let error = Described(format!("no answer within {} ms", limit.as_millis()));
                return Poll::Ready(Asked::Answered(Err(error.into())));
            }
        }
        let wait = cancelled.get_or_insert_with(|| signal.cancelled());
        Pin::new(wait).poll(cx).map(|()| Asked::CallerCancelled)
    })
    .await
}
