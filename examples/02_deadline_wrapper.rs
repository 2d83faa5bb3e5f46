//! A wrapper that bounds how long the dispatch of a call may take, whatever happens inside of it.
//!
//! `cargo run --example 02_deadline_wrapper`
//!
//! A tool's own limit is the definition's `timeout`, which bounds each run of its body. A wrapper's limit bounds all that
//! lies further in: other wrappers too, and several runs together.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::{
    error::Error,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde_json::json;
use toolgate::{
    DispatchExecution, DispatchOutcome, Effects, ErrorCode, ExecuteNext, ExecuteWrapper, OutputSpec, PolicyError,
    ToolCall, ToolContext, ToolError, ToolRegistry, tool,
};

/// Ends what takes longer than its limit.
#[derive(Debug)]
struct Deadline {
    limit: Duration,
}

impl Deadline {
    fn new(limit: Duration) -> Self {
        Self { limit }
    }
}

impl Default for Deadline {
    /// 30 seconds.
    fn default() -> Self {
        Self::new(Duration::from_secs(30))
    }
}

#[async_trait]
impl ExecuteWrapper for Deadline {
    fn name(&self) -> &str {
        "deadline"
    }

    async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        // Narrowed, never replaced: the caller's cancellation and an outer wrapper's deadline stay in force.
        let signal = cx.signal().with_timeout(self.limit);
        let outcome = next.run_with(signal.clone()).await?;
        if outcome.is_success() || !signal.fired_by_itself() {
            return Ok(outcome);
        }
        let message = format!("no answer within {} ms; ask for less", self.limit.as_millis());
        Ok(DispatchOutcome::failure(ToolError::new("DEADLINE_EXCEEDED", message)))
    }
}

/// A registry with one wrapper and a tool that sleeps as long as it is told.
fn registry(deadline: Deadline) -> Result<ToolRegistry, Box<dyn Error>> {
    let registry = ToolRegistry::builder().grace(Duration::from_millis(20)).build()?;
    registry.wrapper(deadline)?;
    registry.register(
        tool("sleep")
            .parameters(json!({"type": "object", "properties": {"ms": {"type": "integer"}}, "required": ["ms"]}))
            .output(OutputSpec::text())
            .body(|cx: ToolContext| async move {
                let ms = cx.arguments()["ms"].as_u64().unwrap_or_default();
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Ok(json!(format!("slept {ms} ms")))
            }),
    )?;
    Ok(registry)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sleep = |ms: u64| ToolCall::new("call", "sleep").with_arguments(json!({"ms": ms}));

    // Thirty seconds are plenty for a nap of ten milliseconds.
    let relaxed = registry(Deadline::default())?.execute(sleep(10)).await;
    println!("limit 30 s,  sleeps 10 ms: {}", relaxed.text());
    assert_eq!(relaxed.text(), "slept 10 ms");

    // Fifty milliseconds are not enough for a minute.
    let started = Instant::now();
    let strict = registry(Deadline::new(Duration::from_millis(50)))?.execute(sleep(60_000)).await;
    println!("limit 50 ms, sleeps 60 s:  {} (after {} ms)", strict.text(), started.elapsed().as_millis());
    let failure = strict.error().ok_or("the deadline did not fire")?;
    assert_eq!(failure.code, "DEADLINE_EXCEEDED");
    assert_eq!(failure.effects, Effects::Unknown, "the body was dropped midway");

    // The caller's own cancellation goes through it, and is no deadline.
    let call = sleep(60_000);
    let token = call.cancellation().clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        token.cancel();
    });
    let cancelled = registry(Deadline::default())?.execute(call).await;
    println!("limit 30 s,  cancelled:    {}", cancelled.text());
    assert_eq!(cancelled.code(), Some(&ErrorCode::ABORTED));
    Ok(())
}
