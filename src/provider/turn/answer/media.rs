//! What is no text: what can be sent of it, and what to say of the rest.

use crate::ContentBlock;

/// Images that every provider with images takes.
pub(crate) const COMMON_IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Data and type of an image of one of `types`. A provider refuses the whole message for an image that it cannot read.
pub(crate) fn image<'b>(block: &'b ContentBlock, types: &[&str]) -> Option<(&'b str, &'b str)> {
    match block {
        ContentBlock::Image { data, mime_type } if types.contains(&mime_type.as_str()) && is_base64(data) => {
            Some((data, mime_type))
        }
        _ => None,
    }
}

pub(crate) fn data_url(data: &str, mime_type: &str) -> String {
    format!("data:{mime_type};base64,{data}")
}

pub(crate) fn is_base64(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    let known = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    !body.is_empty() && data.len().is_multiple_of(4) && data.len() - body.len() <= 2 && body.bytes().all(known)
}

/// What to say of a block that cannot be sent.
pub(crate) fn told(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::Image { data, mime_type } => format!("[image {mime_type}, {} bytes, not shown]", size(data)),
        ContentBlock::Audio { data, mime_type } => format!("[audio {mime_type}, {} bytes, not played]", size(data)),
        ContentBlock::ResourceLink { uri, name, mime_type } => {
            let of = mime_type.as_deref().map(|t| format!(", {t}")).unwrap_or_default();
            format!("[resource {name}{of}: {uri}]")
        }
    }
}

fn size(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}
