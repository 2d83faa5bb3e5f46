//! MCP: tools as their authors wrote them.

use serde_json::json;
use toolgate::{
    Annotations, OutputSpec, ToolRegistry,
    provider::{Exporter, Format, Strict},
    tool,
};

use super::support::{export, losses};

#[test]
fn a_tool_goes_out_with_all_that_it_declares() {
    let registry = ToolRegistry::new();
    let parameters = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/A"}},
        "definitions": {"A": {"type": "string"}},
    });
    let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    registry
        .register(
            tool("files.read_all")
                .description("Reads")
                .parameters(parameters.clone())
                .output(OutputSpec::json(output.clone()))
                .annotations(Annotations::read_only().open_world(false))
                .body(|_cx| async { Ok(json!({"n": 1})) }),
        )
        .expect("a good tool");
    let export = Exporter::new(Format::Mcp).export(&registry.tools());
    let annotations =
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false});
    let expected = json!([{
        "name": "files.read_all", "description": "Reads", "inputSchema": parameters, "outputSchema": output,
        "annotations": annotations,
    }]);
    assert_eq!(export.to_json(), expected.to_string());
    assert_eq!(export.reports()[0].losses, []);
}

#[test]
fn output_that_is_no_object_is_left_out() {
    let export = export(Format::Mcp, Strict::Never, json!({}));
    assert_eq!(losses(&export.reports()[0]), ["dropped outputSchema at "]);
    assert_eq!(export.tools()[0]["inputSchema"], json!({"type": "object"}));
    assert!(export.tools()[0].get("outputSchema").is_none());
}
