//! Anthropic Messages, and Bedrock, which has the same models behind it.
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>

use serde_json::{Map, Value, json};

use super::{
    keywords::{children, types},
    rules::{Null, References, Rules, any_name},
    whole::Whole,
};

/// By reports of users: combinators at the root are refused.
pub(super) const WHOLE: Whole = Whole { root_refused: &["allOf", "anyOf", "oneOf"], bare_arrays_refused: false };

/// What is optional stays optional here.
pub(super) const STRICT: Rules = Rules {
    keep: &["default", "pattern", "minItems"],
    formats: &[(
        "string",
        &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    )],
    references: References::Inlined(1),
    null: Null::Type,
    strict: true,
    all_required: false,
    empty_objects: true,
    enums_of_all: true,
    rich_patterns: false,
    only_small_min_items: true,
    titles: true,
    property_name: any_name,
};

pub(super) fn tool(name: &str, description: &str, parameters: Map<String, Value>, strict: bool) -> Value {
    let mut tool = Map::from_iter([("name".to_owned(), json!(name))]);
    if !description.is_empty() {
        tool.insert("description".to_owned(), json!(description));
    }
    tool.insert("input_schema".to_owned(), Value::Object(parameters));
    if strict {
        tool.insert("strict".to_owned(), json!(true));
    }
    Value::Object(tool)
}

/// What the strict tools of one request may have together, as the structured outputs guide says. What does not fit goes
/// out without strictness.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { tools: 20, optional: 24, unions: 16 }
    }
}

impl Room {
    /// Takes the room that a tool needs, or says what there is too little of.
    pub(super) fn take(&mut self, parameters: &Map<String, Value>) -> Result<(), String> {
        let (optional, unions) = needs(parameters);
        let left = |name: &str, have: usize, wanted: usize| {
            have.checked_sub(wanted).ok_or_else(|| format!("a request's strict tools have too many {name} together"))
        };
        *self = Self {
            tools: left("members, themselves", self.tools, 1).map_err(|_| "a request has 20 strict tools at most")?,
            optional: left("optional properties", self.optional, optional)?,
            unions: left("alternatives", self.unions, unions)?,
        };
        Ok(())
    }
}

/// Optional properties, and schemas with several types or alternatives.
fn needs(map: &Map<String, Value>) -> (usize, usize) {
    let properties = map.get("properties").and_then(Value::as_object).map_or(0, Map::len);
    let required = map.get("required").and_then(Value::as_array).map_or(0, Vec::len);
    let several = map.contains_key("anyOf") || types(map).is_some_and(|kinds| kinds.len() > 1);
    let mut sum = (properties.saturating_sub(required), usize::from(several));
    children(map, |_, schema| {
        if let Value::Object(map) = schema {
            let (optional, unions) = needs(map);
            sum = (sum.0 + optional, sum.1 + unions);
        }
    });
    sum
}
