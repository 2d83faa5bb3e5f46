//! Responses: an item for each call, in the form of its kind.

use serde_json::{Value, json};

use crate::provider::turn::{
    answer::{
        media::{COMMON_IMAGES, data_url, image, told},
        reply::Reply,
    },
    raw::Kind,
};

/// A picture of one pixel, for who wants to see a screen that there is not.
const NO_SCREEN: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4//8/AAX+Av4zEpUUAAAAAElFTkSuQmCC";

pub(crate) fn items(replies: &[Reply<'_>]) -> Vec<Value> {
    let (mut out, mut after) = (Vec::with_capacity(replies.len() + 1), Vec::new());
    for reply in replies {
        out.push(item(reply, &mut after));
    }
    after.extend(replies.iter().flat_map(Reply::contexts));
    if !after.is_empty() {
        let parts: Vec<_> = after.iter().map(|text| part(text)).collect();
        out.push(json!({ "type": "message", "role": "user", "content": parts }));
    }
    out
}

fn item(reply: &Reply<'_>, after: &mut Vec<String>) -> Value {
    let (id, text) = (&reply.call.id, || format!("{}{}", reply.mark(), reply.text(told)));
    match reply.call.kind {
        Kind::Function | Kind::Legacy | Kind::Unknown => {
            json!({ "type": "function_call_output", "call_id": id, "output": output(reply) })
        }
        Kind::Custom => json!({ "type": "custom_tool_call_output", "call_id": id, "output": output(reply) }),
        Kind::Shell => {
            let (out, err) = if reply.failed { (String::new(), text()) } else { (text(), String::new()) };
            let outcome = json!({ "type": "exit", "exit_code": i32::from(reply.failed) });
            let output = json!([{ "stdout": out, "stderr": err, "outcome": outcome }]);
            json!({ "type": "shell_call_output", "call_id": id, "output": output })
        }
        Kind::LocalShell => json!({ "type": "local_shell_call_output", "id": id, "output": text() }),
        Kind::Patch => {
            let status = if reply.failed { "failed" } else { "completed" };
            json!({ "type": "apply_patch_call_output", "call_id": id, "status": status, "output": text() })
        }
        Kind::Search => {
            after.push(told_later(reply, &text()));
            json!({ "type": "tool_search_output", "call_id": id, "execution": "client", "status": "completed", "tools": [] })
        }
        Kind::Computer => {
            after.push(told_later(reply, &text()));
            let output = json!({ "type": "computer_screenshot", "image_url": NO_SCREEN });
            json!({ "type": "computer_call_output", "call_id": id, "output": output })
        }
        // A result says nothing about whether somebody approves.
        Kind::Approval => {
            json!({ "type": "mcp_approval_response", "approval_request_id": id, "approve": false, "reason": text() })
        }
    }
}

fn told_later(reply: &Reply<'_>, text: &str) -> String {
    format!("[call {} ({})]\n{text}", reply.call.id, reply.call.name)
}

fn output(reply: &Reply<'_>) -> Value {
    if !reply.blocks.iter().any(|block| image(block, &COMMON_IMAGES).is_some()) {
        return Value::String(format!("{}{}", reply.mark(), reply.text(told)));
    }
    let mut parts: Vec<Value> = Vec::with_capacity(reply.blocks.len() + 1);
    if !reply.mark().is_empty() {
        parts.push(part("Error:"));
    }
    parts.extend(reply.blocks.iter().map(|block| match image(block, &COMMON_IMAGES) {
        Some((data, mime_type)) => json!({ "type": "input_image", "image_url": data_url(data, mime_type) }),
        None => part(&told(block)),
    }));
    Value::Array(parts)
}

fn part(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}
