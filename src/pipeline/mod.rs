//! The one place where the order of the stages lives.

mod admit;
mod approval;
mod dispatch;
mod draft;
mod execute;
mod exit;
mod finish;
mod guard;
mod post_execute;
mod pre_execute;
mod running;

use std::sync::Arc;

use crate::{call::ToolCall, registry::Shared, result::ToolResult};

use draft::Draft;
use exit::Exit;
use finish::Finish;
use running::RunningCall;

/// One call, from admission to the result that observers and caller get.
pub(crate) async fn run(registry: &Arc<Shared>, call: ToolCall) -> Arc<ToolResult> {
    // Declared before the stages, hence dropped after them: whatever ends this future, `finish` is told.
    let mut finish = Finish::new(admit::admit(registry, call));
    let draft = forward(finish.call()).await;
    finish.now(draft)
}

/// The stages in order, a line each; a refusal leaves early, and says whether post-policies see it.
async fn forward(call: &RunningCall) -> Draft {
    let settled = match before(call).await {
        Ok(cleared) => execute::execute(call, &cleared).await,
        Err(exit) => Err(exit),
    };
    match settled {
        Ok(draft) | Err(Exit::Post(draft)) => post_execute::post_execute(call, draft).await,
        Err(Exit::Finalize(draft)) => draft,
    }
}

/// Everything that comes before the body. Only this makes a [`Cleared`](guard::Cleared), and only that is dispatched.
async fn before(call: &RunningCall) -> Result<guard::Cleared, Exit> {
    let admitted = admit::check(call)?;
    let verdict = pre_execute::pre_execute(call, admitted).await?;
    let approved = approval::approval(call, verdict).await?;
    guard::guard(call, approved)
}
