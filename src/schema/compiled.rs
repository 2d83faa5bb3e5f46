//! A compiled schema: the only place that knows the validator behind it.

use std::{fmt, sync::Arc};

use jsonschema::{PatternOptions, Validator, error::ValidationErrorKind};
use serde_json::Value;

use super::{
    admission::{self, Admitted},
    cost::Cost,
    explain::{Violations, explain},
    limits::{EXPLAINED_BYTES, EXPLAINED_LOOKS, REGEX_BYTES},
    problem::SchemaProblem,
    value::{count_nodes, deeper_than, more_bytes_than},
};
use crate::cut::cut;

/// A schema that was admitted and compiled. Cheap to clone.
///
/// Formats are annotations, for every draft. Patterns run on an engine that is linear in the text; look-around and
/// back-references are refused at registration. Nothing is ever fetched.
#[derive(Clone)]
pub(crate) struct CompiledSchema {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    validator: Validator,
    /// For explaining: the same without the loops of recursive unions, if it has such.
    shallow: Option<Validator>,
    cost: Cost,
}

impl CompiledSchema {
    /// Admits and compiles a schema.
    ///
    /// # Errors
    ///
    /// Every problem that admission finds, else the first that the compiler does.
    pub(crate) fn compile(schema: &Value) -> Result<Self, Vec<SchemaProblem>> {
        if accepts_anything(schema) {
            return Ok(Self { inner: None });
        }
        let Admitted { cost, loops } = admission::admit(schema)?;
        let validator = build(schema).map_err(|p| vec![p])?;
        let shallow = if loops.is_empty() { None } else { build(&without(schema, &loops)).ok() };
        Ok(Self { inner: Some(Arc::new(Inner { validator, shallow, cost })) })
    }

    /// Whether `value` is valid. The caller has checked that it is not deeper than the hard limit.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        let Some(inner) = &self.inner else { return true };
        inner.excess(value).is_none() && inner.validator.is_valid(value)
    }

    /// What is wrong with a value that is not valid.
    pub(crate) fn violations(&self, value: &Value) -> Violations {
        match &self.inner {
            Some(inner) => match inner.excess(value) {
                Some(violations) => violations,
                None => inner.explain(value),
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

    fn explain(&self, value: &Value) -> Violations {
        let looks = usize::try_from(self.cost.looks).unwrap_or(usize::MAX);
        if more_bytes_than(value, EXPLAINED_BYTES / looks.max(1)) {
            return Violations::unexplained();
        }
        let all = usize::try_from(EXPLAINED_LOOKS / self.cost.looks.max(1)).unwrap_or(usize::MAX);
        match &self.shallow {
            Some(shallow) => explain(shallow, value, all, false),
            None => explain(&self.validator, value, all, true),
        }
    }
}

fn accepts_anything(schema: &Value) -> bool {
    match schema {
        Value::Bool(yes) => *yes,
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn build(schema: &Value) -> Result<Validator, SchemaProblem> {
    let stripped = known_dialect(schema);
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES))
        .build(stripped.as_ref().unwrap_or(schema))
        .map_err(|e| {
            let message = match e.kind() {
                ValidationErrorKind::Format { format } if format == "regex" => {
                    "a pattern that is none, is too large, or has look-around or back-references".to_owned()
                }
                _ => e.masked().to_string(),
            };
            let words = cut(&message, 512);
            SchemaProblem::new(e.instance_path().as_str(), format!("does not compile: {words}"))
        })
}

/// A schema that names a dialect nobody knows is read as the newest one, and a warning says so.
fn known_dialect(schema: &Value) -> Option<Value> {
    let dialect = schema.get("$schema")?;
    let text = dialect.as_str().unwrap_or_default();
    let known = ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"];
    let official = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let rest = official.and_then(|t| t.strip_prefix("json-schema.org/"));
    if rest.is_some_and(|t| known.iter().any(|k| t.strip_prefix(k).is_some_and(|t| t.starts_with("/schema")))) {
        return None;
    }
    tracing::warn!("unknown $schema in a tool's schema; it is read as draft 2020-12");
    let mut stripped = schema.clone();
    stripped.as_object_mut()?.remove("$schema");
    Some(stripped)
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
