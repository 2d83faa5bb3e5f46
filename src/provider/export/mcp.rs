//! Model Context Protocol: one tool of a `tools/list`. <https://modelcontextprotocol.io/specification>

use serde_json::{Map, Value, json};

use super::report::{LossKind, Losses};
use crate::ToolInfo;

/// Schemas go out as their authors wrote them.
pub(super) fn tool(info: &ToolInfo, losses: &mut Losses) -> Value {
    let mut out = Map::from_iter([("name".to_owned(), json!(info.name()))]);
    if !info.schema().description().is_empty() {
        out.insert("description".to_owned(), json!(info.schema().description()));
    }
    let mut input = match info.schema().parameters() {
        Value::Object(map) => map.clone(),
        _ => Map::new(),
    };
    // Arguments are an object whatever the schema says, and here it has to say so.
    input.insert("type".to_owned(), json!("object"));
    out.insert("inputSchema".to_owned(), Value::Object(input));
    let output = info.output_schema();
    if output.get("type") == Some(&json!("object")) {
        out.insert("outputSchema".to_owned(), output.clone());
    } else if output.as_object().is_none_or(|map| !map.is_empty()) {
        let help = "structured output is an object in MCP, and this tool's is not declared as one";
        losses.add("", "outputSchema", LossKind::Dropped, help);
    }
    let hints = info.annotations();
    let annotations = json!({
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    });
    out.insert("annotations".to_owned(), annotations);
    Value::Object(out)
}
