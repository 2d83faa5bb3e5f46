//! Who may do what: a policy that can be ordered among others, and a guard that nothing overrules.

use async_trait::async_trait;
use toolgate::{GuardVerdict, PolicyError, PreDecision, PreNext, PrePolicy, ToolExecution};

/// Keeps files as they are and secrets where they are, and has mail approved.
#[derive(Debug)]
pub(crate) struct PermissionGate;

#[async_trait]
impl PrePolicy for PermissionGate {
    fn name(&self) -> &str {
        "permission-gate"
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        if matches!(cx.name(), "fs_write" | "fs_edit") {
            return Ok(PreDecision::deny("files are read-only here"));
        }
        if cx.arguments()["path"].as_str().is_some_and(|path| path.contains(".env")) {
            return Ok(PreDecision::deny("files with secrets are not for tools"));
        }
        let others = next.run().await?;
        Ok(match cx.name() {
            // What the policies further in say counts too, where it is stricter.
            "send_mail" => others.strictest(PreDecision::ask("mail leaves the house")),
            _ => others,
        })
    }
}

/// An invariant, whatever the policies above say and in whichever order.
pub(crate) fn no_code(cx: &ToolExecution) -> GuardVerdict {
    match cx.name() {
        "run_code" => GuardVerdict::deny("code is never run here"),
        _ => GuardVerdict::Abstain,
    }
}
