//! A compiled schema: the only place that knows the validator behind it.

use std::{fmt, sync::Arc};

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::{
    admission::{self, Admitted},
    cost::Cost,
    descent::{Found, innermost},
    dialect::{build, with_parts},
    explain::{Manner, Violations, explain, explain_large},
    limits::{
        EXPLAINED_BYTES, EXPLAINED_LOOKS, EXPLAINED_NODES, EXPLAINED_PATTERN_LOOKS, EXPLAINED_POINTERS, REPEATED_LOOKS,
        UNIQUE_LOOKS,
    },
    problem::SchemaProblem,
    value::{comparisons, count_nodes, deeper_than, levels, more_bytes_than, pointers, repeated},
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
        if let Some(most) = self.cost.most_values.filter(|most| count_nodes(value, *most) > *most) {
            return Some(Violations::too_much(most));
        }
        let compared = self.cost.unique > 0 && comparisons(value) > UNIQUE_LOOKS / self.cost.unique;
        compared.then(Violations::too_alike)
    }

    fn explain(&self, value: &Value, quote: bool) -> Violations {
        let manner = Manner { complete: true, quote, within: Vec::new() };
        if self.is_small(value) {
            return explain(&self.schema, &self.validator, value, manner);
        }
        let small = |part: &Value| self.is_small(part);
        let found = with_parts(&self.schema, |parts| Some(innermost(&self.schema, value, &self.cost, small, parts)));
        let Found { part, is_all } = found.unwrap_or_default();
        if let Some(part) = part.as_ref().filter(|part| !self.is_small(part.value))
            && let Some((shallow, _)) = self.shallow()
            && self.is_affordable(part.value)
            && let Some(level) = with_parts(shallow, |parts| parts(&part.pointer))
        {
            // All its parts fit, so it is wrong by itself.
            let manner = Manner { complete: false, within: part.path.clone(), ..manner };
            return explain(&self.schema, &level, part.value, manner);
        }
        if let (None, Some((_, validator))) = (&part, self.shallow().filter(|_| self.is_affordable(value))) {
            return explain(&self.schema, validator, value, Manner { complete: false, ..manner });
        }
        let part = part.map(|part| {
            let is_small = self.is_small(part.value);
            (part, is_small)
        });
        explain_large(&self.schema, value, part, Manner { complete: is_all, ..manner })
    }

    fn shallow(&self) -> Option<&(Value, Validator)> {
        match &self.recursion {
            Recursion::None => None,
            Recursion::Unions { shallow, .. } => shallow.as_ref(),
        }
    }

    /// Whether all that is wrong with a value can be told.
    fn is_small(&self, value: &Value) -> bool {
        match &self.recursion {
            Recursion::None => self.is_affordable(value),
            Recursion::Unions { branching, .. } => self.is_small_union(value, *branching),
        }
    }

    /// The same without recursive unions: each violation is an error of its own, and keeps the value that it is about.
    fn is_affordable(&self, value: &Value) -> bool {
        let errors = self.cost.errors.max(self.cost.looks).max(1);
        let most = usize::try_from(EXPLAINED_LOOKS / errors).unwrap_or(usize::MAX).min(EXPLAINED_NODES);
        let bytes = EXPLAINED_BYTES / usize::try_from(errors).unwrap_or(usize::MAX);
        count_nodes(value, most) <= most && !more_bytes_than(value, bytes) && self.is_bearable(value, 1, errors)
    }

    /// Whether the errors about a value hold little enough, and finding them takes little enough time, where each part
    /// counts `branching` times as often with every level.
    fn is_bearable(&self, value: &Value, branching: u64, errors: u64) -> bool {
        let (values, bytes) = repeated(value, branching);
        // Alternatives are checked before what is wrong with them is collected, again for each union around them.
        let unions = (self.cost.unions - 1).saturating_mul(if self.cost.recursive { levels(value) + 1 } else { 1 });
        let matched = bytes.saturating_mul(self.cost.patterns).saturating_mul(unions);
        values.saturating_mul(self.cost.repeated) <= EXPLAINED_BYTES as u64
            && matched <= EXPLAINED_PATTERN_LOOKS
            && pointers(value, branching).saturating_mul(errors) <= EXPLAINED_POINTERS
    }

    /// Whether all that is wrong with a value can be told, although each level of it multiplies the looks by the
    /// alternatives. What an alternative looked at is kept for each level around it, which is as much again.
    fn is_small_union(&self, value: &Value, branching: u64) -> bool {
        let looks = self.cost.errors.max(self.cost.looks).max(1);
        let branching = branching.max(2);
        let (values, bytes) = repeated(value, branching);
        values.saturating_mul(looks) <= REPEATED_LOOKS
            && self.is_bearable(value, branching, looks)
            && bytes.saturating_mul(looks.saturating_mul(2)) <= EXPLAINED_BYTES as u64
    }
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
