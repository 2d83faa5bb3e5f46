//! Writes the histories of these tests to a file, for a checker that knows the providers' own types.

use std::{fs, path::PathBuf};

use serde_json::{Map, Value, json};
use toolgate::{BatchOptions, provider::Format};

use super::{bodies::body, read, world};

/// `{"results": {format: messages}}`, in `TOOLGATE_RESULTS_FILE` or in `provider_results.json` of the build's own folder
/// for such files.
#[test]
fn the_histories_are_written_for_a_checker() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = std::env::var_os("TOOLGATE_RESULTS_FILE").map_or(folder.join("provider_results.json"), PathBuf::from);
    let document = json!({ "results": document() });
    let text = serde_json::to_string_pretty(&document).expect("plain JSON");
    fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a folder can be made");
    fs::write(&file, text).expect("the file can be written");
    for format in ["openai_chat", "openai_responses", "anthropic", "gemini", "mcp"] {
        assert!(document["results"][format].as_array().is_some_and(|messages| messages.len() > 2), "{format}");
    }
}

fn document() -> Map<String, Value> {
    let wire = super::names().wire_name("fs.read").expect("in the table").to_owned();
    let read_a = (wire.as_str(), r#"{"path": "a"}"#);
    // Each list is one message; the second has no ids to speak of, the third nothing that can be read.
    let turns = [
        vec![("c1", read_a), ("c2", ("photo", "{}")), ("c3", ("weather", "{}")), ("c4", ("list", "{}"))],
        vec![("", read_a), ("", read_a)],
        vec![
            ("d1", ("broken", "{}")),
            ("d2", ("purge", "{,}")),
            ("d3", ("no such.tool", "[1]")),
            ("d4", ("record", "{}")),
        ],
        vec![("e1", ("silent", "")), ("e2", ("note", "null")), ("e3", ("photo", "{}"))],
    ];
    let mut out = Map::new();
    for format in Format::ALL {
        let mut messages = Vec::new();
        for turn in &turns {
            let calls: Vec<_> = turn.iter().map(|(id, (name, text))| (*id, *name, *text)).collect();
            let turn = read(*format, &body(*format, &calls));
            let batch = turn.calls().to_vec();
            let results = super::block_on(async { world::registry().execute_batch(batch, BatchOptions::new()).await });
            // The last result of every message is lost.
            messages.extend(turn.exchange(&results[..results.len() - 1]));
        }
        if let Some(body) = other_kinds(*format) {
            messages.extend(read(*format, &body).exchange(&[]));
        }
        let key = if *format == Format::GeminiJsonSchema { "gemini" } else { format.as_str() };
        out.insert(key.to_owned(), Value::Array(messages));
    }
    out
}

/// Calls of other kinds than functions, where a format has them.
fn other_kinds(format: Format) -> Option<Value> {
    let custom = json!({"id": "k1", "type": "custom", "custom": {"name": "purge", "input": "x"}});
    match format {
        Format::OpenAiChat => Some(json!({"role": "assistant", "content": null, "tool_calls": [custom]})),
        Format::OpenAiResponses => Some(json!([
            {"type": "custom_tool_call", "call_id": "k1", "name": "purge", "input": "x"},
            {"type": "shell_call", "call_id": "k2", "action": {"commands": ["ls"]}},
            {"type": "apply_patch_call", "call_id": "k3", "status": "completed", "operation": {"type": "delete_file", "path": "a"}},
            {"type": "tool_search_call", "call_id": "k4", "execution": "client", "arguments": {}},
            {"type": "mcp_approval_request", "id": "k5", "name": "purge", "arguments": "{}", "server_label": "s"},
            {"type": "computer_call", "id": "i6", "call_id": "k6", "status": "completed", "pending_safety_checks": [],
                "action": {"type": "screenshot"}},
            {"type": "local_shell_call", "id": "i7", "call_id": "k7", "status": "completed",
                "action": {"type": "exec", "command": ["ls"], "env": {}}},
        ])),
        _ => None,
    }
}
