//! Which JSON Schema a schema is written in, and compiling it as that.

use std::fmt::Write as _;

use jsonschema::{
    Draft, PatternOptions, Registry, ValidationError, ValidationOptions, Validator, error::ValidationErrorKind,
};
use serde_json::{Value, json};

use super::{
    explain::{Manner, violations},
    graph::Graph,
    limits::{EXPLAINED_SCHEMA, PATTERN_UNIT, REGEX_BYTES},
    problem::SchemaProblem,
    value::held_by_levels,
};
use crate::{cut::cut, pointer::unescaped};

/// The dialect that a schema is read in, wherever it matters: what `$schema` names if the compiler knows it, else the newest.
pub(super) fn dialect(schema: &Value) -> Draft {
    schema.get("$schema").and_then(known).unwrap_or_default()
}

/// Compiles a schema. Several problems are told where the schema of schemas finds several.
pub(super) fn build(schema: &Value) -> Result<Validator, Vec<SchemaProblem>> {
    let stripped = stripped(schema);
    let schema = stripped.as_ref().unwrap_or(schema);
    // The compiler, too, explains what is wrong with the whole.
    if held_by_levels(schema) > EXPLAINED_SCHEMA && !schema_of(dialect(schema)).is_valid(schema) {
        return Err(innermost_problems(schema));
    }
    options().build(schema).map_err(|error| {
        let all = all_problems(schema);
        if all.is_empty() { vec![problem(&error)] } else { all }
    })
}

fn options<'i>() -> ValidationOptions<'i> {
    let patterns = PatternOptions::regex().size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES);
    jsonschema::options().offline().should_validate_formats(false).with_pattern_options(patterns)
}

/// What a byte of text costs by a pattern at worst, in looks of a simple one: the engine follows all of its states at
/// once, and how many there are is seen from the size within which it compiles.
pub(super) fn pattern_weight(pattern: &str) -> u64 {
    let schema = json!({ "pattern": pattern });
    let fits = |size: &usize| {
        let patterns = PatternOptions::regex().size_limit(*size).dfa_size_limit(REGEX_BYTES);
        let options = jsonschema::options().offline();
        options.with_pattern_options(patterns).build(&schema).is_ok()
    };
    let mut sizes = std::iter::successors(Some(PATTERN_UNIT), |size| Some(size * 2)).take_while(|s| *s < REGEX_BYTES);
    let size = sizes.find(fits).unwrap_or(REGEX_BYTES);
    (size / PATTERN_UNIT) as u64
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

/// The dialect that `$schema` names, if anybody knows it.
pub(super) fn known(dialect: &Value) -> Option<Draft> {
    let draft = Draft::from_schema_uri(dialect.as_str()?);
    (draft != Draft::Unknown).then_some(draft)
}

/// What is wrong with a schema by the schema of its dialect.
fn all_problems(schema: &Value) -> Vec<SchemaProblem> {
    if schema_of(dialect(schema)).is_valid(schema) { Vec::new() } else { problems_of(schema, schema, "") }
}

/// The same where telling all would cost too much: older dialects nest their unions as deep as a schema nests, and each
/// level keeps a copy of what it looked at. What is wrong with the first subschema is told, of those that lie deepest.
fn innermost_problems(schema: &Value) -> Vec<SchemaProblem> {
    let graph = Graph::of(schema);
    let mut nodes: Vec<_> = graph.nodes.iter().collect();
    nodes.sort_by_key(|node| std::cmp::Reverse(node.depth));
    let validator = schema_of(graph.dialect);
    let mut problems = Vec::new();
    if let Some(node) = nodes.into_iter().find(|node| !validator.is_valid(node.schema)) {
        if held_by_levels(node.schema) > EXPLAINED_SCHEMA {
            problems.push(SchemaProblem::new(&node.pointer, "does not compile, and is too large to be explained"));
        } else {
            problems = problems_of(schema, node.schema, &node.pointer);
        }
    }
    problems.push(SchemaProblem::new("", "does not compile; it is too large for all that is wrong with it to be told"));
    problems
}

/// The schema of schemas.
fn schema_of(dialect: Draft) -> jsonschema::meta::MetaValidator<'static> {
    match dialect {
        Draft::Draft4 => jsonschema::draft4::meta::validator(),
        Draft::Draft6 => jsonschema::draft6::meta::validator(),
        Draft::Draft7 => jsonschema::draft7::meta::validator(),
        Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
        _ => jsonschema::draft202012::meta::validator(),
    }
}

/// What is wrong with the part of a schema at `pointer`.
fn problems_of(schema: &Value, part: &Value, pointer: &str) -> Vec<SchemaProblem> {
    let within = pointer.split('/').skip(1).map(unescaped).collect();
    let manner = Manner { complete: true, quote: true, within };
    // Nothing is known of the names in schemas: those of the schema of schemas are spread over many.
    let (told, more) = violations(&Value::Bool(true), &schema_of(dialect(schema)), part, manner);
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
