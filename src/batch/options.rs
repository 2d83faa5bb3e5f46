//! How a batch is run.

use std::{fmt, sync::Arc};

use tokio_util::sync::CancellationToken;

use crate::result::ToolResult;

/// Called with a call's place in the message and its result.
pub(crate) type OnCommit = Box<dyn FnMut(usize, &Arc<ToolResult>) + Send>;

/// How a batch is run.
#[must_use = "options do nothing until a batch is run with them"]
pub struct BatchOptions {
    pub(crate) max_parallel: usize,
    pub(crate) cancellation: CancellationToken,
    pub(crate) on_commit: Option<OnCommit>,
}

impl BatchOptions {
    /// Ten calls at a time, not cancelled by anybody.
    pub fn new() -> Self {
        Self { max_parallel: 10, cancellation: CancellationToken::new(), on_commit: None }
    }

    /// How many calls may be dispatched at the same time. Default: 10; zero counts as one.
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.max_parallel = calls.max(1);
        self
    }

    /// Cancels the batch: nothing more is started, what runs is cancelled and has its grace period to settle, and every call gets its result.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Gets each result in model order, with its place in the message, as soon as those before it are committed. Must
    /// not block; a panic is logged and changes nothing.
    pub fn on_commit(mut self, on_commit: impl FnMut(usize, &Arc<ToolResult>) + Send + 'static) -> Self {
        self.on_commit = Some(Box::new(on_commit));
        self
    }
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for BatchOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchOptions").field("max_parallel", &self.max_parallel).finish_non_exhaustive()
    }
}
