//! Gemini: one content with a response for each call, then what a response has no place for.

use serde_json::{Value, json};

use crate::{
    ContentBlock,
    provider::turn::answer::{
        media::{image, is_base64, told},
        reply::Reply,
    },
};

const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const SOUNDS: [&str; 6] = ["audio/wav", "audio/mp3", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"];

pub(crate) fn content(replies: &[Reply<'_>]) -> Value {
    let (mut parts, mut media) = (Vec::with_capacity(replies.len()), Vec::new());
    for reply in replies {
        let (id, name) = (&reply.call.id, &reply.call.name);
        // Without ids in the history a label has none to name.
        let label = if reply.call.stated { format!("call {id} ({name})") } else { format!("a call of {name}, {id}") };
        let mut shown = 0;
        let text = reply.text(|block| {
            let Some((data, mime_type)) = inline(block) else { return told(block) };
            shown += 1;
            media.push(json!({ "text": format!("[attachment {shown} of {label}]") }));
            media.push(json!({ "inlineData": { "mimeType": mime_type, "data": data } }));
            format!("[attachment {shown} of {label} follows the results]")
        });
        let response = match reply.value {
            _ if reply.failed => json!({ "error": text }),
            Some(value) if shown == 0 && !value.is_string() && reply.blocks.len() == 1 => json!({ "output": value }),
            _ => json!({ "output": text }),
        };
        let mut answer = json!({ "name": name, "response": response });
        if reply.call.stated {
            answer["id"] = json!(id);
        }
        parts.push(json!({ "functionResponse": answer }));
    }
    parts.extend(media);
    parts.extend(replies.iter().flat_map(Reply::contexts).map(|context| json!({ "text": context })));
    json!({ "role": "user", "parts": parts })
}

fn inline(block: &ContentBlock) -> Option<(&str, &str)> {
    match block {
        ContentBlock::Audio { data, mime_type } if SOUNDS.contains(&mime_type.as_str()) && is_base64(data) => {
            Some((data, mime_type))
        }
        other => image(other, &IMAGES),
    }
}
