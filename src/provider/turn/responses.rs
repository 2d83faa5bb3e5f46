//! Responses: a list of items, some of which are calls; arguments as text.

use serde_json::{Value, json};

use crate::provider::{
    Format, TurnError,
    turn::{
        input::Input,
        raw::{Kind, Patch, Raw, RawCall, id_of, no_message, not_a_turn, text_of},
    },
};

const FORMAT: Format = Format::OpenAiResponses;

/// Calls that the provider answers itself.
const HOSTED: [&str; 6] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "tool_search_call",
];

pub(crate) fn read(body: &Value) -> Result<Raw, TurnError> {
    let nothing = || no_message(FORMAT, body, "expected `output`, a list of items or one item");
    let body = body.get("response").filter(|response| response.is_object()).unwrap_or(body);
    let items = match (body, body.get("output")) {
        (Value::Array(items), _) => items.clone(),
        (_, Some(Value::Array(output))) if !body["type"].is_string() => output.clone(),
        (Value::Object(_), _) if body["type"].is_string() => vec![body.clone()],
        _ => return Err(nothing()),
    };
    let (mut text, mut calls, mut refused) = (String::new(), Vec::new(), false);
    for (at, item) in items.iter().enumerate() {
        let Some(kind) = item.get("type").and_then(Value::as_str).or_else(|| item.get("role").map(|_| "message"))
        else {
            return Err(not_a_turn(FORMAT, format!("item {at} has no `type`")));
        };
        if kind == "message" {
            let parts = item["content"].as_array().map(Vec::as_slice).unwrap_or_default();
            for part in parts {
                match part["type"].as_str() {
                    Some("output_text") => text.push_str(part["text"].as_str().unwrap_or_default()),
                    Some("refusal") => {
                        text.push_str(part["refusal"].as_str().unwrap_or_default());
                        refused = true;
                    }
                    _ => {}
                }
            }
        } else if let Some(call) = read_call(at, kind, item) {
            calls.push(call);
        }
    }
    let stopped = match body.get("status").and_then(Value::as_str) {
        Some(status @ ("incomplete" | "failed" | "cancelled")) if body.get("output").is_some() => {
            Some(body["incomplete_details"]["reason"].as_str().unwrap_or(status).to_owned())
        }
        _ => refused.then(|| "refusal".to_owned()),
    };
    if items.is_empty() && body.get("error").is_some_and(|error| !error.is_null()) {
        return Err(nothing());
    }
    Ok(Raw { message: Value::Array(items), text, calls, stopped })
}

/// The call that an item is, if it is one that waits for an answer.
fn read_call(at: usize, item_type: &str, item: &Value) -> Option<RawCall> {
    let id = item.get("call_id");
    let foreign = |kind, id, name: &str, input| {
        let input = Input::foreign(item.get(input));
        RawCall { at, id: id_of(id), name: name.to_owned(), input, kind, cut: false }
    };
    let mut call = match item_type {
        "function_call" => RawCall::function(at, id, item.get("name"), item.get("arguments")),
        "custom_tool_call" => foreign(Kind::Custom, id, &text_of(item.get("name")), "input"),
        "shell_call" => foreign(Kind::Shell, id, "shell", "action"),
        "local_shell_call" => foreign(Kind::LocalShell, id, "local_shell", "action"),
        "apply_patch_call" => foreign(Kind::Patch, id, "apply_patch", "operation"),
        "computer_call" => foreign(Kind::Computer, id, "computer", "action"),
        "tool_search_call" if item["execution"] == "client" => foreign(Kind::Search, id, "tool_search", "arguments"),
        "mcp_approval_request" => foreign(Kind::Approval, item.get("id"), &text_of(item.get("name")), "arguments"),
        // Others are answered if they say by what id.
        other if other.ends_with("_call") && !HOSTED.contains(&other) && id_of(id).is_some() => {
            let name = item.get("name").and_then(Value::as_str).unwrap_or(other.trim_end_matches("_call"));
            foreign(Kind::Unknown, id, name, "input")
        }
        _ => return None,
    };
    call.cut = matches!(item["status"].as_str(), Some("incomplete" | "in_progress"));
    Some(call)
}

pub(crate) fn patch(message: &mut Value, patch: &Patch<'_>) {
    let item = &mut message[patch.at];
    if let Some(id) = patch.id {
        item[if patch.kind == Kind::Approval { "id" } else { "call_id" }] = json!(id);
    }
    match patch.kind {
        Kind::Function => {
            item["name"] = json!(patch.name);
            item["arguments"] = json!(patch.input.text());
        }
        Kind::Custom => item["name"] = json!(patch.name),
        _ => {}
    }
}
