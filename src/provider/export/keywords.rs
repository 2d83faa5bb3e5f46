//! Which keywords of JSON Schema hold schemas, and which concern what kind of value.

use serde_json::{Map, Value};

/// How a keyword holds schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    One,
    List,
    Named,
}

/// How `keyword` of draft 2020-12 holds schemas; `None` if its value is data.
pub(super) fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "items"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else" => Holds::One,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" => Holds::Named,
        _ => return None,
    })
}

/// The same for the keywords of any draft; the value of one may be of another form.
pub(super) fn holds_in_any_draft(keyword: &str) -> Option<Holds> {
    match keyword {
        "additionalItems" | "contentSchema" => Some(Holds::One),
        "definitions" | "dependencies" => Some(Holds::Named),
        keyword => holds(keyword),
    }
}

/// Calls `visit` with every schema directly in `map`, and the pointer to it from there.
pub(super) fn children<'v>(map: &'v Map<String, Value>, mut visit: impl FnMut(&str, &'v Value)) {
    for (keyword, value) in map {
        match (holds(keyword), value) {
            (Some(Holds::One), schema) => visit(&format!("/{keyword}"), schema),
            (Some(Holds::List), Value::Array(list)) => {
                for (i, schema) in list.iter().enumerate() {
                    visit(&format!("/{keyword}/{i}"), schema);
                }
            }
            (Some(Holds::Named), Value::Object(named)) => {
                for (name, schema) in named {
                    visit(&format!("/{keyword}/{}", escaped(name)), schema);
                }
            }
            _ => {}
        }
    }
}

/// Calls `visit` with every schema directly in `map`, to change it.
pub(super) fn children_mut(map: &mut Map<String, Value>, mut visit: impl FnMut(&mut Value)) {
    for (keyword, value) in map {
        match (holds(keyword), value) {
            (Some(Holds::One), schema) => visit(schema),
            (Some(Holds::List), Value::Array(list)) => list.iter_mut().for_each(&mut visit),
            (Some(Holds::Named), Value::Object(named)) => named.values_mut().for_each(&mut visit),
            _ => {}
        }
    }
}

/// A name as a part of a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The kind of value that an assertion speaks of; the others pass it. `None` for all kinds.
pub(super) fn concerns(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "required"
        | "minProperties"
        | "maxProperties"
        | "propertyNames"
        | "dependentRequired"
        | "dependentSchemas" => "object",
        "items" | "prefixItems" | "unevaluatedItems" | "minItems" | "maxItems" | "uniqueItems" | "contains"
        | "minContains" | "maxContains" => "array",
        "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding" | "contentMediaType" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}

/// Whether an assertion means anything for values of the type `kind`.
pub(super) fn matters(keyword: &str, kind: &str) -> bool {
    concerns(keyword).is_none_or(|own| own == kind || (own == "number" && kind == "integer"))
}

/// Words about a value that assert nothing.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" | "example"
    )
}

/// Keywords that look at the same value through other schemas.
pub(super) fn is_combinator(keyword: &str) -> bool {
    matches!(keyword, "$ref" | "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas")
}

/// The JSON type of a value, `integer` where it is a whole number.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() || n.as_f64().is_some_and(|f| f.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a value is of the type `kind`.
pub(super) fn is_of(value: &Value, kind: &str) -> bool {
    let own = type_of(value);
    own == kind || (own == "integer" && kind == "number")
}

/// The types that a schema names; `None` if it names none.
pub(super) fn types(map: &Map<String, Value>) -> Option<Vec<&str>> {
    map.get("type").and_then(named_types)
}

/// The types that a value of the keyword `type` names.
pub(super) fn named_types(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}
