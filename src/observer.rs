//! Those who look at results.

use std::{fmt, sync::Arc};

use crate::{execution::ToolExecution, result::ToolResult};

/// Sees the frozen result of every call, and can change nothing.
///
/// # When it runs
///
/// At [`Stage::Result`](crate::Stage::Result), exactly once for each call, also for one that is cancelled or dropped.
///
/// # What it sees
///
/// The call, and the very result that the caller gets.
///
/// # What it may do
///
/// Look. It runs on the task of the call and must not block; to do more, send what it saw to a channel.
///
/// # Errors
///
/// A panic is logged through `tracing`; the result and the other observers are unharmed.
///
/// # Cancellation
///
/// None: it is synchronous, and runs for dropped calls too, during unwinding even.
pub trait ResultObserver: fmt::Debug + Send + Sync + 'static {
    /// The name it goes by in logs.
    fn name(&self) -> &str;

    /// Looks at the result of one call.
    fn observe(&self, cx: &ToolExecution, result: &Arc<ToolResult>);
}

/// An observer that is a closure.
///
/// ```
/// use toolgate::{ToolRegistry, observer_fn};
///
/// let registry = ToolRegistry::new();
/// registry.observer(observer_fn("count", |cx, result| {
///     let _line = format!("{} {}", cx.call_id(), result.is_success());
/// }))?;
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
pub fn observer_fn<F>(name: impl Into<String>, observe: F) -> impl ResultObserver
where
    F: Fn(&ToolExecution, &Arc<ToolResult>) + Send + Sync + 'static,
{
    ObserverFn { name: name.into(), observe }
}

struct ObserverFn<F> {
    name: String,
    observe: F,
}

impl<F> fmt::Debug for ObserverFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObserverFn").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<F> ResultObserver for ObserverFn<F>
where
    F: Fn(&ToolExecution, &Arc<ToolResult>) + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn observe(&self, cx: &ToolExecution, result: &Arc<ToolResult>) {
        (self.observe)(cx, result);
    }
}
