//! Trees of scopes: what is seen, what can run, what a parent set and a child cannot loosen.

mod cases;
mod closed;
mod nested;
mod trees;

use std::{future::Future, time::Duration};

use serde_json::json;
use toolgate::{OutputSpec, ToolDefinition, tool};

/// A tool called `name` that answers with `answer`.
fn answering(name: &str, answer: impl Into<String>) -> ToolDefinition {
    let answer = answer.into();
    tool(name).output(OutputSpec::text()).body(move |_| {
        let answer = answer.clone();
        async move { Ok(json!(answer)) }
    })
}

/// Runs `future` on a paused clock.
fn paused<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}
