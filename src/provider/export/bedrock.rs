//! Amazon Bedrock Converse. <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html>

use serde_json::{Map, Value, json};

/// A description, if there is one, must have a character at least: the name stands in for an empty one.
pub(super) fn tool(name: &str, description: &str, parameters: Map<String, Value>) -> Value {
    let description = if description.is_empty() { name } else { description };
    let schema = Value::Object(Map::from_iter([("json".to_owned(), Value::Object(parameters))]));
    json!({"toolSpec": {"name": name, "description": description, "inputSchema": schema}})
}
