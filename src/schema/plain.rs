//! What is wrong with a value by itself, its parts left out: what can be told of a value of any size.

use serde_json::{Map, Value};

use super::{
    alternatives::merged,
    limits::{EXCERPT_BYTES, MAX_VIOLATIONS},
    place::Place,
    words::{Told, Words, many, pointer},
};
use crate::cut::cut;

impl<'g> Words<'g> {
    /// What the subschema `node`, and those that it is merged from, say of a value and not of its parts.
    pub(super) fn plainly(&self, node: usize, path: &[String], value: &Value) -> Vec<Told> {
        let place = self.places.at(path);
        let at = pointer(path, &place);
        let mut told = Vec::new();
        for node in merged(self.places.graph, node) {
            let Value::Object(schema) = self.places.graph.nodes[node].schema else { continue };
            self.by_itself(schema, &place, value, &mut |what| {
                if told.len() < MAX_VIOLATIONS && !told.iter().any(|(_, known)| *known == what) {
                    told.push((at.clone(), what));
                }
            });
        }
        told
    }

    fn by_itself(&self, schema: &Map<String, Value>, place: &Place<'g>, value: &Value, tell: &mut dyn FnMut(String)) {
        let types: Vec<String> = match schema.get("type") {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(some)) => some.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        if !types.is_empty() && !types.iter().any(|name| is_of(name, value)) {
            return tell(self.wrong_type(&types, place, value));
        }
        let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
        let mut sized = |least: &str, most: &str, what: &str, got: usize| {
            let got = got as u64;
            let shown = if self.hides(place) { String::new() } else { format!(", got {got}") };
            if let Some(limit) = limit(least).filter(|limit| got < *limit) {
                tell(format!("expected at least {}{shown}", many(limit, what)));
            }
            if let Some(limit) = limit(most).filter(|limit| got > *limit) {
                tell(format!("expected at most {}{shown}", many(limit, what)));
            }
        };
        match value {
            Value::String(text) => {
                // Characters are counted only where the bytes leave it open.
                sized("minLength", "maxLength", "character", text.chars().count());
                let listed = schema.get("enum").and_then(Value::as_array);
                if let Some(options) = listed.filter(|options| !options.contains(value)) {
                    tell(self.none_of(&options.iter().collect::<Vec<_>>(), &[], place, value));
                }
                if let Some(only) = schema.get("const").filter(|only| *only != value) {
                    tell(self.none_of(&[only], &[], place, value));
                }
            }
            Value::Array(items) => sized("minItems", "maxItems", "item", items.len()),
            Value::Object(map) => {
                sized("minProperties", "maxProperties", "property", map.len());
                let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
                let missing = required.filter_map(Value::as_str).filter(|name| !map.contains_key(*name));
                missing.take(MAX_VIOLATIONS).for_each(|name| tell(self.missing(name, place, value)));
                let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
                if closed && !schema.contains_key("patternProperties") {
                    let declared = |name: &String| schema.get("properties").is_some_and(|p| p.get(name).is_some());
                    let others = map.keys().filter(|name| !declared(name)).take(MAX_VIOLATIONS + 1);
                    let others: Vec<String> = others.map(|name| cut(name, EXCERPT_BYTES).to_owned()).collect();
                    if !others.is_empty() {
                        tell(self.unexpected(&others, place, value));
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}
