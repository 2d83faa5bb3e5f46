//! Mending a history that was interrupted.

use std::sync::Arc;

use crate::{
    call::ToolCall,
    code::ErrorCode,
    result::{Effects, ToolFailure, ToolResult},
};

/// Completes the results of an interrupted assistant message: each of its `calls` gets one, in order.
///
/// `results` are those that exist, in the order of the calls they belong to, with `None` where there is none; missing
/// ones at the end may be left out. A call without a result becomes `ABORTED` with unknown effects: it may have run.
///
/// ```
/// use toolgate::{ErrorCode, ToolCall, repair_history};
///
/// let calls = [ToolCall::new("c1", "read"), ToolCall::new("c2", "write")];
/// let whole = repair_history(&calls, []);
/// assert_eq!(whole.len(), 2);
/// assert_eq!(whole[1].code(), Some(&ErrorCode::ABORTED));
/// ```
pub fn repair_history(
    calls: &[ToolCall],
    results: impl IntoIterator<Item = Option<Arc<ToolResult>>>,
) -> Vec<Arc<ToolResult>> {
    let mut results = results.into_iter();
    let whole = calls.iter().map(|_| results.next().flatten().unwrap_or_else(|| Arc::new(interrupted())));
    whole.collect()
}

fn interrupted() -> ToolResult {
    let mut failure = ToolFailure::new(ErrorCode::ABORTED, "tool call aborted");
    failure.effects = Effects::Unknown;
    ToolResult::failure(failure)
}
