//! Tools that answer with much and that take much.

#![allow(clippy::unused_async, reason = "bodies are async, though these have nothing to wait for")]

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate::{OutputSpec, ToolCall, ToolContext, ToolDefinition, ToolError, tool};

#[derive(Deserialize)]
pub(crate) struct Read {
    bytes: usize,
}

#[derive(Serialize)]
pub(crate) struct Text(String);

/// A text of its own for every call, as if it were read.
pub(crate) async fn read(args: Read) -> Result<Text, ToolError> {
    Ok(Text("x".repeat(args.bytes)))
}

pub(crate) fn read_parameters() -> Value {
    json!({"type": "object", "properties": {"bytes": {"type": "integer", "minimum": 0}}, "required": ["bytes"]})
}

pub(crate) fn read_output() -> Value {
    json!({"type": "string"})
}

pub(crate) fn read_definition() -> ToolDefinition {
    tool("read")
        .parameters(read_parameters())
        .output(OutputSpec::json(read_output()))
        .handler(|_cx: ToolContext, args: Read| read(args))
}

pub(crate) fn read_call(bytes: usize) -> ToolCall {
    ToolCall::new("call_1", "read").with_arguments(json!({ "bytes": bytes }))
}

#[derive(Deserialize)]
pub(crate) struct Put {
    lines: Vec<String>,
}

pub(crate) async fn put(args: Put) -> Result<usize, ToolError> {
    Ok(args.lines.iter().map(String::len).sum())
}

pub(crate) fn put_parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"lines": {"type": "array", "items": {"type": "string"}}},
        "required": ["lines"],
    })
}

pub(crate) fn put_output() -> Value {
    json!({"type": "integer"})
}

pub(crate) fn put_definition() -> ToolDefinition {
    tool("put")
        .parameters(put_parameters())
        .output(OutputSpec::json(put_output()))
        .handler(|_cx: ToolContext, args: Put| put(args))
}

/// 16 KiB in 128 lines.
pub(crate) fn put_arguments() -> Value {
    json!({ "lines": vec!["x".repeat(128); 128] })
}

pub(crate) fn put_call(arguments: Value) -> ToolCall {
    ToolCall::new("call_1", "put").with_arguments(arguments)
}
