//! The rules of strict modes, said once more, to hold exports against.

use serde_json::Value;

pub(crate) struct Strict {
    pub(crate) keywords: &'static [&'static str],
    pub(crate) formats: &'static [&'static str],
    pub(crate) all_required: bool,
    pub(crate) references_in_unions: bool,
    pub(crate) levels: usize,
}

const SHAPE: [&str; 9] =
    ["type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description", "title"];

pub(crate) const OPENAI: Strict = Strict {
    keywords: &[
        "$ref",
        "$defs",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ],
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    all_required: true,
    references_in_unions: true,
    levels: 10,
};

pub(crate) const DEEPSEEK: Strict = Strict {
    keywords: &[
        "$ref",
        "$defs",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
    ],
    formats: &["email", "hostname", "ipv4", "ipv6", "uuid"],
    all_required: true,
    references_in_unions: false,
    levels: usize::MAX,
};

pub(crate) const ANTHROPIC: Strict = Strict {
    keywords: &["pattern", "format", "default", "minItems"],
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    all_required: false,
    references_in_unions: false,
    levels: usize::MAX,
};

/// What in `schema` breaks the rules.
pub(crate) fn broken(schema: &Value, rules: &Strict) -> Vec<String> {
    let mut out = Vec::new();
    if schema["type"] != "object" || !schema["properties"].is_object() {
        out.push("the root is no object".to_owned());
    }
    node(schema, schema, rules, "", 0, &mut out);
    out
}

fn node(root: &Value, schema: &Value, rules: &Strict, at: &str, objects: usize, out: &mut Vec<String>) {
    let Some(map) = schema.as_object() else {
        out.push(format!("{at}: {schema} is no object"));
        return;
    };
    let mut bad = |what: &str| out.push(format!("{at}: {what}"));
    for key in map.keys().filter(|key| !SHAPE.contains(&key.as_str()) && !rules.keywords.contains(&key.as_str())) {
        bad(key);
    }
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        if map.len() > 1 {
            bad("something beside $ref");
        }
        if reference != "#" && root.pointer(&reference[1..]).is_none() {
            bad("$ref to nothing");
        }
    } else if !["type", "anyOf"].iter().any(|key| map.contains_key(*key)) {
        bad("no type");
    }
    if map.get("format").is_some_and(|f| !rules.formats.iter().any(|known| f == known)) {
        bad("format");
    }
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if kinds.contains(&"array") && !map.contains_key("items") {
        bad("an array of what");
    }
    let objects = objects + usize::from(kinds.contains(&"object"));
    if objects > rules.levels {
        bad("too deep");
    }
    if kinds.contains(&"object") || map.contains_key("properties") {
        if schema["additionalProperties"] != false {
            bad("open");
        }
        let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
        let named: Vec<&String> = schema["properties"].as_object().into_iter().flat_map(|p| p.keys()).collect();
        if rules.all_required && !named.iter().all(|name| required.iter().any(|r| *r == name.as_str())) {
            bad("optional");
        }
        if !required.iter().all(|name| named.iter().any(|n| *name == n.as_str())) {
            bad("requires what it does not list");
        }
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        node(root, inner, rules, &format!("{at}/properties/{name}"), objects, out);
    }
    for (name, inner) in schema["$defs"].as_object().into_iter().flatten() {
        node(root, inner, rules, &format!("{at}/$defs/{name}"), 0, out);
    }
    if let Some(items) = map.get("items") {
        node(root, items, rules, &format!("{at}/items"), objects, out);
    }
    for (i, inner) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        if inner.get("$ref").is_some() && !rules.references_in_unions {
            out.push(format!("{at}/anyOf/{i}: a reference"));
        }
        node(root, inner, rules, &format!("{at}/anyOf/{i}"), objects, out);
    }
}

/// What in Gemini's `parameters` breaks the rules of its subset.
pub(crate) fn broken_gemini(schema: &Value, at: &str, out: &mut Vec<String>) {
    const TAKEN: [&str; 18] = [
        "type",
        "description",
        "properties",
        "required",
        "items",
        "anyOf",
        "enum",
        "format",
        "nullable",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "pattern",
        "minProperties",
        "maxProperties",
    ];
    let mut bad = |what: &str| out.push(format!("{at}: {what}"));
    for key in schema.as_object().into_iter().flat_map(|map| map.keys()).filter(|key| !TAKEN.contains(&key.as_str())) {
        bad(key);
    }
    let kind = schema["type"].as_str();
    if kind.is_none() && !schema["anyOf"].is_array() {
        bad("no type");
    }
    if kind.is_some_and(|kind| kind != kind.to_uppercase()) {
        bad("a type in small letters");
    }
    let texts = schema["enum"].as_array().is_none_or(|v| v.iter().all(|v| v.as_str().is_some_and(|v| !v.is_empty())));
    if !texts || (schema["enum"].is_array() && kind != Some("STRING")) {
        bad("an enum of other than texts");
    }
    if kind == Some("ARRAY") && !schema["items"].is_object() {
        bad("an array of what");
    }
    let nothing = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&nothing);
    if kind == Some("OBJECT") && properties.is_empty() {
        bad("an empty object");
    }
    if !schema["required"].as_array().into_iter().flatten().all(|n| properties.contains_key(n.as_str().unwrap_or(""))) {
        bad("requires what it does not list");
    }
    for (name, inner) in properties {
        broken_gemini(inner, &format!("{at}/properties/{name}"), out);
    }
    if let Some(items) = schema.get("items") {
        broken_gemini(items, &format!("{at}/items"), out);
    }
    for (i, inner) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        broken_gemini(inner, &format!("{at}/anyOf/{i}"), out);
    }
}
