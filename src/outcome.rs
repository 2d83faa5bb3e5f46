//! What comes back from a dispatch, and what a wrapper answers.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    code::ErrorCode,
    content::AdditionalContext,
    error::ToolError,
    execution::ExecutionToken,
    result::{ToolFailure, ToolResult},
    schema::{HARD_DEPTH, Shielded, deeper_than, dismantle},
};

/// What came back from a dispatch, or what a wrapper answers in its place.
#[derive(Debug)]
pub struct DispatchOutcome {
    pub(crate) answer: Answer,
    pub(crate) contexts: Vec<AdditionalContext>,
}

pub(crate) enum Answer {
    /// Made by the dispatch of this call: already validated and rendered.
    Settled { by: ExecutionToken, result: Arc<ToolResult> },
    /// A wrapper's own value: to be validated and rendered.
    Value(Box<Shielded>),
    /// A wrapper's own failure.
    Failure(Box<ToolFailure>),
}

impl DispatchOutcome {
    pub(crate) fn settled(by: ExecutionToken, result: Arc<ToolResult>) -> Self {
        Self { answer: Answer::Settled { by, result }, contexts: Vec::new() }
    }

    /// A wrapper's own success. The value is validated by the tool's output schema and rendered by its declaration.
    pub fn value(value: Value) -> Self {
        Self { answer: Answer::Value(Box::new(Shielded::new(value))), contexts: Vec::new() }
    }

    /// A wrapper's own failure. A reserved code becomes `TOOL_FAILED`, as for a body. Two things are not the wrapper's to
    /// say: `effects`, which is filled in when the wrapper has answered, and `retryable`, which is left out, for only the
    /// body knows whether trying again may help. An outcome that `next` gave keeps what the body said.
    pub fn failure(error: ToolError) -> Self {
        let mut failure = tool_failure(error);
        failure.retryable = None;
        Self { answer: Answer::Failure(Box::new(failure)), contexts: Vec::new() }
    }

    /// The outcome, with something to tell the model after the result. Whoever discards the outcome discards this too.
    #[must_use]
    pub fn with_context(mut self, context: AdditionalContext) -> Self {
        self.contexts.push(context);
        self
    }

    /// Whether it is a success so far.
    pub fn is_success(&self) -> bool {
        self.error().is_none()
    }

    /// The value of a success.
    pub fn success_value(&self) -> Option<&Value> {
        match &self.answer {
            Answer::Settled { result, .. } => result.value(),
            Answer::Value(value) => Some(value),
            Answer::Failure(_) => None,
        }
    }

    /// Why it failed, with what is known of the body's effects by now: of several runs the worst.
    pub fn error(&self) -> Option<&ToolFailure> {
        match &self.answer {
            Answer::Settled { result, .. } => result.error(),
            Answer::Value(_) => None,
            Answer::Failure(failure) => Some(failure),
        }
    }

    /// What the wrappers have attached so far.
    pub fn contexts(&self) -> &[AdditionalContext] {
        &self.contexts
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Settled { result, .. } => f.debug_tuple("Settled").field(result).finish(),
            Self::Value(_) => f.write_str("Value(..)"),
            Self::Failure(failure) => f.debug_tuple("Failure").field(failure).finish(),
        }
    }
}

/// The value, unless it is too deep to be walked; then it is taken apart.
fn shallow(value: Value) -> Option<Value> {
    if deeper_than(&value, HARD_DEPTH) {
        dismantle(value);
        return None;
    }
    Some(value)
}

/// The failure that a body's or wrapper's own error makes: reserved and malformed codes are not theirs to give.
pub(crate) fn tool_failure(error: ToolError) -> ToolFailure {
    let parts = error.into_parts();
    let wanted = ErrorCode::unchecked(parts.code);
    let details = parts.details.and_then(shallow);
    let mut failure = if parts.own || wanted.is_free() {
        let mut failure = ToolFailure::new(wanted, parts.message);
        failure.details = details;
        failure
    } else {
        let mut failure = ToolFailure::new(ErrorCode::TOOL_FAILED, parts.message);
        failure.details = Some(match details {
            None => serde_json::json!({ "wanted_code": wanted.as_str() }),
            Some(details) => serde_json::json!({ "wanted_code": wanted.as_str(), "details": details }),
        });
        failure
    };
    failure.retryable = parts.retryable;
    failure.source = parts.source;
    failure
}
