//! Real tool lists, real calls and their verdicts by independent validators.
//!
//! `TOOLGATE_DATA_DIR` names another folder with the layout of `tests/data`.

mod bfcl;
mod corners;
#[cfg(feature = "providers")]
mod mcp;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use toolgate::{OutputSpec, RegisterError, ToolCall, ToolRegistry, ToolResult, tool};

fn folder(name: &str) -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::env::var_os("TOOLGATE_DATA_DIR").map_or_else(own, PathBuf::from).join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// One value a line.
fn lines(folder: &Path, file: &str) -> Vec<Value> {
    let text = read(&folder.join(file));
    let parse =
        |(i, line): (usize, &str)| serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}:{}: {e}", i + 1));
    text.lines().enumerate().map(parse).collect()
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no text at {pointer} of {value}"))
}

/// A registry with one tool `t` that answers with nothing.
fn registry_of(parameters: &Value) -> Result<ToolRegistry, RegisterError> {
    let registry = ToolRegistry::new();
    let one = tool("t").parameters(parameters.clone()).output(OutputSpec::any()).body(|_| async { Ok(json!(null)) });
    registry.register(one)?;
    Ok(registry)
}

/// Runs one call; nothing in it waits.
fn run(registry: &ToolRegistry, call: ToolCall) -> Arc<ToolResult> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(registry.execute(call))
}

/// Whether the arguments were found valid, and the distinct places of what is wrong with them, sorted.
fn verdict(result: &ToolResult) -> (bool, Vec<String>) {
    match result.outcome() {
        Ok(_) => (true, Vec::new()),
        Err(failure) => {
            assert_eq!(failure.code, "INVALID_ARGS", "{failure}");
            let violations = failure.details.as_ref().and_then(|d| d["violations"].as_array());
            let mut at: Vec<_> = violations.into_iter().flatten().map(|v| text(v, "/pointer").to_owned()).collect();
            at.sort_unstable();
            at.dedup();
            (false, at)
        }
    }
}
