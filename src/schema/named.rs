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

/// How many objects anywhere in a schema go by each name, in whatever spelling and wherever they lie: the compiler may
/// take more for subschemas than the graph does.
#[derive(Default)]
pub(super) struct Names<'a> {
    files: HashMap<&'a str, usize>,
    plain: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// The depth has been checked.
    pub(super) fn of(schema: &'a Value) -> Self {
        let mut names = Self::default();
        names.add(schema);
        names
    }

    /// How many go by an `$id` that is exactly this.
    pub(super) fn files(&self, id: &str) -> usize {
        self.files.get(id).copied().unwrap_or_default()
    }

    /// How many go by the name of an anchor.
    pub(super) fn plain(&self, name: &str) -> usize {
        self.plain.get(name).copied().unwrap_or_default()
    }

    fn add(&mut self, value: &'a Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(map) => {
                for (key, item) in map {
                    match (key.as_str(), item.as_str()) {
                        ("$anchor" | "$dynamicAnchor", Some(name)) => *self.plain.entry(name).or_default() += 1,
                        ("$id" | "id", Some(id)) => match id.strip_prefix('#') {
                            Some(name) => *self.plain.entry(name).or_default() += 1,
                            None => *self.files.entry(id).or_default() += 1,
                        },
                        _ => self.add(item),
                    }
                }
            }
            _ => {}
        }
    }
}
