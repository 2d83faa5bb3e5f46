//! Anthropic Messages and Bedrock Converse: one message of the user, with the results first.

use serde_json::{Value, json};

use crate::provider::turn::answer::{
    media::{COMMON_IMAGES, image, told},
    reply::Reply,
};

pub(crate) fn anthropic(replies: &[Reply<'_>]) -> Value {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let mut content: Vec<Value> = Vec::with_capacity(replies.len());
    for reply in replies {
        let blocks = reply.blocks.iter().map(|block| match image(block, &COMMON_IMAGES) {
            Some((data, mime_type)) => {
                let source = json!({ "type": "base64", "media_type": mime_type, "data": data });
                json!({ "type": "image", "source": source })
            }
            None => text(&told(block)),
        });
        let blocks: Vec<Value> = blocks.collect();
        let mut result = json!({ "type": "tool_result", "tool_use_id": reply.call.id, "content": blocks });
        if reply.failed {
            result["is_error"] = json!(true);
        }
        content.push(result);
    }
    content.extend(replies.iter().flat_map(Reply::contexts).map(|context| text(&context)));
    json!({ "role": "user", "content": content })
}

pub(crate) fn bedrock(replies: &[Reply<'_>]) -> Value {
    let mut content: Vec<Value> = Vec::with_capacity(replies.len());
    for reply in replies {
        let blocks = reply.blocks.iter().map(|block| match (image(block, &COMMON_IMAGES), reply.value) {
            (Some((data, mime_type)), _) => {
                let format = mime_type.trim_start_matches("image/");
                json!({ "image": { "format": format, "source": { "bytes": data } } })
            }
            // The one text that shows the value.
            (None, Some(value)) if value.is_object() && block.as_text().is_some() => json!({ "json": value }),
            (None, _) => json!({ "text": told(block) }),
        });
        let blocks: Vec<Value> = blocks.collect();
        let status = if reply.failed { "error" } else { "success" };
        content.push(json!({ "toolResult": { "toolUseId": reply.call.id, "status": status, "content": blocks } }));
    }
    content.extend(replies.iter().flat_map(Reply::contexts).map(|context| json!({ "text": context })));
    json!({ "role": "user", "content": content })
}
