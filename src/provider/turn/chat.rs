//! Chat Completions: `tool_calls` of a message, arguments as text.

use serde_json::{Map, Value, json};

use crate::provider::{
    Format, TurnError,
    turn::{
        input::Input,
        raw::{Kind, Patch, Raw, RawCall, id_of, no_message, not_a_turn, text_of},
    },
};

/// Reasons to stop at which the last call may be a piece of one.
const CUT_SHORT: [&str; 7] =
    ["length", "max_tokens", "model_length", "content_filter", "insufficient_system_resource", "error", "abort"];

/// Of several choices the first: one conversation goes on with one message.
pub(crate) fn read(format: Format, body: &Value) -> Result<Raw, TurnError> {
    let nothing = || no_message(format, body, "expected `choices`, `message` or the message itself");
    let is_message = |m: &Value| ["role", "content", "tool_calls", "function_call"].iter().any(|k| m.get(k).is_some());
    let choice = match body.get("choices").and_then(Value::as_array) {
        // A message may have any further members, and those of a response among them.
        _ if is_message(body) => body,
        Some(choices) => choices.first().ok_or_else(nothing)?,
        None => body,
    };
    let found = if is_message(choice) { Some(choice) } else { choice.get("message").filter(|m| is_message(m)) };
    let found = found.and_then(Value::as_object);
    let mut message = found.ok_or_else(nothing)?.clone();
    // A member that is null says nothing, and some servers refuse it.
    message.retain(|name, value| name == "content" || !value.is_null());
    message.insert("role".to_owned(), json!("assistant"));
    let calls = calls(format, &mut message)?;
    if calls.is_empty() && message.get("content").is_none_or(Value::is_null) {
        // Without calls there has to be a content.
        message.insert("content".to_owned(), json!(""));
    }
    let stopped = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| CUT_SHORT.contains(reason));
    let (mut text, mut stopped) = (text(message.get("content")), stopped.map(str::to_owned));
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|refusal| !refusal.is_empty()) {
        text.push_str(refusal);
        stopped.get_or_insert_with(|| "refusal".to_owned());
    }
    Ok(Raw { message: Value::Object(message), text, calls, stopped })
}

fn calls(format: Format, message: &mut Map<String, Value>) -> Result<Vec<RawCall>, TurnError> {
    let calls = match message.get("tool_calls") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(calls)) => {
            calls.iter().enumerate().map(|(at, call)| read_call(format, at, call)).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(not_a_turn(format, "`tool_calls` is no list")),
    };
    if calls.is_empty() {
        // An empty list is refused when it comes back.
        message.shift_remove("tool_calls");
        if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
            let call = RawCall::function(0, None, call.get("name"), call.get("arguments"));
            return Ok(vec![RawCall { kind: Kind::Legacy, ..call }]);
        }
    }
    message.shift_remove("function_call");
    Ok(calls)
}

fn read_call(format: Format, at: usize, call: &Value) -> Result<RawCall, TurnError> {
    if !call.is_object() {
        return Err(not_a_turn(format, format!("`tool_calls[{at}]` is no object")));
    }
    let (id, custom) = (call.get("id"), call.get("custom"));
    let named = call.get("type").and_then(Value::as_str);
    Ok(match named.unwrap_or(if custom.is_some() { "custom" } else { "function" }) {
        "function" => {
            let function = call.get("function").filter(|f| f.is_object()).unwrap_or(call);
            RawCall::function(at, id, function.get("name"), function.get("arguments"))
        }
        "custom" => {
            let of = |member| custom.and_then(|custom| custom.get(member));
            let (name, input) = (text_of(of("name")), Input::foreign(of("input")));
            RawCall { at, id: id_of(id), name, input, kind: Kind::Custom, cut: false }
        }
        other => {
            let name = call.get(other).and_then(|inner| inner.get("name")).and_then(Value::as_str).unwrap_or(other);
            let input = Input::foreign(call.get(other));
            RawCall { at, id: id_of(id), name: name.to_owned(), input, kind: Kind::Unknown, cut: false }
        }
    })
}

fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str()).collect()
        }
        _ => String::new(),
    }
}

/// The member `name` of `value` as an object, made one if it is none.
pub(crate) fn object_in<'v>(value: &'v mut Value, name: &str) -> &'v mut Value {
    let member = &mut value[name];
    if !member.is_object() {
        *member = json!({});
    }
    member
}

pub(crate) fn patch(message: &mut Value, patch: &Patch<'_>) {
    if patch.kind == Kind::Legacy {
        message["function_call"] = json!({ "name": patch.name, "arguments": patch.input.text() });
        return;
    }
    let call = &mut message["tool_calls"][patch.at];
    if let Some(id) = patch.id {
        call["id"] = json!(id);
    }
    match patch.kind {
        Kind::Function => {
            call["type"] = json!("function");
            let function = object_in(call, "function");
            function["name"] = json!(patch.name);
            function["arguments"] = json!(patch.input.text());
        }
        Kind::Custom => {
            call["type"] = json!("custom");
            let input = Value::String(match patch.input {
                Input::Foreign(text) => text.clone(),
                other => other.text(),
            });
            *object_in(call, "custom") = json!({ "name": patch.name, "input": input });
        }
        _ => {}
    }
}
