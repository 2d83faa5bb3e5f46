//! Somebody to ask.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;

use crate::{arguments::Arguments, call::ScopeId, digest::ApprovalDigest, error::PolicyError, signal::Signal};

/// Answers a question about one call: may it run, this once?
///
/// # When it runs
///
/// At [`Stage::Approval`](crate::Stage::Approval), for a call that a policy wants asked about and that no guard refuses.
///
/// # What it sees
///
/// Who calls what with which arguments, and why somebody asks.
///
/// # What it may do
///
/// Allow once, or refuse. The guards still have the last word.
///
/// # Errors
///
/// An `Err` or a panic is the same as `Unavailable`: the call does not run.
///
/// # Cancellation
///
/// Dropped at once when the caller cancels; a late answer is ignored. Waiting counts against no deadline of the tool.
#[async_trait]
pub trait Approver: fmt::Debug + Send + Sync + 'static {
    /// The name it goes by in results and logs.
    fn name(&self) -> &str;

    /// Answers one question.
    ///
    /// # Errors
    ///
    /// Any error is the same as `Unavailable`.
    ///
    /// # Cancellation
    ///
    /// May be dropped at any await.
    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError>;
}

/// An answer. Exhaustive on purpose: one of them allows, everything else refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "one answer allows, the others refuse; there is no fifth")]
pub enum ApprovalOutcome {
    /// Yes, for this call only.
    AllowedOnce,
    /// No.
    Rejected,
    /// The question was withdrawn.
    Cancelled,
    /// There is nobody to answer.
    Unavailable,
}

/// A question about one call.
#[derive(Clone)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The agent that calls, and that the question is routed through.
    pub agent: ScopeId,
    /// The tool's name.
    pub tool_name: Arc<str>,
    /// The caller's name for the call.
    pub call_id: Arc<str>,
    /// Why somebody wants it asked.
    pub reason: String,
    /// Which policy wants it asked.
    pub asked_by: Option<Arc<str>>,
    /// What exactly would run: SHA-256 over tool, arguments and agent.
    pub digest: ApprovalDigest,
    /// Fires when the question is no longer wanted.
    pub signal: Signal,
    pub(crate) arguments: Arguments,
}

impl ApprovalRequest {
    /// The frozen arguments: what is shown is what runs.
    pub fn arguments(&self) -> &Value {
        self.arguments.value()
    }
}

impl fmt::Debug for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalRequest")
            .field("agent", &self.agent)
            .field("tool_name", &self.tool_name)
            .field("call_id", &self.call_id)
            .field("reason", &self.reason)
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}
