//! What `OpenAI`'s strict mode counts.

use serde_json::{Map, Value};

use super::{keywords::children, subset::Schema};

/// By the guide to structured outputs.
const PROPERTIES: usize = 5_000;
const OBJECTS_DEEP: usize = 10;
const ENUM_VALUES: usize = 1_000;
const CHARACTERS: usize = 120_000;
/// An enum with more than [`LONG_ENUM`] values may have so many characters.
const LONG_ENUM_CHARACTERS: usize = 15_000;
const LONG_ENUM: usize = 250;

#[derive(Default)]
struct Count {
    properties: usize,
    deepest: usize,
    values: usize,
    characters: usize,
    longest_enum: usize,
}

/// The first limit that a strict schema passes.
pub(super) fn passed(schema: &Schema) -> Result<(), String> {
    let mut count = Count::default();
    count.add(schema, 0);
    let limits = [
        (count.properties, PROPERTIES, "properties"),
        (count.deepest, OBJECTS_DEEP, "objects within one another"),
        (count.values, ENUM_VALUES, "values in enums"),
        (count.characters, CHARACTERS, "characters of names and values"),
        (count.longest_enum, LONG_ENUM_CHARACTERS, "characters in an enum of more than 250 values"),
    ];
    limits
        .iter()
        .find(|(have, most, _)| have > most)
        .map_or(Ok(()), |(have, most, what)| Err(format!("{have} {what}, and strict tools have at most {most}")))
}

impl Count {
    fn add(&mut self, map: &Schema, objects: usize) {
        let length = |text: &str| text.chars().count();
        let named = map.get("properties").and_then(Value::as_object);
        let objects = objects + usize::from(named.is_some());
        self.deepest = self.deepest.max(objects);
        for name in named.into_iter().flat_map(Map::keys) {
            self.properties += 1;
            self.characters += length(name);
        }
        if let Some(Value::Array(values)) = map.get("enum") {
            let own: usize = values.iter().filter_map(Value::as_str).map(length).sum();
            self.values += values.len();
            self.characters += own;
            if values.len() > LONG_ENUM {
                self.longest_enum = self.longest_enum.max(own);
            }
        }
        let defs = map.get("$defs").and_then(Value::as_object);
        self.characters += defs.into_iter().flat_map(Map::keys).map(|name| length(name)).sum::<usize>();
        children(map, |pointer, schema| {
            if let Value::Object(map) = schema {
                self.add(map, if pointer.starts_with("/$defs/") { 0 } else { objects });
            }
        });
    }
}
