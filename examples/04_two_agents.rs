//! Two agents share one registry, each seeing and doing only what it may.
//!
//! The writer has every tool. The reader hangs under it: it inherits what the writer sees, but for what writes, and
//! whatever holds for the writer holds for it too.
//!
//! `cargo run --example 04_two_agents`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use serde_json::json;
use toolgate::{
    GuardVerdict, OutputSpec, RegisterError, Restriction, Scope, ToolCall, ToolDefinition, ToolRegistry, guard_fn, tool,
};

fn pretend(name: &'static str, description: &'static str) -> ToolDefinition {
    tool(name)
        .description(description)
        .parameters(json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}))
        .output(OutputSpec::text())
        .body(move |cx| async move { Ok(json!(format!("{name} of {}", cx.arguments()["path"]))) })
}

fn agents(registry: &ToolRegistry) -> Result<(Scope, Scope), RegisterError> {
    registry.register(pretend("read", "Reads a file"))?;
    registry.register(pretend("write", "Writes a file"))?;
    let writer = registry.scope("writer");
    writer.guard(guard_fn("stay-home", |cx| match cx.arguments()["path"].as_str() {
        Some(path) if path.starts_with('/') => GuardVerdict::deny("only paths below the project"),
        _ => GuardVerdict::Abstain,
    }))?;
    let reader = writer.child("reader")?;
    reader.restrict(Restriction::deny(["write"]))?;
    reader.register(pretend("summarize", "Sums up a file"))?;
    Ok((writer, reader))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = ToolRegistry::new();
    let (writer, reader) = agents(&registry)?;
    for scope in [&writer, &reader] {
        let names: Vec<_> = scope.schemas().iter().map(|s| s.name().to_owned()).collect();
        println!("{:<7} sees {}", scope.id().as_str(), names.join(", "));
    }
    let tries = [
        ("writer", "write", "notes.md", "ok"),
        ("reader", "read", "notes.md", "ok"),
        // What is not listed cannot run, and is not told from what does not exist.
        ("reader", "write", "notes.md", "UNKNOWN_TOOL"),
        ("writer", "summarize", "notes.md", "UNKNOWN_TOOL"),
        // The parent's guard holds for the child.
        ("reader", "read", "/etc/passwd", "GUARD_DENIED"),
    ];
    for (agent, name, path, wanted) in tries {
        let call = ToolCall::new("call", name).with_arguments(json!({"path": path})).with_agent(agent);
        let result = registry.execute(call).await;
        let code = result.code().map_or("ok", |code| code.as_str());
        println!("{agent:<7} {name} {path}: {code}: {}", result.text());
        assert_eq!(code, wanted);
    }
    writer.close();
    let call = ToolCall::new("call", "read").with_arguments(json!({"path": "notes.md"})).with_agent("reader");
    let result = registry.execute(call).await;
    assert_eq!(result.text(), "Error: unknown tool \"read\"");
    println!("the writer's scope is closed, and so is the reader's: {}", result.text());
    Ok(())
}
