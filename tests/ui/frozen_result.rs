//! Observers get the very result that the caller gets, and cannot edit it.

use std::sync::Arc;

use toolgate::{ContentBlock, ToolResult};

fn redact(result: &Arc<ToolResult>) {
    result.content = vec![ContentBlock::text("[redacted]")];
}

fn clear(result: &ToolResult) {
    result.content().clear();
}

fn main() {
    let _ = (redact, clear);
}
