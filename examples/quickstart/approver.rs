//! Somebody to ask: you, or a script where there is no terminal.

use std::io::{self, Write};

use async_trait::async_trait;
use toolgate::{ApprovalOutcome, ApprovalRequest, Approver, PolicyError};

fn question(request: &ApprovalRequest) -> String {
    let by = request.asked_by.as_deref().unwrap_or("somebody");
    format!("    asked   {by}: {} - may {} run?", request.reason, request.tool_name)
}

/// Asks on the terminal.
#[derive(Debug)]
pub(crate) struct Terminal;

#[async_trait]
impl Approver for Terminal {
    fn name(&self) -> &str {
        "terminal"
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        print!("{} [y/N] ", question(&request));
        io::stdout().flush()?;
        // Reading a line blocks: not on the thread that drives the calls.
        let answer = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().read_line(&mut line).map(|_| line)
        })
        .await??;
        let yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
        Ok(if yes { ApprovalOutcome::AllowedOnce } else { ApprovalOutcome::Rejected })
    }
}

/// Says yes, and that it does.
#[derive(Debug)]
pub(crate) struct Scripted;

#[async_trait]
impl Approver for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        println!("{} yes (scripted: stdin is no terminal)", question(&request));
        Ok(ApprovalOutcome::AllowedOnce)
    }
}
