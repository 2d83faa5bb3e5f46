//! Parts of a schema that have a name of their own, by which references may mean them.

use std::collections::HashMap;

use serde_json::Value;

/// What refers to something, or changes what references mean.
const MOVING: [&str; 7] =
    ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$ref", "$schema"];

/// Whether an identifier is the name of a file beside the schema and nothing more.
pub(super) fn is_plain_name(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    id.bytes().all(plain) && id.bytes().any(|b| b.is_ascii_alphanumeric())
}

/// Whether a part means the same wherever it lies: it refers to nothing, names nothing further in, and is in no dialect
/// of its own. The depth has been checked.
pub(super) fn is_self_contained(part: &Value) -> bool {
    fn moves(value: &Value, outermost: bool) -> bool {
        let by_itself = |key: &str| MOVING.contains(&key) || (key == "$id" && !outermost);
        match value {
            Value::Array(items) => items.iter().any(|item| moves(item, false)),
            Value::Object(map) => map.iter().any(|(key, item)| by_itself(key) || moves(item, false)),
            _ => false,
        }
    }
    !moves(part, true)
}

/// How many objects anywhere in a schema go by each name. The depth has been checked.
pub(super) fn names(schema: &Value) -> HashMap<&str, usize> {
    fn add<'a>(value: &'a Value, out: &mut HashMap<&'a str, usize>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| add(item, out)),
            Value::Object(map) => {
                if let Some(name) = map.get("$id").and_then(Value::as_str) {
                    *out.entry(name).or_default() += 1;
                }
                map.values().for_each(|item| add(item, out));
            }
            _ => {}
        }
    }
    let mut out = HashMap::new();
    add(schema, &mut out);
    out
}
