//! One assistant message with several calls: reads overlap, the write is a barrier, the results come in order.
//!
//! `cargo run --example 05_batch`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::{Annotations, BatchOptions, OutputSpec, RegisterError, ToolCall, ToolDefinition, ToolRegistry, tool};

/// A tool that takes as long as its argument says, and prints when it runs.
fn slow(name: &'static str, start: Instant) -> ToolDefinition {
    tool(name).output(OutputSpec::text()).body(move |cx| async move {
        let takes = cx.arguments()["ms"].as_u64().unwrap_or(0);
        let from = start.elapsed();
        tokio::time::sleep(Duration::from_millis(takes)).await;
        print_bar(cx.call_id(), name, from, start.elapsed());
        Ok(json!(format!("{name} took {takes} ms")))
    })
}

fn print_bar(id: &str, name: &str, from: Duration, to: Duration) {
    let column = |at: Duration| usize::try_from(at.as_millis() / 10).unwrap_or(0);
    let (from, to) = (column(from), column(to).max(column(from) + 1));
    println!("{id} {name:<5} |{}{}", " ".repeat(from), "=".repeat(to - from));
}

fn register(registry: &ToolRegistry, start: Instant) -> Result<(), RegisterError> {
    registry.register(slow("read", start).annotations(Annotations::read_only()))?;
    registry.register(slow("write", start))?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (registry, start) = (ToolRegistry::new(), Instant::now());
    register(&registry, start)?;
    let message =
        [("c1", "read", 120), ("c2", "read", 60), ("c3", "write", 80), ("c4", "read", 50), ("c5", "read", 90)];
    let calls = message.map(|(id, name, ms)| ToolCall::new(id, name).with_arguments(json!({"ms": ms})));
    println!("a column is 10 ms\n");
    let options = BatchOptions::new().on_commit(move |at, result| {
        println!("   committed c{} at {:>3} ms: {}", at + 1, start.elapsed().as_millis(), result.text());
    });
    let results = registry.execute_batch(calls, options).await;
    let texts: Vec<_> = results.iter().map(|r| r.text()).collect();
    let in_order = ["read took 120 ms", "read took 60 ms", "write took 80 ms", "read took 50 ms", "read took 90 ms"];
    assert_eq!(texts, in_order);
    let (took, apart) = (start.elapsed().as_millis(), 120 + 60 + 80 + 50 + 90);
    println!("\n{took} ms together, {apart} ms one after the other");
    assert!(took < apart);
    Ok(())
}
