//! Tool lists and calls of published MCP servers.

use std::fs;

use serde_json::{Value, json};
use toolgate::{ToolCall, ToolRegistry, provider::McpTools};

use super::{folder, read, run, verdict};

/// File and contents of every server's capture.
pub(super) fn servers() -> Vec<(String, Value)> {
    let folder = folder("mcp");
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    let json = files.iter().filter(|p| p.extension().is_some_and(|e| e == "json"));
    json.map(|p| (p.display().to_string(), serde_json::from_str(&read(p)).expect("JSON")))
        .filter(|(_, capture): &(String, Value)| capture.get("tools_list").is_some())
        .collect()
}

fn listed(capture: &Value) -> McpTools {
    let mut all = McpTools::default();
    for page in capture["tools_list"].as_array().expect("pages") {
        all.extend(McpTools::read(&page["response"]));
    }
    all
}

/// A registry of a server's tools, whose bodies answer as the capture says: by the call's id.
pub(super) fn registry(capture: &Value) -> ToolRegistry {
    let registry = ToolRegistry::new();
    for tool in listed(capture).tools() {
        let calls = capture["calls"].clone();
        let definition = tool.definition().body(move |cx| {
            let index: usize = cx.call_id().parse().expect("an index");
            let answer = calls[index]["response"]["result"]["structuredContent"].clone();
            async move { Ok(answer) }
        });
        registry.register(definition).unwrap_or_else(|e| panic!("{e}"));
    }
    registry
}

#[test]
fn every_tool_of_every_server_is_imported_as_it_is_listed() {
    let servers = servers();
    assert_eq!(servers.len(), 14);
    let mut tools = 0;
    for (file, capture) in &servers {
        let listed = listed(capture);
        assert_eq!(listed.problems(), [], "{file}");
        let registry = registry(capture);
        let entries = capture["tools_list"].as_array().expect("pages").iter();
        let entries: Vec<_> =
            entries.flat_map(|p| p["response"]["result"]["tools"].as_array().expect("tools")).collect();
        let infos = registry.tools();
        assert_eq!((infos.len(), listed.tools().len()), (entries.len(), entries.len()), "{file}");
        for ((info, entry), tool) in infos.iter().zip(entries).zip(listed.tools()) {
            tools += 1;
            assert_eq!(json!(info.name()), entry["name"], "{file}");
            assert_eq!(info.schema().parameters(), &entry["inputSchema"], "{file}");
            assert_eq!(info.output_schema(), entry.get("outputSchema").unwrap_or(&json!({})), "{file}");
            assert_eq!(info.annotations(), toolgate::Annotations::default(), "hints are not taken by themselves");
            assert_eq!(tool.annotations().read_only, entry["annotations"]["readOnlyHint"] == json!(true));
        }
    }
    assert_eq!(tools, 158);
}

/// What the servers accepted is valid, but where a server takes more than it publishes.
#[test]
fn structured_answers_fit_the_schemas_that_their_servers_publish() {
    let (mut answered, mut refused) = (0, 0);
    for (file, capture) in &servers() {
        let registry = registry(capture);
        for (i, call) in capture["calls"].as_array().into_iter().flatten().enumerate() {
            let (params, result) = (&call["request"]["params"], &call["response"]["result"]);
            let name = params["name"].as_str().unwrap_or_default();
            let known = registry.schemas().iter().any(|s| s.name() == name);
            if !known || result.get("structuredContent").is_none() || result["isError"] == json!(true) {
                continue;
            }
            let made = ToolCall::new(i.to_string(), name).with_arguments(params["arguments"].clone());
            let got = run(&registry, made);
            if got.is_success() {
                answered += 1;
                assert_eq!(got.value(), Some(&result["structuredContent"]), "{file}#{i}");
            } else {
                refused += 1;
                assert!(!verdict(&got).0, "{file}#{i}: {}", got.text());
            }
        }
    }
    assert!(answered > 20, "{answered} answered, {refused} refused");
}

#[test]
fn o_40_one_bad_schema_costs_one_tool() {
    for bad in [
        json!({"name": "b", "inputSchema": {"type": "object"}, "outputSchema": {"$ref": "#/$defs/Missing"}}),
        json!({"name": "b", "inputSchema": {"$ref": "https://example.invalid/s.json"}}),
        json!({"name": "b", "inputSchema": {"type": "objekt"}}),
    ] {
        let good = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        let listed = McpTools::read(&json!({"result": {"tools": [good("a"), bad, good("c")]}}));
        let registry = ToolRegistry::new();
        let outcomes: Vec<_> = listed
            .tools()
            .iter()
            .map(|t| registry.register(t.definition().body(|_| async { Ok(json!("ran")) })).map(|_| ()))
            .collect();
        let names: Vec<_> = registry.schemas().iter().map(|s| s.name().to_owned()).collect();
        assert_eq!(names, ["a", "c"]);
        let error = outcomes[1].as_ref().expect_err("refused").to_string();
        assert!(error.starts_with("tool \"b\": "), "{error}");
        for name in names {
            assert!(run(&registry, ToolCall::new("0", name)).is_success());
        }
    }
}

#[test]
fn entries_that_are_no_tools_and_repeated_names_are_told_and_cost_nothing_else() {
    let tool = |name: &str, note: &str| json!({"name": name, "description": note});
    let mut listed = McpTools::read(&json!([tool("a", "first"), 7, {"name": 7}, tool("a", "second"), tool("b", "")]));
    listed.extend(McpTools::read(&json!({"tools": [tool("b", "again"), tool("c", "")]})));
    let names: Vec<_> = listed.tools().iter().map(toolgate::provider::McpTool::name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let problems: Vec<_> = listed.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "tool 1 of the listing: has no name",
            "tool 2 of the listing: has no name",
            "tool 3 of the listing: \"a\" is listed twice; the first one counts",
            "tool 5 of the listing: \"b\" is listed twice; the first one counts",
        ]
    );
    let deep = (0..130).fold(json!({}), |inner, _| json!({ "items": inner }));
    let listed = McpTools::read(&json!([{"name": "deep", "inputSchema": deep}, tool("a", "")]));
    assert_eq!((listed.tools().len(), listed.problems()[0].message()), (1, "is nested deeper than 128 levels"));
    assert_eq!(McpTools::read(&json!({"error": {"code": -32601}})).problems().len(), 1);
}
