//! What is wrong with a value, in words a model can act on.

use std::fmt;

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    limits::{EXPLAINED_NODES, MAX_VIOLATIONS, MESSAGE_BYTES},
    problem::{at, excerpt},
    value::count_nodes,
};
use crate::{arguments::kind, cut::cut};

/// What is wrong with a value: never empty, bounded in number and length, values masked.
#[derive(Debug)]
pub(crate) struct Violations(String);

impl Violations {
    pub(super) fn unexplained() -> Self {
        Self("does not fit the schema".to_owned())
    }

    pub(super) fn too_deep(levels: usize) -> Self {
        Self(format!("nested deeper than {levels} levels, which this recursive schema allows"))
    }

    pub(super) fn too_long(bytes: usize) -> Self {
        Self(format!("more than {bytes} bytes of text, which the patterns of this schema allow"))
    }

    pub(super) fn too_much(values: usize) -> Self {
        Self(format!("more than {values} values in all, which a schema of this size allows"))
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Every violation is told of up to `all` values. `complete` is whether `validator` is the whole schema; else what it accepts may still be wrong further in.
pub(super) fn explain(validator: &Validator, value: &Value, all: usize, complete: bool) -> Violations {
    let mut out = String::new();
    let all = all.min(EXPLAINED_NODES);
    if count_nodes(value, all) > all {
        // Collecting is eager: a million wrong items would be a million errors.
        if let Err(error) = validator.validate(value) {
            add(&mut out, &error);
        }
    } else {
        let errors = validator.iter_errors(value).into_errors();
        for (told, error) in errors.iter().enumerate() {
            if told == MAX_VIOLATIONS {
                out.push_str("; … and more");
                break;
            }
            if !add(&mut out, error) {
                break;
            }
        }
    }
    match (out.is_empty(), complete) {
        (false, _) => Violations(out),
        (true, true) => Violations::unexplained(),
        (true, false) => Violations("no alternative of a recursive part of the schema fits".to_owned()),
    }
}

/// Adds one violation; false if there is no room for it.
fn add(out: &mut String, error: &ValidationError<'_>) -> bool {
    let text = at(&pointer(error), &what(error));
    let joint = if out.is_empty() { "" } else { "; " };
    if out.len() + joint.len() + text.len() <= MESSAGE_BYTES {
        out.push_str(joint);
        out.push_str(&text);
        return true;
    }
    if out.is_empty() {
        out.push_str(cut(&text, MESSAGE_BYTES));
    }
    out.push_str("; … and more");
    false
}

fn pointer(error: &ValidationError<'_>) -> String {
    let full = error.instance_path().as_str();
    if full.len() <= 512 { full.to_owned() } else { format!("{}…", cut(full, 512)) }
}

fn what(error: &ValidationError<'_>) -> String {
    let got = error.instance().as_ref();
    match error.kind() {
        Kind::Required { property } => format!("missing {}", excerpt(property.as_str().unwrap_or_default())),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().take(MAX_VIOLATIONS).map(|name| excerpt(name)).collect();
            let more = if unexpected.len() > names.len() { " and more" } else { "" };
            format!("unexpected {}{more}", names.join(", "))
        }
        Kind::Type { kind: wanted } => wrong_type(wanted, got),
        Kind::Enum { options } => format!("expected one of {}", listed(options)),
        Kind::Constant { expected_value } => format!("expected {}", listed(expected_value)),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            format!("fits none of the alternatives, got {}", kind(got))
        }
        Kind::OneOfMultipleValid { .. } => "fits more than one of the alternatives that exclude each other".to_owned(),
        // Of those left no message is longer than a schema's own text, but for the value, which is masked.
        _ => {
            let text = error.masked().to_string();
            cut(&text, 300).to_owned()
        }
    }
}

fn wrong_type(wanted: &TypeKind, got: &Value) -> String {
    let names: Vec<String> = match wanted {
        TypeKind::Single(one) => vec![one.to_string()],
        TypeKind::Multiple(set) => set.iter().map(|one| one.to_string()).collect(),
    };
    let hint = match got {
        Value::String(text) => {
            let start = text.trim_start();
            let holds = |open: char, name: &str| start.starts_with(open) && names.iter().any(|n| n == name);
            if holds('[', "array") || holds('{', "object") {
                "; send the JSON directly, not inside a string"
            } else {
                ""
            }
        }
        _ => "",
    };
    format!("expected {}, got {}{hint}", names.join(" or "), kind(got))
}

/// The schema's own words, cut.
fn listed(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= 300 { text } else { format!("{}…", cut(&text, 300)) }
}
