//! Gemini, in both forms of parameters. <https://ai.google.dev/api/caching#Schema>

use serde_json::{Map, Value, json};

use super::{
    keywords::children_mut,
    rules::{Null, References, Rules},
    whole::Whole,
};

/// `parametersJsonSchema` takes all of JSON Schema.
pub(super) const WHOLE: Whole = Whole { root_refused: &[], bare_arrays_refused: false };

/// `parameters` takes a subset of an `OpenAPI` schema.
pub(super) const PARAMETERS: Rules = Rules {
    keep: &[
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "pattern",
        "minProperties",
        "maxProperties",
    ],
    formats: &[("string", &["date-time"]), ("number", &["float", "double"]), ("integer", &["int32", "int64"])],
    // A tree of two levels is of more use than none.
    references: References::Inlined(2),
    null: Null::Flag,
    strict: false,
    all_required: false,
    empty_objects: false,
    enums_of_all: false,
    rich_patterns: true,
    only_small_min_items: false,
    titles: false,
    property_name: is_name,
};

/// What the API reference says of parameter names.
fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Types are written in capitals, and an object without properties is left out.
pub(super) fn declaration(name: &str, description: &str, parameters: Map<String, Value>) -> Value {
    let mut out = named(name, description);
    let none = parameters.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    if !none {
        let mut parameters = Value::Object(parameters);
        capitals(&mut parameters);
        out.insert("parameters".to_owned(), parameters);
    }
    Value::Object(out)
}

pub(super) fn json_schema_declaration(name: &str, description: &str, parameters: Map<String, Value>) -> Value {
    let mut out = named(name, description);
    out.insert("parametersJsonSchema".to_owned(), Value::Object(parameters));
    Value::Object(out)
}

/// All declarations in the one object that a request holds.
pub(super) fn wrapped(declarations: Vec<Value>) -> Value {
    if declarations.is_empty() {
        return json!([]);
    }
    let tool = Map::from_iter([("functionDeclarations".to_owned(), Value::Array(declarations))]);
    Value::Array(vec![Value::Object(tool)])
}

/// A description is wanted: the name stands in for an empty one.
fn named(name: &str, description: &str) -> Map<String, Value> {
    let description = if description.is_empty() { name } else { description };
    Map::from_iter([("name".to_owned(), json!(name)), ("description".to_owned(), json!(description))])
}

fn capitals(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if let Some(Value::String(kind)) = map.get_mut("type") {
        kind.make_ascii_uppercase();
    }
    children_mut(map, capitals);
}
