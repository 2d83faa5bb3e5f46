//! Tools out of files, registered so that they are checked.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate::{Annotations, OutputSpec, RegisterError, ToolInfo, ToolRegistry, tool};

/// What is known of one tool before it is registered.
struct Found {
    name: String,
    description: String,
    parameters: Value,
    output: Option<Value>,
    annotations: Annotations,
}

/// Registers a tool in a registry of its own: in one file, several may have the same name.
fn registered(found: &Found) -> Result<ToolInfo, RegisterError> {
    let registry = ToolRegistry::new();
    let output = found.output.clone().map_or_else(|| OutputSpec::json(json!({})), OutputSpec::json);
    registry.register(
        tool(found.name.as_str())
            .description(found.description.as_str())
            .parameters(found.parameters.clone())
            .output(output)
            .annotations(found.annotations)
            .body(|_cx| async { Ok(json!(null)) }),
    )?;
    Ok(registry.tools().remove(0))
}

/// The tools of a file, whichever kind it is.
pub(crate) fn tools(text: &str) -> Result<Vec<ToolInfo>, String> {
    let found = match serde_json::from_str::<Value>(text) {
        Ok(document) if !document["tool"].is_object() => listed(&document)?,
        _ => lines(text)?,
    };
    let mut out: Vec<ToolInfo> = Vec::new();
    let mut by_name: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    for (at, mut found) in found.into_iter().enumerate() {
        let content = json!([found.description, found.parameters]);
        if let Some((first, known)) = by_name.get(&found.name) {
            if *known == content {
                eprintln!("{:?} is there already, and the same", found.name);
                continue;
            }
            let new = format!("{}_no{}", found.name, at + 1);
            eprintln!("{:?} is also the name of number {}: it goes by {new:?}", found.name, first + 1);
            found.name = new;
        }
        match registered(&found) {
            Ok(info) => out.push(info),
            Err(error) => eprintln!("{:?} cannot be registered: {error}", found.name),
        }
        by_name.insert(found.name, (at, content));
    }
    Ok(out)
}

/// A list as MCP has it, or pages of it: by themselves, as results, or as whole responses.
fn listed(document: &Value) -> Result<Vec<Found>, String> {
    let pages = match document.get("tools_list").and_then(Value::as_array) {
        Some(pages) => pages.iter().collect(),
        None => vec![document],
    };
    let mut out = Vec::new();
    for page in pages {
        let places = ["/tools", "/result/tools", "/response/result/tools"];
        let tools = places.iter().find_map(|place| page.pointer(place)).and_then(Value::as_array);
        for tool in tools.ok_or("neither tools nor tools_list")? {
            let hint = |name: &str, default| tool["annotations"][name].as_bool().unwrap_or(default);
            let annotations =
                if hint("readOnlyHint", false) { Annotations::read_only() } else { Annotations::default() };
            out.push(Found {
                name: text(&tool["name"]),
                description: text(&tool["description"]),
                parameters: tool["inputSchema"].clone(),
                output: tool.get("outputSchema").cloned(),
                annotations: annotations
                    .idempotent(hint("idempotentHint", annotations.idempotent))
                    .destructive(hint("destructiveHint", annotations.destructive))
                    .open_world(hint("openWorldHint", annotations.open_world)),
            });
        }
    }
    Ok(out)
}

fn lines(text_of_file: &str) -> Result<Vec<Found>, String> {
    let mut out = Vec::new();
    for (at, line) in text_of_file.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Value = serde_json::from_str(line).map_err(|e| format!("line {}: {e}", at + 1))?;
        out.push(Found {
            name: text(&line["tool"]["name"]),
            description: text(&line["tool"]["description"]),
            parameters: line["normalized_parameters"].clone(),
            output: None,
            annotations: Annotations::default(),
        });
    }
    Ok(out)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A small list, with something in it that each format says otherwise.
pub(crate) fn some_tools() -> Result<Vec<ToolInfo>, RegisterError> {
    let registry = ToolRegistry::new();
    let node = json!({
        "type": "object",
        "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["label"],
        "additionalProperties": false,
    });
    let tools = [
        ("clock.now", "Tells the time", json!({"type": "object"})),
        (
            "search",
            "Searches notes",
            json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What to look for"},
                    "kind": {"enum": ["note", "task", null], "default": null},
                    "limit": {"type": "integer", "exclusiveMinimum": 0, "default": 10},
                },
                "required": ["query"],
            }),
        ),
        (
            "outline.save",
            "Saves an outline",
            json!({
                "type": "object",
                "properties": {"root": {"$ref": "#/$defs/node"}, "labels": {"additionalProperties": {"type": "string"}}},
                "required": ["root"],
                "$defs": {"node": node},
            }),
        ),
    ];
    for (name, description, parameters) in tools {
        let output = OutputSpec::json(json!({"type": "object", "properties": {"ok": {"type": "boolean"}}}));
        registry.register(
            tool(name)
                .description(description)
                .parameters(parameters)
                .output(output)
                .body(|_cx| async { Ok(json!({"ok": true})) }),
        )?;
    }
    Ok(registry.tools())
}
