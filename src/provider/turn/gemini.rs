//! Gemini: parts, some of which are calls; arguments as an object, ids where the API gives them.

use serde_json::{Value, json};

use crate::provider::{
    Format, TurnError,
    turn::{
        chat::object_in,
        raw::{Patch, Raw, RawCall, no_message, not_a_turn},
    },
};

pub(crate) fn read(format: Format, body: &Value) -> Result<Raw, TurnError> {
    let body = body.get("response").filter(|response| response.is_object()).unwrap_or(body);
    let nothing = || match body["promptFeedback"]["blockReason"].as_str() {
        Some(reason) => not_a_turn(format, format!("the prompt was blocked: {reason}")),
        None => no_message(format, body, "expected `candidates`, `content` or `parts`"),
    };
    let candidate = match body.get("candidates") {
        Some(candidates) => candidates.get(0).filter(|candidate| candidate.is_object()).ok_or_else(nothing)?,
        None if body.get("content").is_some() || body.get("parts").is_some() => body,
        None => return Err(nothing()),
    };
    let content = candidate.get("content").unwrap_or(candidate);
    let given = content.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (mut parts, mut text, mut calls) = (Vec::with_capacity(given.len()), String::new(), Vec::<RawCall>::new());
    let mut in_pieces = false;
    for (i, part) in given.iter().enumerate() {
        if !part.is_object() {
            return Err(not_a_turn(format, format!("part {i} is no object")));
        }
        if let Some(call) = part.get(member(part)).filter(|call| call.is_object()) {
            let pieces = call.get("partialArgs").is_some() || call["willContinue"] == true;
            if in_pieces && call.get("name").is_none() {
                // A further piece of a call whose arguments come in pieces.
                in_pieces = pieces;
                continue;
            }
            in_pieces = pieces;
            let arguments = call.get("args").or_else(|| call.get("partialArgs"));
            let found = RawCall::function(parts.len(), call.get("id"), call.get("name"), arguments);
            calls.push(RawCall { cut: pieces, ..found });
        } else if part["thought"] != true {
            text.push_str(part["text"].as_str().unwrap_or_default());
        }
        parts.push(part.clone());
    }
    if parts.is_empty() {
        parts.push(json!({ "text": "(nothing)" }));
    }
    let reason = candidate.get("finishReason").and_then(Value::as_str);
    let stopped = reason.filter(|reason| !matches!(*reason, "STOP" | "FINISH_REASON_UNSPECIFIED"));
    let message = json!({ "role": "model", "parts": parts });
    Ok(Raw { message, text, calls, stopped: stopped.map(str::to_owned) })
}

/// What a part calls its call: client libraries of Python write it with an underscore.
pub(crate) fn member(part: &Value) -> &'static str {
    if part.get("function_call").is_some() { "function_call" } else { "functionCall" }
}

pub(crate) fn patch(message: &mut Value, patch: &Patch<'_>) {
    let part = &mut message["parts"][patch.at];
    let member = member(part);
    let call = object_in(part, member);
    if let Some(id) = patch.id {
        call["id"] = json!(id);
    }
    call["name"] = json!(patch.name);
    call["args"] = patch.input.object();
    if let Some(call) = call.as_object_mut() {
        call.shift_remove("partialArgs");
        call.shift_remove("willContinue");
    }
}
