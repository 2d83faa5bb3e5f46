//! Anthropic Messages and Bedrock Converse: content blocks, some of which are calls; arguments as an object.

use serde_json::{Value, json};

use crate::provider::{
    Format, TurnError,
    turn::raw::{Patch, Raw, RawCall, no_message, not_a_turn},
};

/// Reasons to stop at which the last call may be a piece of one.
const CUT_SHORT: [&str; 9] = [
    "max_tokens",
    "pause_turn",
    "model_context_window_exceeded",
    "refusal",
    "content_filtered",
    "guardrail_intervened",
    "malformed_tool_use",
    "malformed_model_output",
    "error",
];

pub(crate) fn read_anthropic(body: &Value) -> Result<Raw, TurnError> {
    let format = Format::Anthropic;
    let holder = if body.get("content").is_some() { body } else { &body["message"] };
    let content = holder.get("content");
    let nothing = || no_message(format, body, "expected `content`");
    let raw = read(format, content, |block| {
        (block["type"] == "tool_use").then(|| (block.get("id"), block.get("name"), block.get("input")))
    });
    Ok(stopped(raw?.ok_or_else(nothing)?, holder.get("stop_reason")))
}

pub(crate) fn read_bedrock(body: &Value) -> Result<Raw, TurnError> {
    let format = Format::Bedrock;
    let inside = body.get("output").unwrap_or(body);
    let holder = if inside.get("content").is_some() { inside } else { &inside["message"] };
    let nothing = || no_message(format, body, "expected `output.message`, `message` or `content`");
    let raw = read(format, holder.get("content"), |block| {
        let call = block.get("toolUse").filter(|call| call.is_object())?;
        Some((call.get("toolUseId"), call.get("name"), call.get("input")))
    });
    Ok(stopped(raw?.ok_or_else(nothing)?, body.get("stopReason")))
}

type Found<'v> = (Option<&'v Value>, Option<&'v Value>, Option<&'v Value>);

fn read(
    format: Format,
    content: Option<&Value>,
    call: impl Fn(&Value) -> Option<Found<'_>>,
) -> Result<Option<Raw>, TurnError> {
    let given = match content {
        Some(Value::String(text)) => &vec![text_block(format, text)],
        Some(Value::Array(blocks)) => blocks,
        _ => return Ok(None),
    };
    let (mut blocks, mut text, mut calls) = (Vec::with_capacity(given.len()), String::new(), Vec::new());
    for (i, block) in given.iter().enumerate() {
        if !block.is_object() {
            return Err(not_a_turn(format, format!("`content[{i}]` is no object")));
        }
        if let Some(said) = said(format, block) {
            if said.trim().is_empty() {
                // Models write such blocks, and are not allowed to have written them.
                continue;
            }
            text.push_str(said);
        }
        if let Some((id, name, input)) = call(block) {
            calls.push(RawCall::function(blocks.len(), id, name, input));
        }
        blocks.push(block.clone());
    }
    if blocks.is_empty() {
        blocks.push(text_block(format, "(nothing)"));
    }
    let message = json!({ "role": "assistant", "content": blocks });
    Ok(Some(Raw { message, text, calls, stopped: None }))
}

fn said(format: Format, block: &Value) -> Option<&str> {
    let is_text = format == Format::Bedrock || block["type"] == "text";
    block.get("text").filter(|_| is_text).and_then(Value::as_str)
}

fn text_block(format: Format, text: &str) -> Value {
    if format == Format::Bedrock { json!({ "text": text }) } else { json!({ "type": "text", "text": text }) }
}

fn stopped(mut raw: Raw, reason: Option<&Value>) -> Raw {
    let reason = reason.and_then(Value::as_str).filter(|reason| CUT_SHORT.contains(reason));
    raw.stopped = reason.map(str::to_owned);
    raw
}

pub(crate) fn patch(format: Format, message: &mut Value, patch: &Patch<'_>) {
    let block = &mut message["content"][patch.at];
    let (call, id_member) = match format {
        Format::Bedrock => (&mut block["toolUse"], "toolUseId"),
        _ => (block, "id"),
    };
    if let Some(id) = patch.id {
        call[id_member] = json!(id);
    }
    call["name"] = json!(patch.name);
    call["input"] = patch.input.object();
}
