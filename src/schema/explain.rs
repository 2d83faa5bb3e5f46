//! What is wrong with a value, in words a model can act on.

use std::fmt;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::{
    graph::Graph,
    limits::{EXPLAINED_NODES, MESSAGE_BYTES},
    problem::at,
    value::count_nodes,
    words::{Told, Words},
};
use crate::cut::cut;

/// What is wrong with a value: never empty, bounded in number and length.
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

/// How a value is explained.
#[derive(Clone)]
pub(super) struct Manner {
    /// Up to how many values all violations are collected; beyond it the first is told.
    pub(super) all: usize,
    /// Whether the validator is the whole schema; else what it accepts may still be wrong further in.
    pub(super) complete: bool,
    /// Whether values may be quoted.
    pub(super) quote: bool,
    /// Where the value lies, as steps from the whole that the schema is for.
    pub(super) within: Vec<String>,
}

/// Explains why `value` does not fit `schema`, which `validator` was compiled from.
pub(super) fn explain(schema: &Value, validator: &Validator, value: &Value, manner: Manner) -> Violations {
    let mut out = String::new();
    let complete = manner.complete;
    let (told, more) = violations(schema, validator, value, manner);
    for (pointer, what) in told {
        let text = at(&pointer, &what);
        let joint = if out.is_empty() { "" } else { "; " };
        if out.len() + joint.len() + text.len() > MESSAGE_BYTES {
            if out.is_empty() {
                out.push_str(cut(&text, MESSAGE_BYTES));
            }
            out.push_str("; … and more");
            return Violations(out);
        }
        out.push_str(joint);
        out.push_str(&text);
    }
    match (out.is_empty(), complete) {
        (false, _) if more => out.push_str("; … and more"),
        (false, _) => {}
        (true, true) => return Violations::unexplained(),
        (true, false) => out.push_str("no alternative of a recursive part of the schema fits"),
    }
    Violations(out)
}

/// What is wrong with a value, one by one, and whether there is more.
pub(super) fn violations(schema: &Value, validator: &Validator, value: &Value, manner: Manner) -> (Vec<Told>, bool) {
    let all = manner.all.min(EXPLAINED_NODES);
    // Where alternatives lack a part, more of them fit than should.
    let holds = |e: &ValidationError<'_>| {
        manner.complete || !matches!(e.kind(), Kind::OneOfMultipleValid { .. } | Kind::Not { .. })
    };
    // Collecting is eager: a million wrong items would be a million errors.
    let errors: Vec<ValidationError<'_>> = if count_nodes(value, all) > all {
        validator.validate(value).err().into_iter().filter(holds).collect()
    } else {
        validator.iter_errors(value).filter(holds).collect()
    };
    // The schema is looked at again only now: calls that are right do not pay for it.
    let graph = Graph::of(schema);
    let words = Words::new(&graph, manner.quote, manner.within);
    let mut told = Vec::new();
    for error in &errors {
        if words.left.get() == 0 {
            return (told, true);
        }
        let next = words.tell(error, 0);
        if !told.contains(&next) {
            told.push(next);
        }
    }
    (told, false)
}
