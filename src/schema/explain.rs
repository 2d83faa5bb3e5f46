//! What is wrong with a value, in words a model can act on.

use std::fmt;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::{
    descent::Part,
    graph::Graph,
    limits::{MAX_VIOLATIONS, MESSAGE_BYTES},
    problem::parts,
    words::{Told, Words, pointer},
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
        Self::whole(format!("nested deeper than {levels} levels, which this schema allows"))
    }

    pub(super) fn too_long(bytes: usize) -> Self {
        Self::whole(format!("more than {bytes} bytes of text, which the patterns of this schema allow"))
    }

    pub(super) fn too_alike() -> Self {
        Self::whole("more items in one array than can be compared, which \"uniqueItems\" asks for".to_owned())
    }

    pub(super) fn too_much(values: usize) -> Self {
        Self::whole(format!("more than {values} values in all, which a schema of this size allows"))
    }

    /// The same as data: `{"violations": [{"pointer", "message"}], "more": bool}`.
    pub(crate) fn details(&self) -> Value {
        let member = |name: &str, value: Value| (name.to_owned(), value);
        let text = |text: &str| Value::String(text.to_owned());
        // Built by hand: `json!` of a text goes through a serialiser.
        let each = self.told.iter().map(|(pointer, what)| {
            Value::Object([member("pointer", text(pointer)), member("message", text(what))].into_iter().collect())
        });
        let violations = Value::Array(each.collect());
        Value::Object([member("violations", violations), member("more", Value::Bool(self.more))].into_iter().collect())
    }
}

impl fmt::Display for Violations {
    /// `/a: expected integer, got a string; missing "b"; … and more`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (pointer, what)) in self.told.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { JOINT })?;
            parts(pointer, what).into_iter().try_for_each(|part| f.write_str(part))?;
        }
        if self.more { f.write_str("; … and more") } else { Ok(()) }
    }
}

const JOINT: &str = "; ";

/// How a value is explained.
#[derive(Clone)]
pub(super) struct Manner {
    /// Whether the validator is the whole schema; else what it accepts may still be wrong further in. Of what is told
    /// without a validator, whether all of the value was looked at.
    pub(super) complete: bool,
    /// Whether values may be quoted.
    pub(super) quote: bool,
    /// Where the value lies, as steps from the whole that the schema is for.
    pub(super) within: Vec<String>,
}

/// Explains why `value` does not fit `schema`, which `validator` was compiled from.
pub(super) fn explain(schema: &Value, validator: &Validator, value: &Value, manner: Manner) -> Violations {
    let complete = manner.complete;
    let (told, more) = violations(schema, validator, value, manner);
    if !told.is_empty() {
        return bounded(told, more);
    }
    if complete {
        Violations::unexplained()
    } else {
        Violations::whole("no alternative of a recursive part of the schema fits".to_owned())
    }
}

/// Explains a value that is too large to have all told of it: what is wrong with it by itself, and what is wrong with the
/// first of its parts that does not fit, if one is known; all of that part only if it `is_small`.
pub(super) fn explain_large(
    schema: &Value,
    value: &Value,
    part: Option<(Part<'_>, bool)>,
    manner: Manner,
) -> Violations {
    let Manner { complete, quote, within } = manner;
    let graph = Graph::of(schema);
    let words = Words::new(&graph, quote, within);
    let mut told = words.plainly(0, &[], value);
    let Some((part, is_small)) = part else {
        return if told.is_empty() { Violations::unexplained() } else { bounded(told, !complete) };
    };
    let (mut further, mut more) = (Vec::new(), false);
    if is_small {
        let manner = Manner { complete: true, quote, within: part.path.clone() };
        (further, more) = violations(schema, &part.validator, part.value, manner);
    } else if let Some(node) = schema.pointer(&part.pointer).and_then(|schema| graph.find(schema)) {
        further = words.plainly(node, &part.path, part.value);
    }
    let at = || pointer(&part.path, &words.places.at(&part.path));
    if part.looking > 1 || further.is_empty() {
        let what = match part.looking {
            1 => "does not fit what the schema says of it".to_owned(),
            many => format!("fits none of {many} alternatives"),
        };
        let by = if further.is_empty() { "" } else { ", of which the first is explained" };
        further.insert(0, (at(), what + by));
    }
    told.extend(further);
    bounded(told, more)
}

/// As much of what is wrong as a message holds.
fn bounded(mut told: Vec<Told>, mut more: bool) -> Violations {
    more |= told.len() > MAX_VIOLATIONS;
    told.truncate(MAX_VIOLATIONS);
    let (mut bytes, mut fit) = (0, 0);
    for (pointer, what) in &told {
        bytes += parts(pointer, what).map(str::len).iter().sum::<usize>() + if fit == 0 { 0 } else { JOINT.len() };
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

/// What is wrong with a value, one by one, and whether there is more. Collecting is eager, and a union collects all that
/// is wrong with all of its alternatives, even to tell the first: the caller has made sure that this is affordable.
pub(super) fn violations(schema: &Value, validator: &Validator, value: &Value, manner: Manner) -> (Vec<Told>, bool) {
    // Where alternatives lack a part, more of them fit than should.
    let holds = |e: &ValidationError<'_>| {
        manner.complete || !matches!(e.kind(), Kind::OneOfMultipleValid { .. } | Kind::Not { .. })
    };
    let errors: Vec<ValidationError<'_>> = validator.iter_errors(value).filter(holds).collect();
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
