//! Bodies over Rust types.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate::{OutputSpec, ToolCall, ToolContext, ToolError, ToolRegistry, tool};

use crate::support::paused;

#[derive(Deserialize)]
struct Add {
    a: u8,
    b: u8,
}

#[derive(Serialize)]
struct Sum {
    sum: u16,
}

fn registry() -> ToolRegistry {
    let registry = ToolRegistry::new();
    let add = tool("add")
        .parameters(json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "integer"}}}))
        .output(OutputSpec::json(json!({"type": "object", "required": ["sum"]})))
        .handler(|_: ToolContext, add: Add| async move {
            Ok::<_, ToolError>(Sum { sum: u16::from(add.a) + u16::from(add.b) })
        });
    registry.register(add).expect("good");
    registry
}

#[test]
fn arguments_and_output_are_rust_types() {
    let call = ToolCall::from_model("c", "add", r#"{"a": 200, "b": 100}"#);
    let (result, _) = paused(registry().execute(call));
    assert_eq!(result.value(), Some(&json!({"sum": 300})));
    assert_eq!(result.text(), r#"{"sum":300}"#);
}

#[test]
fn what_the_schema_lets_through_and_the_type_does_not_is_invalid_with_its_pointer() {
    let call = ToolCall::from_model("c", "add", r#"{"a": 1, "b": {"c": 1}}"#);
    let (result, _) = paused(registry().execute(call));
    let failure = result.error().expect("invalid");
    assert_eq!(failure.code, "INVALID_ARGS");
    assert_eq!(failure.effects, toolgate::Effects::None, "the handler was not entered");
    assert!(failure.message.starts_with("invalid arguments: /b: "), "{}", failure.message);
}

#[cfg(feature = "schemars")]
#[test]
fn parameters_come_from_the_type() {
    #[derive(Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Read {
        /// Where it is.
        path: String,
        /// The first line to read.
        offset: Option<u32>,
    }

    let registry = ToolRegistry::new();
    let read =
        tool("read").parameters_of::<Read>().output(OutputSpec::of::<Vec<String>>()).body(|_| async { Ok(json!([])) });
    registry.register(read).expect("good");
    let schemas = registry.schemas();
    let parameters = schemas[0].parameters();
    assert_eq!(parameters["properties"]["path"]["description"], "Where it is.");
    assert_eq!(parameters["required"], json!(["path"]));
    let names: Vec<_> = parameters["properties"].as_object().expect("an object").keys().collect();
    assert_eq!(names, ["path", "offset"], "in the author's order");
}
