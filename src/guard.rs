//! The last word before a body runs.

use std::fmt;

use crate::{execution::ToolExecution, pre_policy::Reason};

/// Refuses calls, and nothing else: there is no value with which a guard could allow one.
///
/// # When it runs
///
/// At [`Stage::Guard`](crate::Stage::Guard), and before a human is asked, and before a further run of the body. Guards
/// are read live: one that is registered while a human thinks applies to the call the human thinks about.
///
/// # What it sees
///
/// The call, with arguments that are never going to change.
///
/// # What it may do
///
/// Deny or abstain. Several guards have no order that matters: the first denial wins, nothing undoes it.
/// A guard must be pure and quick: it may be asked several times about one call, and it blocks the task it runs on.
///
/// # Errors
///
/// A panic ends the call as `GUARD_FAILED`; the body does not run.
///
/// # Cancellation
///
/// Guards run, and win, when the caller has cancelled meanwhile.
///
/// A closure does as well: see [`guard_fn`].
pub trait Guard: fmt::Debug + Send + Sync + 'static {
    /// The name it goes by in results and logs.
    fn name(&self) -> &str;

    /// Looks at one call.
    fn check(&self, cx: &ToolExecution) -> GuardVerdict;
}

/// What a guard says. There is no "allow".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GuardVerdict {
    /// Nothing against it.
    Abstain,
    /// No; the model reads the reason.
    Deny(Reason),
}

impl GuardVerdict {
    /// No, because of `reason`.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(Reason::new(reason))
    }
}

/// A guard that is a closure.
///
/// ```
/// use toolgate::{GuardVerdict, ToolRegistry, guard_fn};
///
/// let registry = ToolRegistry::new();
/// registry.guard(guard_fn("no-code", |cx| match cx.name() {
///     "run_code" => GuardVerdict::deny("code is not run here"),
///     _ => GuardVerdict::Abstain,
/// }))?;
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
pub fn guard_fn<F>(name: impl Into<String>, check: F) -> impl Guard
where
    F: Fn(&ToolExecution) -> GuardVerdict + Send + Sync + 'static,
{
    GuardFn { name: name.into(), check }
}

struct GuardFn<F> {
    name: String,
    check: F,
}

impl<F> fmt::Debug for GuardFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardFn").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<F> Guard for GuardFn<F>
where
    F: Fn(&ToolExecution) -> GuardVerdict + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, cx: &ToolExecution) -> GuardVerdict {
        (self.check)(cx)
    }
}
