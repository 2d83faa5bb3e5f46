//! Model Context Protocol: a `CallToolResult`, which has a place for everything.

use serde_json::{Value, json};

use crate::{ContentBlock, provider::turn::answer::reply::Reply};

pub(crate) fn result(reply: &Reply<'_>) -> Value {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let blocks = reply.blocks.iter().map(|block| match block.as_ref() {
        ContentBlock::Text { text: said } => text(said),
        ContentBlock::Image { data, mime_type } => json!({ "type": "image", "data": data, "mimeType": mime_type }),
        ContentBlock::Audio { data, mime_type } => json!({ "type": "audio", "data": data, "mimeType": mime_type }),
        ContentBlock::ResourceLink { uri, name, mime_type } => {
            let mut link = json!({ "type": "resource_link", "uri": uri, "name": name });
            if let Some(mime_type) = mime_type {
                link["mimeType"] = json!(mime_type);
            }
            link
        }
    });
    let mut content: Vec<Value> = blocks.collect();
    content.extend(reply.contexts().map(|context| text(&context)));
    let mut out = json!({ "content": content, "isError": reply.failed });
    if let Some(value) = reply.data.filter(|value| value.is_object()) {
        out["structuredContent"] = value.clone();
    }
    out
}
