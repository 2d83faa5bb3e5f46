//! What older drafts of JSON Schema mean, said in the newest one.

use serde_json::{Map, Value};

use super::keywords::is_annotation;

/// The dialect of a schema. One that nobody knows is read as the newest, as registries do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    Draft2020,
}

/// Keywords by the draft that brought them. Before it they meant nothing.
const SINCE: [(Dialect, &[&str]); 4] = [
    (Dialect::Draft6, &["const", "contains", "propertyNames"]),
    (Dialect::Draft7, &["if", "then", "else"]),
    (
        Dialect::Draft2019,
        &[
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
            "unevaluatedItems",
            "minContains",
            "maxContains",
            "$recursiveRef",
        ],
    ),
    (Dialect::Draft2020, &["prefixItems", "$dynamicRef"]),
];

/// Keywords by the last draft that had them.
const UNTIL: [(Dialect, &[&str]); 1] = [(Dialect::Draft2019, &["$recursiveRef"])];

impl Dialect {
    pub(super) fn of(schema: &Value) -> Self {
        let name = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let official = name.contains("//json-schema.org/");
        let names = [
            ("/draft-04/", Self::Draft4),
            ("/draft-06/", Self::Draft6),
            ("/draft-07/", Self::Draft7),
            ("/2019-09/", Self::Draft2019),
        ];
        names.iter().find(|(part, _)| official && name.contains(part)).map_or(Self::Draft2020, |(_, dialect)| *dialect)
    }

    /// The keyword by which schemas name themselves.
    pub(super) fn id(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    fn knows(self, keyword: &str) -> bool {
        SINCE.iter().all(|(since, keywords)| *since <= self || !keywords.contains(&keyword))
            && UNTIL.iter().all(|(until, keywords)| self <= *until || !keywords.contains(&keyword))
    }

    /// One schema, what is within it unchanged. Identifiers, comments and definitions are left out.
    pub(super) fn modern(self, map: &Map<String, Value>) -> Map<String, Value> {
        let alone = self <= Self::Draft7 && map.get("$ref").is_some_and(Value::is_string);
        let tuple = map.get("items").is_some_and(Value::is_array);
        let mut out = Map::new();
        let mut set = |key: &str, value: &Value| _ = out.insert(key.to_owned(), value.clone());
        for (key, value) in map {
            match key.as_str() {
                "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" | "$vocabulary" | "$comment"
                | "$defs" | "definitions" | "contentSchema" => {}
                "id" if self == Self::Draft4 && value.is_string() => {}
                // What stood beside a reference meant nothing then.
                keyword if alone && keyword != "$ref" && !is_annotation(keyword) => {}
                keyword if !self.knows(keyword) => {}
                "items" if tuple => set("prefixItems", value),
                "additionalItems" if tuple => set("items", value),
                "additionalItems" => {}
                "exclusiveMinimum" | "exclusiveMaximum" if self == Self::Draft4 => {}
                "minimum" | "maximum" if self == Self::Draft4 => {
                    let exclusive = if key == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
                    let key = if map.get(exclusive) == Some(&Value::Bool(true)) { exclusive } else { key };
                    set(key, value);
                }
                "dependencies" => {
                    let all = value.as_object().into_iter().flatten();
                    let (lists, schemas): (Map<_, _>, Map<_, _>) =
                        all.map(|(k, v)| (k.clone(), v.clone())).partition(|(_, v)| v.is_array());
                    for (key, named) in [("dependentRequired", lists), ("dependentSchemas", schemas)] {
                        if !named.is_empty() {
                            set(key, &Value::Object(named));
                        }
                    }
                }
                _ => set(key, value),
            }
        }
        out
    }
}
