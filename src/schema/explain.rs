//! What is wrong with a value, in words a model can act on.

use std::fmt;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind as Kind};
use serde_json::{Value, json};

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
pub(crate) struct Violations {
    told: Vec<Told>,
    more: bool,
}

impl Violations {
    /// One thing about the whole.
    fn whole(what: String) -> Self {
        Self { told: vec![(String::new(), what)], more: false }
    }

    pub(super) fn unexplained() -> Self {
        Self::whole("does not fit the schema".to_owned())
    }

    pub(super) fn too_deep(levels: usize) -> Self {
        Self::whole(format!("nested deeper than {levels} levels, which this recursive schema allows"))
    }

    pub(super) fn too_long(bytes: usize) -> Self {
        Self::whole(format!("more than {bytes} bytes of text, which the patterns of this schema allow"))
    }

    pub(super) fn too_much(values: usize) -> Self {
        Self::whole(format!("more than {values} values in all, which a schema of this size allows"))
    }

    /// The same as data: `{"violations": [{"pointer", "message"}], "more": bool}`.
    pub(crate) fn details(&self) -> Value {
        let each = self.told.iter().map(|(pointer, what)| json!({ "pointer": pointer, "message": what }));
        json!({ "violations": each.collect::<Vec<_>>(), "more": self.more })
    }
}

impl fmt::Display for Violations {
    /// `/a: expected integer, got a string; missing "b"; … and more`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (pointer, what)) in self.told.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { JOINT })?;
            f.write_str(&at(pointer, what))?;
        }
        if self.more { f.write_str("; … and more") } else { Ok(()) }
    }
}

const JOINT: &str = "; ";

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
    let complete = manner.complete;
    let (mut told, mut more) = violations(schema, validator, value, manner);
    if told.is_empty() {
        return if complete {
            Violations::unexplained()
        } else {
            Violations::whole("no alternative of a recursive part of the schema fits".to_owned())
        };
    }
    let (mut bytes, mut fit) = (0, 0);
    for (pointer, what) in &told {
        bytes += at(pointer, what).len() + if fit == 0 { 0 } else { JOINT.len() };
        if bytes > MESSAGE_BYTES {
            break;
        }
        fit += 1;
    }
    more |= fit < told.len();
    // One is told in any case, cut if need be.
    told.truncate(fit.max(1));
    if let (0, Some((pointer, what))) = (fit, told.first_mut()) {
        what.truncate(cut(what, MESSAGE_BYTES.saturating_sub(pointer.len())).len());
    }
    Violations { told, more }
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
