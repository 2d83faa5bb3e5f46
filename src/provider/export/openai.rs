//! `OpenAI`: Chat Completions and Responses. <https://platform.openai.com/docs/guides/structured-outputs>

use serde_json::{Map, Value, json};

use super::{
    rules::{Null, References, Rules, any_name},
    whole::Whole,
};

/// By reports of users: combinators at the root and arrays without `items` are refused in every mode.
pub(super) const WHOLE: Whole =
    Whole { root_refused: &["allOf", "anyOf", "oneOf", "enum", "const", "not"], bare_arrays_refused: true };

pub(super) const STRICT: Rules = Rules {
    keep: &[
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "pattern",
    ],
    formats: &[("string", &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])],
    references: References::Kept,
    null: Null::Type,
    strict: true,
    all_required: true,
    empty_objects: true,
    enums_of_all: true,
    rich_patterns: true,
    only_small_min_items: false,
    titles: true,
    property_name: any_name,
};

/// Nested, as Chat Completions has it.
pub(super) fn chat_tool(name: &str, description: &str, parameters: Map<String, Value>, strict: bool) -> Value {
    let mut function = Map::from_iter([("name".to_owned(), json!(name))]);
    if !description.is_empty() {
        function.insert("description".to_owned(), json!(description));
    }
    function.insert("parameters".to_owned(), Value::Object(parameters));
    if strict {
        function.insert("strict".to_owned(), json!(true));
    }
    json!({"type": "function", "function": function})
}

/// Flat, as Responses has it. `strict` is always said: left out it would mean yes.
pub(super) fn responses_tool(name: &str, description: &str, parameters: Map<String, Value>, strict: bool) -> Value {
    let mut tool = Map::from_iter([("type".to_owned(), json!("function")), ("name".to_owned(), json!(name))]);
    if !description.is_empty() {
        tool.insert("description".to_owned(), json!(description));
    }
    tool.insert("parameters".to_owned(), Value::Object(parameters));
    tool.insert("strict".to_owned(), json!(strict));
    Value::Object(tool)
}
