//! Stage 4: guards have the last word.

use crate::{
    code::ErrorCode,
    contain::contained,
    guard::GuardVerdict,
    pipeline::{
        approval::Approved,
        draft::{Draft, aborted},
        exit::Exit,
        keys::Keys,
        running::{Look, RunningCall},
    },
    result::ToolFailure,
    stage::Stage,
};

/// Proof that every guard has abstained. Only this stage makes it, and dispatch takes nothing else.
pub(crate) struct Cleared {
    /// What the call reads and writes, held while it is dispatched.
    _keys: Keys,
}

pub(crate) fn guard(call: &RunningCall, approved: Approved, keys: Keys) -> Result<Cleared, Exit> {
    call.core().enter(Stage::Guard);
    let look = if matches!(keys, Keys::Undeclared) { approved.look() } else { Look::Old };
    let asked = consult(call)?;
    if (look == Look::Old || asked > 0) && call.is_cancelled() {
        return Err(Exit::Post(Draft::failure(aborted(call.core()))));
    }
    Ok(Cleared { _keys: keys })
}

/// Asks the guards as they are now, and says how many there were. Asked ahead of their stage, the call enters it only if
/// one refuses.
pub(crate) fn consult(call: &RunningCall) -> Result<usize, Exit> {
    let refused = first_refusal(call);
    if refused.is_err() {
        call.core().enter(Stage::Guard);
    }
    refused
}

fn first_refusal(call: &RunningCall) -> Result<usize, Exit> {
    let live = call.live();
    for guard in &live.guards {
        match contained(|| guard.part.check(&call.cx)) {
            Ok(GuardVerdict::Abstain) => {}
            Ok(GuardVerdict::Deny(reason)) => {
                let (reason, _) = reason.into_parts();
                let failure = ToolFailure::new(ErrorCode::GUARD_DENIED, reason).by(Some(guard.name.clone()));
                return Err(Exit::Post(Draft::failure(failure)));
            }
            Err(panic) => {
                let failure = ToolFailure::new(ErrorCode::GUARD_FAILED, format!("guard \"{}\" failed", guard.name))
                    .by(Some(guard.name.clone()))
                    .caused_by(panic.into_source());
                return Err(Exit::Finalize(Draft::failure(failure)));
            }
        }
    }
    Ok(live.guards.len())
}
