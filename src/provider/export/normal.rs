//! A tool's parameters in one dialect, with every reference in one form.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    dialect::Dialect,
    keywords::{Holds, escaped, holds, holds_in_any_draft},
};

/// A schema in draft 2020-12 without identifiers: what references mean is under `defs`, and they are of the form
/// `#/$defs/NAME` or `#`. A rewriting without loss.
#[derive(Debug)]
pub(super) struct Normal {
    pub(super) root: Map<String, Value>,
    /// By name, in the order in which references to them were met.
    pub(super) defs: Map<String, Value>,
    /// Where each definition stands in the tool's own parameters.
    pub(super) pointers: BTreeMap<String, String>,
}

impl Normal {
    pub(super) fn of(parameters: &Value) -> Self {
        let mut reader = Reader::new(parameters);
        let root = match reader.schema(parameters) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let mut defs = Map::new();
        let mut pointers = BTreeMap::new();
        let mut next = 0;
        while let Some((pointer, name)) = reader.found.get(next).cloned() {
            next += 1;
            let target = parameters.pointer(&pointer).unwrap_or(&Value::Bool(true));
            let schema = reader.schema(target);
            defs.insert(name.clone(), schema);
            pointers.insert(name, pointer);
        }
        Self { root, defs, pointers }
    }

    /// What a reference of the normal form means.
    pub(super) fn target(&self, name: Option<&str>) -> Option<Value> {
        match name {
            None => Some(Value::Object(self.root.clone())),
            Some(name) => self.defs.get(name).cloned(),
        }
    }

    /// Where it stands in the tool's own parameters.
    pub(super) fn pointer(&self, name: Option<&str>) -> String {
        name.and_then(|name| self.pointers.get(name)).cloned().unwrap_or_default()
    }
}

/// The name in a reference of the normal form; `None` for the root.
pub(super) fn name_in(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}

struct Reader<'a> {
    dialect: Dialect,
    own_id: Option<&'a str>,
    /// Pointers by anchor.
    anchors: BTreeMap<&'a str, String>,
    /// Pointers that references lead to, and their names, in the order in which they were met.
    found: Vec<(String, String)>,
    names: BTreeMap<String, String>,
    /// Names that are taken, and the number that the next one of the same name gets.
    taken: BTreeMap<String, usize>,
}

impl<'a> Reader<'a> {
    fn new(root: &'a Value) -> Self {
        let dialect = Dialect::of(root);
        let own_id = root.get(dialect.id()).and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let mut reader = Self {
            dialect,
            own_id: own_id.filter(|id| !id.is_empty()),
            anchors: BTreeMap::new(),
            found: Vec::new(),
            names: BTreeMap::new(),
            taken: BTreeMap::new(),
        };
        reader.find_anchors(root, &mut String::new());
        reader
    }

    /// In schemas alone: what stands within data names nothing.
    fn find_anchors(&mut self, schema: &'a Value, pointer: &mut String) {
        let Value::Object(map) = schema else { return };
        let words = ["$anchor", "$dynamicAnchor"].iter().filter_map(|k| map.get(*k)).filter_map(Value::as_str);
        let id = map.get(self.dialect.id()).and_then(Value::as_str).and_then(|id| id.strip_prefix('#'));
        for anchor in words.chain(id) {
            self.anchors.entry(anchor).or_insert_with(|| pointer.clone());
        }
        for (key, value) in map {
            let held = holds_in_any_draft(key);
            step(pointer, key, |pointer| match (held, value) {
                (Some(Holds::One | Holds::List), Value::Array(list)) => {
                    for (i, schema) in list.iter().enumerate() {
                        step(pointer, &i.to_string(), |pointer| self.find_anchors(schema, pointer));
                    }
                }
                (Some(Holds::One), schema) => self.find_anchors(schema, pointer),
                (Some(Holds::Named), Value::Object(named)) => {
                    for (name, schema) in named {
                        step(pointer, name, |pointer| self.find_anchors(schema, pointer));
                    }
                }
                _ => {}
            });
        }
    }

    /// One schema and all within it. No deeper than the schema's own nesting, which admission has bounded.
    fn schema(&mut self, schema: &Value) -> Value {
        let map = match schema {
            Value::Object(map) => self.dialect.modern(map),
            Value::Bool(false) => return json!({"not": {}}),
            _ => return json!({}),
        };
        let mut out = Map::new();
        let mut beside = Vec::new();
        for (key, value) in map {
            match (key.as_str(), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    let reference = self.reference(&reference);
                    if out.contains_key("$ref") {
                        beside.push(json!({"$ref": reference}));
                    } else {
                        out.insert("$ref".to_owned(), Value::String(reference));
                    }
                }
                // A yes or a no says more here than its long form.
                ("additionalProperties" | "unevaluatedProperties" | "unevaluatedItems", value @ Value::Bool(_)) => {
                    out.insert(key, value);
                }
                (keyword, value) if holds(keyword).is_some() => {
                    let value = match value {
                        Value::Array(list) => list.iter().map(|schema| self.schema(schema)).collect(),
                        Value::Object(named) if holds(keyword) == Some(Holds::Named) => {
                            named.iter().map(|(name, schema)| (name.clone(), self.schema(schema))).collect()
                        }
                        schema => self.schema(&schema),
                    };
                    out.insert(key, value);
                }
                (_, value) => _ = out.insert(key, value),
            }
        }
        if !beside.is_empty() {
            let list = out.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(list) = list {
                list.append(&mut beside);
            }
        }
        Value::Object(out)
    }

    fn reference(&mut self, reference: &str) -> String {
        let local = self.own_id.and_then(|id| reference.strip_prefix(id)).filter(|rest| rest.starts_with('#'));
        let fragment = local.unwrap_or(reference).trim_start_matches('#');
        let pointer = match fragment.strip_prefix('/') {
            Some(_) => percent_decoded(fragment),
            None => self.anchors.get(fragment).cloned().unwrap_or_default(),
        };
        if pointer.is_empty() {
            return "#".to_owned();
        }
        if let Some(name) = self.names.get(&pointer) {
            return format!("#/$defs/{name}");
        }
        let name = self.name(&pointer);
        self.names.insert(pointer.clone(), name.clone());
        self.found.push((pointer, name.clone()));
        format!("#/$defs/{name}")
    }

    /// The last part of the pointer, made free of what would have to be escaped, and unique.
    fn name(&mut self, pointer: &str) -> String {
        let last = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let clean = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
        let clean: String = last.chars().map(clean).collect();
        let mut name = clean.clone();
        while name.is_empty() || self.taken.contains_key(&name) {
            let number = self.taken.entry(clean.clone()).or_insert(2);
            name = format!("{clean}_{number}");
            *number += 1;
        }
        self.taken.entry(name.clone()).or_insert(2);
        name
    }
}

/// Runs `visit` with `name` at the end of the pointer.
fn step(pointer: &mut String, name: &str, visit: impl FnOnce(&mut String)) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&escaped(name));
    visit(pointer);
    pointer.truncate(length);
}

fn percent_decoded(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let code = fragment.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let (b'%', Some(code)) = (byte, code) {
            out.push(code);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(schema: &Value) -> (Value, Value) {
        let normal = Normal::of(schema);
        (Value::Object(normal.root), Value::Object(normal.defs))
    }

    #[test]
    fn every_reference_becomes_one_of_two_forms() {
        let (root, defs) = normal(&json!({
            "$id": "https://example.com/tool", "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/A%20b"}, "b": {"$ref": "#here"}, "c": {"$ref": "https://example.com/tool#/$defs/A b"},
                "d": {"$ref": "#/properties/e"}, "e": {"items": {"$ref": "#"}},
            },
            "$defs": {"A b": {"$anchor": "here", "type": "string"}, "unused": {"type": "null"}},
        }));
        let a = json!({"$ref": "#/$defs/A_b"});
        let b = json!({"$ref": "#/$defs/A_b_2"});
        assert_eq!(root["properties"]["a"], a);
        // An anchor and a pointer lead to the same place.
        assert_eq!((&root["properties"]["b"], &root["properties"]["c"]), (&a, &a), "{b}");
        assert_eq!(root["properties"]["d"], json!({"$ref": "#/$defs/e"}));
        assert_eq!(defs, json!({"A_b": {"type": "string"}, "e": {"items": {"$ref": "#"}}}));
    }

    #[test]
    fn old_dialects_become_the_new_one() {
        let (root, defs) = normal(&json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {
                "pair": {"type": "array", "items": [{"type": "string"}, true], "additionalItems": false},
                "named": {"$ref": "#/definitions/N", "minLength": 3, "description": "d"},
            },
            "dependencies": {"pair": ["named"], "named": {"required": ["pair"]}},
            "definitions": {"N": {"type": "string", "$comment": "c"}},
        }));
        let pair = json!({"type": "array", "prefixItems": [{"type": "string"}, {}], "items": {"not": {}}});
        assert_eq!(root["properties"]["pair"], pair);
        assert_eq!(root["properties"]["named"], json!({"$ref": "#/$defs/N", "description": "d"}));
        assert_eq!(root["dependentRequired"], json!({"pair": ["named"]}));
        assert_eq!(root["dependentSchemas"], json!({"named": {"required": ["pair"]}}));
        assert_eq!(defs, json!({"N": {"type": "string"}}));
        let old = json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
            "properties": {"n": {"minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": false, "const": 7}}});
        assert_eq!(normal(&old).0["properties"]["n"], json!({"exclusiveMinimum": 1, "maximum": 2}));
    }
}
