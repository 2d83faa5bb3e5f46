//! A compiled schema: the only place that knows the validator behind it.

use std::{fmt, sync::Arc};

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::{
    admission::{self, Admitted},
    cost::Cost,
    descent::{Part, innermost},
    dialect::{build, with_parts},
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
    /// For explaining: what recursive unions have to do with it.
    recursion: Recursion,
    cost: Cost,
}

enum Recursion {
    /// There is no recursive union.
    None,
    /// There is, and a value is looked at up to `branching` times as often with every level.
    Unions {
        branching: u64,
        /// The schema without what recursive unions say of parts further in, and its validator, if it has a meaning.
        shallow: Option<(Value, Validator)>,
    },
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
        let admitted = admission::admit(schema)?;
        let validator = build(schema)?;
        let recursion = if admitted.loops.is_empty() {
            Recursion::None
        } else {
            let shallow = shallow(schema, &admitted);
            let shallow = build(&shallow).ok().map(|validator| (shallow, validator));
            Recursion::Unions { branching: admitted.branching, shallow }
        };
        let schema = schema.clone();
        Ok(Self { inner: Some(Arc::new(Inner { schema, validator, recursion, cost: admitted.cost })) })
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
        let manner = Manner { all: usize::MAX, complete: true, quote, within: Vec::new() };
        let (branching, shallow) = match &self.recursion {
            Recursion::None => return self.explain_by(&self.validator, value, manner),
            Recursion::Unions { branching, shallow } => (*branching, shallow.as_ref()),
        };
        if self.is_small(value, branching) {
            return explain(&self.schema, &self.validator, value, manner);
        }
        let whole = || match shallow {
            Some((_, validator)) => self.explain_by(validator, value, Manner { complete: false, ..manner.clone() }),
            None => Violations::unexplained(),
        };
        if more_bytes_than(value, affordable(self.cost.looks).bytes) {
            return whole();
        }
        let small = |part: &Value| self.is_small(part, branching);
        let part = with_parts(&self.schema, |parts| innermost(&self.schema, value, self.cost.looks, small, parts));
        let Some(Part { path, value, pointer, validator }) = part else { return whole() };
        let manner = Manner { within: path, ..manner.clone() };
        if small(value) {
            return explain(&self.schema, &validator, value, manner);
        }
        // All its parts fit, so it is wrong by itself.
        let level = shallow.and_then(|(schema, _)| with_parts(schema, |parts| parts(&pointer)));
        match level {
            Some(validator) => self.explain_by(&validator, value, Manner { complete: false, ..manner }),
            None => whole(),
        }
    }

    /// Whether all that is wrong with a value can be told, although each level of it multiplies the looks by the
    /// alternatives. What an alternative looked at is kept for each level around it, which is as much again.
    fn is_small(&self, value: &Value, branching: u64) -> bool {
        let looks = self.cost.looks.max(1);
        let (values, bytes) = repeated(value, branching.max(2));
        values.saturating_mul(looks) <= REPEATED_LOOKS
            && bytes.saturating_mul(looks.saturating_mul(2)) <= EXPLAINED_BYTES as u64
    }

    /// Explains by a validator without recursive unions.
    fn explain_by(&self, validator: &Validator, value: &Value, manner: Manner) -> Violations {
        let most = affordable(self.cost.looks);
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

/// The schema without what its recursive unions say of parts further in.
fn shallow(schema: &Value, admitted: &Admitted) -> Value {
    let mut shallow = schema.clone();
    for pointer in &admitted.conditions {
        if let Some(Value::Object(map)) = shallow.pointer_mut(pointer) {
            map.shift_remove("if");
        }
    }
    for pointer in &admitted.loops {
        if let Some(part) = shallow.pointer_mut(pointer) {
            *part = Value::Object(Map::new());
        }
    }
    shallow
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSchema").field("accepts_anything", &self.inner.is_none()).finish_non_exhaustive()
    }
}
