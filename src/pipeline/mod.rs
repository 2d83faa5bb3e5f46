//! The one place where the order of the stages lives.

mod admit;
mod approval;
mod dispatch;
mod draft;
mod execute;
mod exit;
mod finish;
mod guard;
mod keys;
mod post_execute;
mod pre_execute;
mod running;

use std::sync::Arc;

use crate::{
    call::ToolCall,
    call_core::{Caller, Origin},
    contain::BoxFuture,
    registry::Shared,
    result::ToolResult,
};

pub(crate) use admit::admit;
pub(crate) use approval::Approved;
pub(crate) use draft::{Draft, aborted};
pub(crate) use exit::Exit;
pub(crate) use finish::{Finish, finish};
pub(crate) use keys::{Keys, claim};
pub(crate) use running::RunningCall;

/// One call, from admission to the result that observers and caller get.
pub(crate) async fn run(registry: &Shared, call: ToolCall, origin: Origin) -> Arc<ToolResult> {
    // Declared before the stages, hence dropped after them: whatever ends this future, `finish` is told.
    let mut finish = Finish::new(admit(registry, call, origin));
    let call = finish.call();
    // The stages in order; a refusal leaves early, and says whether post-policies see it.
    let settled = match decided(call).await {
        Ok(approved) => dispatched(call, approved, claim(call)).await,
        Err(exit) => Err(exit),
    };
    // Where it was settled the caller's cancellation was looked at.
    let draft = reviewed(call, settled, false).await;
    finish.now(draft)
}

/// Admission, pre-execute and approval: whether the call may go on to the guards.
pub(crate) async fn decided(call: &RunningCall<'_>) -> Result<Approved, Exit> {
    let admitted = admit::check(call)?;
    let verdict = pre_execute::pre_execute(call, admitted).await?;
    match approval::unasked(verdict) {
        Ok(approved) => Ok(approved),
        Err(reason) => approval::approval(call, reason).await,
    }
}

/// Resource keys, guards and execute. Nothing is awaited between the last guard and the first wrapper.
pub(crate) async fn dispatched(call: &RunningCall<'_>, approved: Approved, keys: Keys) -> Result<Draft, Exit> {
    let keys = if keys.are_there() { keys } else { keys.granted(call).await? };
    let cleared = guard::guard(call, approved, keys)?;
    execute::execute(call, &cleared).await
}

/// Post-execute, unless the call has to go past it. A success that was `cancelled` before is one all the same.
pub(crate) async fn reviewed(call: &RunningCall<'_>, settled: Result<Draft, Exit>, cancelled: bool) -> Draft {
    match settled {
        Ok(draft) | Err(Exit::Post(draft)) => post_execute::post_execute(call, draft, cancelled).await,
        Err(Exit::Finalize(draft)) => draft,
    }
}

impl Caller for Shared {
    fn call(self: Arc<Self>, call: ToolCall, origin: Origin) -> BoxFuture<'static, Arc<ToolResult>> {
        Box::pin(async move { run(&self, call, origin).await })
    }
}
