//! One answer of a model, in every format: calls in, results back, and nothing unanswered.
#![cfg(feature = "providers")]

mod answers;
mod bodies;
mod bounds;
mod calls;
mod check_file;
mod endings;
mod kinds;
mod pairing;
mod streams;
mod world;

use std::{future::Future, sync::Arc};

use serde_json::Value;
use toolgate::{
    BatchOptions, ToolRegistry, ToolResult,
    provider::{Format, NameTable, Turn, TurnBuilder},
};

/// A call as a test writes it down: id, wire name, arguments as text.
type Call<'a> = (&'a str, &'a str, &'a str);

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

fn names() -> NameTable {
    NameTable::portable(world::NAMES).0
}

fn read(format: Format, body: &Value) -> Turn {
    Turn::read(format, body, &names()).unwrap_or_else(|e| panic!("{format}: {e}\n{body:#}"))
}

/// The turn of a stream with these events.
fn built<'e>(format: Format, events: impl IntoIterator<Item = &'e Value>) -> Turn {
    let mut builder = TurnBuilder::new(format, &names());
    for event in events {
        builder.push(event);
    }
    builder.finish()
}

fn run(registry: &ToolRegistry, turn: &Turn) -> Vec<Arc<ToolResult>> {
    block_on(registry.execute_batch(turn.calls().to_vec(), BatchOptions::new()))
}

/// Runs the turn's calls in a fresh world.
fn results(turn: &Turn) -> Vec<Arc<ToolResult>> {
    run(&world::registry(), turn)
}

fn codes(results: &[Arc<ToolResult>]) -> Vec<&str> {
    results.iter().map(|r| r.code().map_or("ok", toolgate::ErrorCode::as_str)).collect()
}

fn ids(turn: &Turn) -> Vec<&str> {
    turn.calls().iter().map(toolgate::ToolCall::id).collect()
}

/// All texts in `value`, wherever they are.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(texts).collect(),
        Value::Object(map) => map.values().map(texts).collect(),
        _ => String::new(),
    }
}
