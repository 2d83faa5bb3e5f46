//! Chat Completions: a message for each call, then one from the user with what such a message has no place for.

use serde_json::{Value, json};

use crate::provider::{
    Format,
    turn::{
        answer::{
            media::{COMMON_IMAGES, data_url, image, told},
            reply::Reply,
        },
        raw::Kind,
    },
};

pub(crate) fn messages(format: Format, replies: &[Reply<'_>]) -> Vec<Value> {
    let (mut out, mut images, mut contexts) = (Vec::with_capacity(replies.len() + 1), Vec::new(), Vec::new());
    let types: &[&str] = if format == Format::DeepSeek { &[] } else { &COMMON_IMAGES };
    for reply in replies {
        let (id, name) = (&reply.call.id, &reply.call.name);
        let mut shown = 0;
        let text = reply.text(|block| {
            let Some((data, mime_type)) = image(block, types) else { return told(block) };
            shown += 1;
            images.push(part(&format!("[image {shown} of call {id} ({name})]")));
            images.push(json!({ "type": "image_url", "image_url": { "url": data_url(data, mime_type) } }));
            format!("[image {shown} of call {id} follows the results]")
        });
        let content = format!("{}{text}", reply.mark());
        out.push(match reply.call.kind {
            Kind::Legacy => json!({ "role": "function", "name": name, "content": content }),
            _ => json!({ "role": "tool", "tool_call_id": id, "content": content }),
        });
        contexts.extend(reply.contexts());
    }
    // Nothing may stand between the results of one message.
    if !images.is_empty() {
        images.extend(contexts.iter().map(|text| part(text)));
        out.push(json!({ "role": "user", "content": images }));
    } else if !contexts.is_empty() {
        out.push(json!({ "role": "user", "content": contexts.join("\n\n") }));
    }
    out
}

fn part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
