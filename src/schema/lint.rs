//! What is suspicious about a schema that compiles: it says something, and very likely not what was meant.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    dialect::is_odd,
    graph::Graph,
    limits::{LINT_LOOKS, WARNINGS},
    near::Near,
    problem::{SchemaProblem, excerpt},
};

/// The keywords of all drafts, applicators and annotations too.
const KEYWORDS: [&str; 63] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// Words of other vocabularies that come near a keyword and are none.
const OTHERS: [&str; 6] = ["comment", "example", "nullable", "note", "optional", "when"];

/// Keywords that say something about values of one kind only, by the types that are of this kind.
const KINDS: [(&[&str], &[&str]); 4] = [
    (
        &["object"],
        &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        ],
    ),
    (
        &["array"],
        &[
            "items",
            "prefixItems",
            "contains",
            "minItems",
            "maxItems",
            "uniqueItems",
            "additionalItems",
            "unevaluatedItems",
        ],
    ),
    (&["string"], &["pattern", "minLength", "maxLength"]),
    (&["number", "integer"], &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// Looks for what is suspicious in a schema that has been admitted. No value of it is quoted: a default may be a secret.
pub(crate) fn suspicions(schema: &Value) -> Vec<SchemaProblem> {
    let graph = Graph::of(schema);
    let mut lint = Lint { found: Vec::new(), near: Near::within(LINT_LOOKS), fine: HashSet::new() };
    if is_odd(schema) {
        lint.found.push(SchemaProblem::new("/$schema", "names an unknown dialect; it is read as draft 2020-12"));
    }
    if schema.as_object().is_some_and(is_bare) {
        let help = "has no keyword in it and lets any arguments through; put properties under \"properties\"";
        lint.found.push(SchemaProblem::new("", help));
        return lint.found;
    }
    for node in &graph.nodes {
        let Value::Object(map) = node.schema else { continue };
        for message in lint.node(map) {
            if lint.found.len() == WARNINGS {
                lint.found.push(SchemaProblem::new("", "… and more"));
                return lint.found;
            }
            lint.found.push(SchemaProblem::new(&node.pointer, message));
        }
    }
    lint.found
}

struct Lint<'a> {
    found: Vec<SchemaProblem>,
    near: Near,
    /// Unknown words that have been looked at, and are no slips.
    fine: HashSet<&'a str>,
}

impl<'a> Lint<'a> {
    fn node(&mut self, map: &'a Map<String, Value>) -> Vec<String> {
        let mut out = Vec::new();
        for key in map.keys() {
            if let Some(meant) = self.slip(key) {
                out.push(format!("{} is no keyword and says nothing; did you mean {meant:?}?", excerpt(key)));
            }
        }
        let types = types(map);
        if !types.is_empty() {
            of_no_type(map, &types, &mut out);
            on_no_type(map, &types, &mut out);
        }
        if map.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            out.push("its enum is empty: no value fits".to_owned());
        }
        contradictions(map, &mut out);
        if let Some(own) = map.get("type").and_then(Value::as_str).filter(|own| *own != "null")
            && map.get("nullable") == Some(&Value::Bool(true))
        {
            out.push(format!("\"nullable\" is no keyword and null is refused; say \"type\": [{own:?}, \"null\"]"));
        }
        self.undeclared(map, &mut out);
        out
    }

    /// The keyword that an unknown word is most likely a slip of.
    fn slip(&mut self, word: &'a str) -> Option<&'static str> {
        if KEYWORDS.contains(&word) || OTHERS.contains(&word) || self.fine.contains(word) {
            return None;
        }
        let extension = ["x-", "x_"].iter().any(|prefix| word.starts_with(prefix));
        let meant = if extension { None } else { self.near.nearest(word, KEYWORDS.into_iter()) };
        // Of short words one letter of another makes a different word.
        let meant = meant.filter(|m| word.len() > 4 || m.len() != word.len() || letters(m) == letters(word));
        if meant.is_none() {
            self.fine.insert(word);
        }
        meant
    }

    /// What an object asks for and does not declare: a closed one does not even take it, an open one may be meant so
    /// unless a declared name is very like it.
    fn undeclared(&self, map: &Map<String, Value>, out: &mut Vec<String>) {
        let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        let by_pattern = map.get("patternProperties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
        if by_pattern {
            return;
        }
        let declared = map.get("properties").and_then(Value::as_object);
        let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if declared.is_some_and(|d| d.contains_key(name)) {
                continue;
            }
            let names = declared.into_iter().flat_map(|d| d.keys().map(String::as_str));
            let meant = self.near.nearest(name, names).map(excerpt);
            let name = excerpt(name);
            match (closed, meant) {
                (true, Some(meant)) => {
                    out.push(format!(
                        "requires {name} and takes no such property: nothing fits; did you mean {meant}?"
                    ));
                }
                (true, None) => out.push(format!("requires {name} and takes no such property: nothing fits")),
                (false, Some(meant)) => {
                    out.push(format!("requires {name}, which is not declared; did you mean {meant}?"));
                }
                (false, None) => {}
            }
        }
    }
}

/// Bounds that leave nothing in between.
fn contradictions(map: &Map<String, Value>, out: &mut Vec<String>) {
    let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
    for (least, most) in [
        ("minimum", "maximum"),
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ] {
        if let (Some(low), Some(high)) = (bound(least), bound(most))
            && low > high
        {
            out.push(format!("its {least} is more than its {most}: no value fits"));
        }
    }
}

/// Whether all there is in a schema are schemas under names that are no keywords.
fn is_bare(map: &Map<String, Value>) -> bool {
    let schema = |value: &Value| value.get("type").is_some();
    !map.is_empty() && map.iter().all(|(key, value)| !KEYWORDS.contains(&key.as_str()) && schema(value))
}

/// Listed values and defaults that are of none of the types.
fn of_no_type(map: &Map<String, Value>, types: &[&str], out: &mut Vec<String>) {
    let fits = |value: &Value| types.iter().any(|name| is_of(name, value));
    let expected = types.join(" or ");
    let listed = map.get("enum").and_then(Value::as_array);
    if listed.is_some_and(|values| !values.is_empty() && !values.iter().any(fits)) {
        out.push(format!("none of the values of its enum is of type {expected}: no value fits"));
    }
    if map.get("const").is_some_and(|value| !fits(value)) {
        out.push(format!("its const is not of type {expected}: no value fits"));
    }
    // A null is how many say that there is no default.
    if map.get("default").is_some_and(|value| !value.is_null() && !fits(value)) {
        out.push(format!("its default is not of type {expected}"));
    }
}

/// Keywords for other types than those stated.
fn on_no_type(map: &Map<String, Value>, types: &[&str], out: &mut Vec<String>) {
    for (kinds, keywords) in KINDS {
        if types.iter().any(|name| kinds.contains(name)) {
            continue;
        }
        for keyword in keywords.iter().filter(|k| map.contains_key(**k)) {
            out.push(format!("{keyword:?} says nothing about a value of type {}", types.join(" or ")));
        }
    }
}

fn types(map: &Map<String, Value>) -> Vec<&str> {
    match map.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(_) if name == "number" => true,
        Value::Number(number) => {
            name == "integer" && (!number.is_f64() || number.as_f64().is_some_and(|n| n.fract() == 0.0))
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.to_lowercase().chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::CompiledSchema;

    fn found(schema: &Value) -> Vec<String> {
        assert!(CompiledSchema::compile(schema).is_ok(), "{schema}");
        suspicions(schema).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn misspelt_keywords_are_suspicious() {
        for (word, meant) in [
            ("requried", "required"),
            ("propertys", "properties"),
            ("minimun", "minimum"),
            ("additionalproperties", "additionalProperties"),
            ("Type", "type"),
            ("item", "items"),
            ("ref", "$ref"),
            ("any_of", "anyOf"),
            ("tpye", "type"),
        ] {
            let got = found(&json!({ "properties": { "a": { word: {} } } }));
            assert_eq!(
                got,
                [format!("/properties/a: {word:?} is no keyword and says nothing; did you mean {meant:?}?")]
            );
        }
    }

    #[test]
    fn other_words_and_names_of_properties_are_not() {
        let schema = json!({
            "x-require": 1, "nullable": true, "optional": true, "example": 1, "markdownDescription": "", "note": "",
            "discriminator": {}, "enumNames": [], "when": 1, "mode": 1,
            "properties": { "requried": {}, "tpye": { "type": "string", "examples": [{ "propertys": 1 }] } },
            "$defs": { "propertys": {} },
        });
        assert_eq!(found(&schema), Vec::<String>::new());
    }

    #[test]
    fn values_of_another_type_are_suspicious() {
        for (schema, wanted) in [
            (
                json!({ "type": "integer", "enum": ["1", "2"] }),
                "none of the values of its enum is of type integer: no value fits",
            ),
            (
                json!({ "type": ["boolean", "null"], "const": "true" }),
                "its const is not of type boolean or null: no value fits",
            ),
            (json!({ "enum": [] }), "its enum is empty: no value fits"),
            (json!({ "type": "integer", "default": "dontcare" }), "its default is not of type integer"),
            (json!({ "type": "integer", "default": 1.5 }), "its default is not of type integer"),
            (json!({ "type": "object", "items": {} }), "\"items\" says nothing about a value of type object"),
            (json!({ "type": "integer", "maxLength": 2 }), "\"maxLength\" says nothing about a value of type integer"),
            (json!({ "minimum": 5, "maximum": 1.5 }), "its minimum is more than its maximum: no value fits"),
            (json!({ "minItems": 2, "maxItems": 1 }), "its minItems is more than its maxItems: no value fits"),
            (
                json!({ "type": "string", "nullable": true }),
                "\"nullable\" is no keyword and null is refused; say \"type\": [\"string\", \"null\"]",
            ),
            (
                json!({ "required": ["pth", "else"], "properties": { "path": {} } }),
                "requires \"pth\", which is not declared; did you mean \"path\"?",
            ),
            (
                json!({ "required": ["pth"], "properties": { "path": {} }, "additionalProperties": false }),
                "requires \"pth\" and takes no such property: nothing fits; did you mean \"path\"?",
            ),
        ] {
            let got = found(&json!({ "properties": { "a": schema } }));
            assert_eq!(got, [format!("/properties/a: {wanted}")]);
        }
        for schema in [
            json!({ "type": "integer", "enum": ["1", 2], "default": 2.0, "minimum": 1 }),
            json!({ "type": ["string", "null"], "enum": ["a", null], "default": null, "maxLength": 5 }),
            json!({ "type": "string", "default": null }),
            json!({ "enum": [1, "a"], "default": {}, "items": {} }),
            json!({ "required": ["pth"], "properties": { "path": {}, "pth": {} } }),
            json!({ "required": ["other"], "properties": { "path": {} } }),
            json!({ "minimum": 1, "maximum": 1, "minLength": 2 }),
            json!({ "type": ["string", "null"], "nullable": true }),
            json!({ "type": "string", "nullable": false }),
            json!({ "required": ["pth"], "patternProperties": { "^p": {} }, "additionalProperties": false }),
        ] {
            assert_eq!(found(&schema), Vec::<String>::new(), "{schema}");
        }
    }

    #[test]
    fn properties_without_a_keyword_around_them_are_suspicious() {
        let bare = json!({ "path": { "type": "string" }, "limit": { "type": "integer" } });
        let wanted = "has no keyword in it and lets any arguments through; put properties under \"properties\"";
        assert_eq!(found(&bare), [wanted]);
        assert_eq!(found(&json!({ "properties": { "a": bare } })), Vec::<String>::new(), "further in it may be meant");
        assert_eq!(found(&json!({ "x-note": 1 })), Vec::<String>::new());
    }

    #[test]
    fn no_value_of_a_schema_is_quoted() {
        let schema = json!({ "properties": { "pw": { "writeOnly": true, "type": "integer", "default": "s3cr3t", "enum": ["s3cr3t"], "const": "s3cr3t" } } });
        let got = found(&schema);
        assert_eq!(got.len(), 3);
        assert!(!got.concat().contains("s3cr3t"), "{got:?}");
    }

    #[test]
    fn an_unknown_dialect_is_told_and_there_is_an_end_to_it() {
        assert_eq!(
            found(&json!({ "$schema": "https://example.invalid/s", "type": "object" })),
            ["/$schema: names an unknown dialect; it is read as draft 2020-12"]
        );
        let many: Map<_, _> = (0..1_000).map(|i| (format!("p{i}"), json!({ "typ": 1 }))).collect();
        let got = found(&json!({ "properties": many }));
        assert_eq!((got.len(), got.last().map(String::as_str)), (WARNINGS + 1, Some("… and more")));
    }
}
