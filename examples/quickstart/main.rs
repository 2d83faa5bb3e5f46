//! A registry with a few tools and policies plays a recorded transcript of an assistant.
//!
//! `cargo run --example quickstart` prints the manuals that the model gets, and for every call of the transcript the
//! stages it went through, its code and its result. On a terminal it asks you about one of the calls.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

mod approver;
mod log;
mod policy;
mod tools;
mod transcript;

use std::{
    error::Error,
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use toolgate::{ToolCall, ToolRegistry, ToolResult, guard_fn};

const AGENT: &str = "main";

/// What each call of the transcript comes to: `ok`, or the code of its failure.
const EXPECTED: [(&str, &str); 12] = [
    ("call_01", "ok"),
    ("call_02", "ok"),
    ("call_03", "FILE_NOT_FOUND"),
    ("call_04", "INVALID_ARGS"),
    ("call_05", "INVALID_ARGS"),
    ("call_06", "INVALID_ARGS"),
    ("call_07", "DENIED"),
    ("call_08", "DENIED"),
    ("call_09", "GUARD_DENIED"),
    ("call_10", "UNKNOWN_TOOL"),
    ("call_11", "ok"),
    ("call_12", "TOOL_TIMEOUT"),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let interactive = io::stdin().is_terminal();
    let registry = registry(interactive)?;
    let agent = registry.scope(AGENT);

    println!("What the model sees:\n");
    println!("{}\n", serde_json::to_string_pretty(&*agent.schemas())?);

    println!("What it asked for, and what became of it:\n");
    let mut surprises = Vec::new();
    let calls = transcript::calls()?;
    for (number, call) in calls.iter().enumerate() {
        println!("{:>2}  {} {}", number + 1, call.name, call.arguments);
        let call_of_model = ToolCall::from_model(&*call.id, &*call.name, &*call.arguments).with_agent(AGENT);
        let result = registry.execute(call_of_model).await;
        surprises.extend(surprise(&call.id, &result, interactive));
    }
    if calls.len() != EXPECTED.len() {
        surprises.push(format!("{} calls were played, {} were expected", calls.len(), EXPECTED.len()));
    }
    surprises.extend(tools::ran_though_refused().map(|name| format!("the body of {name} ran")));
    let took = started.elapsed();
    if !interactive && took > Duration::from_secs(3) {
        surprises.push(format!("it took {} ms", took.as_millis()));
    }

    if surprises.is_empty() {
        println!("{} calls, every one ended as expected, in {} ms.", calls.len(), took.as_millis());
        Ok(())
    } else {
        Err(format!("not what was expected: {}", surprises.join("; ")).into())
    }
}

/// Everything is registered once; the calls need to know none of it.
fn registry(interactive: bool) -> Result<ToolRegistry, Box<dyn Error>> {
    // A body may take 30 seconds, where its definition does not say otherwise.
    let registry = ToolRegistry::builder().default_timeout(Duration::from_secs(30)).build()?;
    tools::register(&registry)?;
    registry.pre_policy(policy::PermissionGate)?;
    registry.guard(guard_fn("no-code", policy::no_code))?;
    registry.observer(log::Log)?;
    if interactive {
        registry.approver(approver::Terminal)?;
    } else {
        registry.approver(approver::Scripted)?;
    }
    Ok(registry)
}

fn surprise(id: &str, result: &ToolResult, interactive: bool) -> Option<String> {
    let got = result.code().map_or("ok", |code| code.as_str());
    let expected = EXPECTED.iter().find(|(known, _)| *known == id).map_or("nothing", |(_, code)| code);
    // On a terminal the answer is yours.
    let yours = interactive && id == "call_11" && got.starts_with("APPROVAL_");
    (got != expected && !yours).then(|| format!("{id} ended as {got}, not as {expected}"))
}
