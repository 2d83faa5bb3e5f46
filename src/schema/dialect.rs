//! Which JSON Schema a schema is written in, and compiling it as that.

use std::fmt::Write as _;

use jsonschema::{PatternOptions, Registry, ValidationError, ValidationOptions, Validator, error::ValidationErrorKind};
use serde_json::{Value, json};

use super::{
    explain::{Manner, violations},
    limits::{EXPLAINED_NODES, REGEX_BYTES},
    problem::SchemaProblem,
};
use crate::cut::cut;

/// The drafts that are known, the newest last: their names within `$schema`.
const KNOWN: [&str; 5] = ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"];

/// Compiles a schema. Several problems are told where the schema of schemas finds several.
pub(super) fn build(schema: &Value) -> Result<Validator, Vec<SchemaProblem>> {
    let stripped = stripped(schema);
    let schema = stripped.as_ref().unwrap_or(schema);
    options().build(schema).map_err(|error| {
        let all = all_problems(schema);
        if all.is_empty() { vec![problem(&error)] } else { all }
    })
}

fn options<'i>() -> ValidationOptions<'i> {
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES))
}

/// Gives `work` what compiles single subschemas of `schema`, by the pointers to them. All its references lead into it,
/// so there is nothing to be fetched.
pub(super) fn with_parts<T>(
    schema: &Value,
    work: impl FnOnce(&dyn Fn(&str) -> Option<Validator>) -> Option<T>,
) -> Option<T> {
    const WHOLE: &str = "urn:toolgate:schema";
    let stripped = stripped(schema);
    let schema = stripped.as_ref().unwrap_or(schema);
    let registry = Registry::new().add(WHOLE, schema.clone()).ok()?.prepare().ok()?;
    work(&|pointer| {
        let mut part = json!({ "$ref": format!("{WHOLE}#{}", percent_encoded(pointer)) });
        if let Some(dialect) = schema.get("$schema") {
            part["$schema"] = dialect.clone();
        }
        options().with_registry(&registry).build(&part).ok()
    })
}

fn percent_encoded(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Whether a schema names a dialect that nobody knows.
pub(super) fn is_odd(schema: &Value) -> bool {
    schema.get("$schema").is_some_and(|dialect| known(dialect).is_none())
}

/// A schema that names a dialect nobody knows is read as the newest one.
fn stripped(schema: &Value) -> Option<Value> {
    if !is_odd(schema) {
        return None;
    }
    let mut stripped = schema.clone();
    stripped.as_object_mut()?.remove("$schema");
    Some(stripped)
}

/// The place in [`KNOWN`] of what `$schema` says.
fn known(dialect: &Value) -> Option<usize> {
    let text = dialect.as_str()?;
    let official = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let rest = official.strip_prefix("json-schema.org/")?;
    KNOWN.iter().position(|name| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with("/schema")))
}

/// What is wrong with a schema by the schema of its dialect.
fn all_problems(schema: &Value) -> Vec<SchemaProblem> {
    let validator = match schema.get("$schema").and_then(known) {
        Some(0) => jsonschema::draft4::meta::validator(),
        Some(1) => jsonschema::draft6::meta::validator(),
        Some(2) => jsonschema::draft7::meta::validator(),
        Some(3) => jsonschema::draft201909::meta::validator(),
        _ => jsonschema::draft202012::meta::validator(),
    };
    if validator.is_valid(schema) {
        return Vec::new();
    }
    let manner = Manner { all: EXPLAINED_NODES, complete: true, quote: true, within: Vec::new() };
    // Nothing is known of the names in schemas: those of the schema of schemas are spread over many.
    let (told, more) = violations(&Value::Bool(true), &validator, schema, manner);
    let mut problems: Vec<SchemaProblem> = told
        .into_iter()
        .map(|(pointer, what)| SchemaProblem::new(pointer, format!("does not compile: {what}")))
        .collect();
    if more {
        problems.push(SchemaProblem::new("", "does not compile: … and more"));
    }
    problems
}

fn problem(error: &ValidationError<'_>) -> SchemaProblem {
    let message = match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            "a pattern that is none, is too large, or has look-around or back-references".to_owned()
        }
        _ => error.masked().to_string(),
    };
    let words = cut(&message, 512);
    SchemaProblem::new(error.instance_path().as_str(), format!("does not compile: {words}"))
}
