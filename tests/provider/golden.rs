//! `DeepSeek` and Bedrock have no typed package to check against: what goes out for a few tools is kept in files that were read
//! line by line. `TOOLGATE_BLESS=1 cargo test --test provider golden` writes them anew; read what changed then.

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use toolgate::{
    ToolInfo,
    provider::{Exporter, Format, Strict},
};

use super::support::info;

fn tools() -> Vec<ToolInfo> {
    vec![
        info("clock.now", json!({"type": "object"})),
        info(
            "search",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {
                    "query": {"type": "string", "minLength": 1, "description": "What to look for"},
                    "kind": {"enum": ["note", "task"]},
                    "since": {"type": "string", "format": "date-time"},
                    "from": {"type": "string", "format": "email"},
                    "limit": {"type": "integer", "minimum": 1, "default": 10},
                    "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                },
                "required": ["query"],
                "additionalProperties": false,
            }),
        ),
        info(
            "outline",
            json!({
                "type": "object",
                "properties": {"root": {"allOf": [{"$ref": "#/$defs/node"}], "description": "The top"}},
                "required": ["root"],
                "$defs": {"node": {
                    "type": "object",
                    "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                    "required": ["label", "children"],
                }},
            }),
        ),
        info(
            "labels",
            json!({"type": "object", "properties": {"labels": {"type": "object", "additionalProperties": {"type": "string"}}, "bare": {"type": "array"}}}),
        ),
        info(
            "find",
            json!({
                "type": "object",
                "oneOf": [
                    {"properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": false},
                    {"properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false},
                ],
            }),
        ),
    ]
}

fn check(name: &str, exporter: Exporter) {
    let export = exporter.export(&tools());
    let document = json!({"tools": export.tools(), "reports": export.reports()});
    let text = format!("{document:#}\n");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/provider/golden").join(name);
    if env::var_os("TOOLGATE_BLESS").is_some() {
        fs::write(&path, &text).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let kept: Value = serde_json::from_str(&kept).unwrap_or_default();
    // As text: the order counts.
    assert_eq!(format!("{kept:#}\n"), text, "{}", path.display());
}

#[test]
fn deepseek() {
    check("deepseek.json", Exporter::new(Format::DeepSeek));
}

#[test]
fn deepseek_strict() {
    check("deepseek_strict.json", Exporter::new(Format::DeepSeek).strict(Strict::WherePossible));
}

#[test]
fn bedrock() {
    check("bedrock.json", Exporter::new(Format::Bedrock));
}
