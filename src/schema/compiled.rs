//! A compiled schema: the only place that knows the validator behind it.

use std::{fmt, sync::Arc};

use jsonschema::Validator;
use serde_json::Value;

use super::{
    admission::{self, Admitted},
    cost::Cost,
    dialect::build,
    explain::{Manner, Violations, explain},
    limits::{EXPLAINED_BYTES, EXPLAINED_LOOKS, REPEATED_LOOKS},
    problem::SchemaProblem,
    value::{count_nodes, deeper_than, more_bytes_than, repeated},
};

/// A schema that was admitted and compiled. Cheap to clone.
///
/// Formats are annotations, for every draft. Patterns run on an engine that is linear in the text; look-around and
/// back-references are refused at registration. Nothing is ever fetched.
#[derive(Clone)]
pub(crate) struct CompiledSchema {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    /// For explaining: what the places in a value are called, and which are to be kept to themselves.
    schema: Value,
    validator: Validator,
    /// For explaining: the same without the loops of recursive unions, if it has such.
    shallow: Option<Validator>,
    cost: Cost,
    branching: u64,
}

impl CompiledSchema {
    /// Admits and compiles a schema.
    ///
    /// # Errors
    ///
    /// Every problem that admission finds, else up to 8 that the dialect's own schema does, else the first of the compiler.
    pub(crate) fn compile(schema: &Value) -> Result<Self, Vec<SchemaProblem>> {
        if accepts_anything(schema) {
            return Ok(Self { inner: None });
        }
        let Admitted { cost, loops, branching } = admission::admit(schema)?;
        let validator = build(schema)?;
        let shallow = if loops.is_empty() { None } else { build(&without(schema, &loops)).ok() };
        let schema = schema.clone();
        Ok(Self { inner: Some(Arc::new(Inner { schema, validator, shallow, cost, branching })) })
    }

    /// Whether `value` is valid. The caller has checked that it is not deeper than the hard limit.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        let Some(inner) = &self.inner else { return true };
        inner.excess(value).is_none() && inner.validator.is_valid(value)
    }

    /// What is wrong with a value that is not valid. Unless `quote`, no part of it is shown but names of members.
    pub(crate) fn violations(&self, value: &Value, quote: bool) -> Violations {
        match &self.inner {
            Some(inner) => match inner.excess(value) {
                Some(violations) => violations,
                None => inner.explain(value, quote),
            },
            None => Violations::unexplained(),
        }
    }
}

impl Inner {
    /// Why a value is not looked at at all.
    fn excess(&self, value: &Value) -> Option<Violations> {
        if let Some(most) = self.cost.most_levels.filter(|most| deeper_than(value, *most)) {
            return Some(Violations::too_deep(most));
        }
        if let Some(most) = self.cost.most_bytes.filter(|most| more_bytes_than(value, *most)) {
            return Some(Violations::too_long(most));
        }
        let most = self.cost.most_values.filter(|most| count_nodes(value, *most) > *most)?;
        Some(Violations::too_much(most))
    }

    fn explain(&self, value: &Value, quote: bool) -> Violations {
        let looks = self.cost.looks.max(1);
        let Some(shallow) = &self.shallow else {
            return self.explain_by(
                &self.validator,
                value,
                affordable(looks),
                Manner { all: 0, complete: true, quote },
            );
        };
        // Each level of a value multiplies the looks by the alternatives; a few levels of them are affordable. What an
        // alternative looked at is kept for each level around it, which is as much again.
        let (values, bytes) = repeated(value, self.branching.max(2));
        if values.saturating_mul(looks) <= REPEATED_LOOKS
            && bytes.saturating_mul(looks.saturating_mul(2)) <= EXPLAINED_BYTES as u64
        {
            return explain(&self.schema, &self.validator, value, Manner { all: usize::MAX, complete: true, quote });
        }
        self.explain_by(shallow, value, affordable(looks), Manner { all: 0, complete: false, quote })
    }

    fn explain_by(&self, validator: &Validator, value: &Value, most: Affordable, manner: Manner) -> Violations {
        if more_bytes_than(value, most.bytes) {
            return Violations::unexplained();
        }
        explain(&self.schema, validator, value, Manner { all: most.values, ..manner })
    }
}

/// What a value may hold that is explained.
#[derive(Clone, Copy)]
struct Affordable {
    bytes: usize,
    values: usize,
}

/// What is affordable if each value is looked at so often.
fn affordable(looks: u64) -> Affordable {
    let bytes = EXPLAINED_BYTES / usize::try_from(looks).unwrap_or(usize::MAX).max(1);
    Affordable { bytes, values: usize::try_from(EXPLAINED_LOOKS / looks.max(1)).unwrap_or(usize::MAX) }
}

fn accepts_anything(schema: &Value) -> bool {
    match schema {
        Value::Bool(yes) => *yes,
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// The schema without the references by which it comes back to itself.
fn without(schema: &Value, loops: &[String]) -> Value {
    let mut shallow = schema.clone();
    for pointer in loops {
        if let Some(Value::Object(map)) = shallow.pointer_mut(pointer) {
            for reference in ["$ref", "$dynamicRef", "$recursiveRef"] {
                map.shift_remove(reference);
            }
        }
    }
    shallow
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSchema").field("accepts_anything", &self.inner.is_none()).finish_non_exhaustive()
    }
}
