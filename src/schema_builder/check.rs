//! What can be wrong with a schema as a whole: bounds that nothing is within, and values of its own that do not fit it.

use std::{cmp::Ordering, collections::HashSet};

use serde_json::{Map, Number, Value};

use super::SchemaMistake;
use crate::schema::CompiledSchema;

/// A lower and an upper bound, and whether they may be equal.
const BOUNDS: [(&str, &str, bool); 6] = [
    ("minimum", "maximum", true),
    ("exclusiveMinimum", "maximum", false),
    ("minimum", "exclusiveMaximum", false),
    ("exclusiveMinimum", "exclusiveMaximum", false),
    ("minLength", "maxLength", true),
    ("minItems", "maxItems", true),
];

/// The mistakes of this schema; its parts have been checked. It is not too deep to recurse over.
pub(super) fn mistakes(schema: &Value) -> Vec<SchemaMistake> {
    let mut out = Vec::new();
    if let Value::Object(schema) = schema {
        bounds(schema, &mut out);
        if out.is_empty() && schema.get("type").is_some_and(|kind| kind == "integer") {
            out.extend(no_integer(schema));
        }
        alike(schema, &mut out);
        if ["enum", "const", "default", "examples"].iter().any(|keyword| schema.contains_key(*keyword)) {
            literals(schema, &mut out);
        }
    }
    out
}

fn bounds(schema: &Map<String, Value>, out: &mut Vec<SchemaMistake>) {
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_number);
    for (lower, upper, may_be_equal) in BOUNDS {
        let (Some(least), Some(most)) = (number(lower), number(upper)) else { continue };
        let wrong = match compare(least, most) {
            Some(Ordering::Greater) => "more than",
            Some(Ordering::Equal) if !may_be_equal => "no less than",
            _ => continue,
        };
        out.push(SchemaMistake::new(format!("/{lower}"), format!("{least} is {wrong} {upper}, {most}")));
    }
    if number("multipleOf").and_then(Number::as_f64).is_some_and(|n| n <= 0.0) {
        out.push(SchemaMistake::new("/multipleOf", "must be more than zero"));
    }
}

/// Bounds of an integer with no integer between them. Beyond 53 bits none is looked for.
fn no_integer(schema: &Map<String, Value>) -> Option<SchemaMistake> {
    let exact = |n: &f64| n.abs() < 9_007_199_254_740_992.0;
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64).filter(exact);
    let above = bound("exclusiveMinimum").map(|n| n.floor() + 1.0);
    let below = bound("exclusiveMaximum").map(|n| n.ceil() - 1.0);
    let least = bound("minimum").map(f64::ceil).into_iter().chain(above).reduce(f64::max)?;
    let most = bound("maximum").map(f64::floor).into_iter().chain(below).reduce(f64::min)?;
    let lower = if schema.contains_key("minimum") { "/minimum" } else { "/exclusiveMinimum" };
    (least > most).then(|| SchemaMistake::new(lower, "there is no integer between the bounds"))
}

/// Two branches that are the same: of `oneOf` neither could ever be the only one.
fn alike(schema: &Map<String, Value>, out: &mut Vec<SchemaMistake>) {
    let mut seen = HashSet::new();
    for (index, branch) in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if !seen.insert(branch.to_string()) {
            let path = format!("/oneOf/{index}");
            out.push(SchemaMistake::new(path, "is the same as another branch: with oneOf nothing would fit either"));
        }
    }
}

fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn literals(schema: &Map<String, Value>, out: &mut Vec<SchemaMistake>) {
    let mut rest = schema.clone();
    let listed = rest.shift_remove("enum");
    let constant = rest.shift_remove("const");
    rest.shift_remove("default");
    rest.shift_remove("examples");
    let before = out.len();
    if let Ok(rest) = CompiledSchema::compile(&Value::Object(rest)) {
        let mut check = |path: String, value: &Value| {
            if !rest.is_valid(value) {
                out.push(SchemaMistake::new(path, rest.violations(value, true).to_string()));
            }
        };
        for (index, value) in listed.as_ref().and_then(Value::as_array).into_iter().flatten().enumerate() {
            check(format!("/enum/{index}"), value);
        }
        if let Some(constant) = &constant {
            check("/const".to_owned(), constant);
        }
    }
    if let Some(Value::Array(listed)) = &listed {
        if listed.is_empty() {
            out.push(SchemaMistake::new("/enum", "lists no values: nothing would fit"));
        }
        let mut seen = HashSet::new();
        for (index, value) in listed.iter().enumerate() {
            if !seen.insert(value.to_string()) {
                out.push(SchemaMistake::new(format!("/enum/{index}"), "is listed twice"));
            }
        }
        if let Some(constant) = &constant
            && !listed.contains(constant)
        {
            out.push(SchemaMistake::new("/const", "is none of the values that enum lists"));
        }
    }
    if out.len() > before {
        // What these would have to fit is wrong itself.
        return;
    }
    let default = schema.get("default").map(|default| ("/default".to_owned(), default));
    let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten().enumerate();
    let shown: Vec<_> =
        default.into_iter().chain(examples.map(|(i, value)| (format!("/examples/{i}"), value))).collect();
    let mut whole = schema.clone();
    whole.shift_remove("default");
    whole.shift_remove("examples");
    if let Ok(whole) = CompiledSchema::compile(&Value::Object(whole)) {
        for (path, value) in shown.into_iter().filter(|(_, value)| !whole.is_valid(value)) {
            out.push(SchemaMistake::new(path, whole.violations(value, true).to_string()));
        }
    }
}
