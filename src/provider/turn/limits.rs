//! The bounds on what a provider sends.

use serde_json::Value;

/// Calls in one message. Providers stop at 128 where they say anything.
pub(crate) const MOST_CALLS: usize = 256;
/// Levels of nesting of a body or an event: what `serde_json` reads.
pub(crate) const MOST_LEVELS: usize = 128;
/// Bytes that a stream may leave behind once it is put together: four times the longest answer of any model in 2026.
pub(crate) const STREAM_BYTES: usize = 16 << 20;
/// What a value costs beside its text.
const NODE: usize = 64;

/// Whether `value` is nested deeper than `levels`. Recurses at most that far.
pub(crate) fn deeper_than(value: &Value, levels: usize) -> bool {
    let deeper = |v: &Value| (v.is_array() || v.is_object()) && deeper_than(v, levels - 1);
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => true,
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(map) => map.values().any(deeper),
        _ => false,
    }
}

/// About how many bytes a copy of `value` takes. Recurses as deep as the value is, which has been bounded before.
pub(crate) fn weight(value: &Value) -> usize {
    NODE + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => map.iter().map(|(key, item)| key.len() + weight(item)).sum(),
    }
}

/// At most `most` bytes from the start of `text`.
pub(crate) fn start_of(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
