//! Measures for values that were built in a program and have passed no parser: nothing here overflows the stack.

use std::{fmt, ops::Deref};

use serde_json::Value;

use super::{
    limits::{ArgumentLimits, EXACT_INTEGER, HARD_DEPTH, KEY_BYTES, PRIVATE_KEY},
    problem::{ArgumentProblem, excerpt},
};

/// Whether `value` is nested deeper than `levels`. Recurses at most that far, and ends at the first hit.
pub(crate) fn deeper_than(value: &Value, levels: usize) -> bool {
    let deeper = |v: &Value| (v.is_array() || v.is_object()) && deeper_than(v, levels - 1);
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => true,
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(map) => map.values().any(deeper),
        _ => false,
    }
}

/// How many values there are, and how many bytes of texts and names, each counted `branching` times as often with every
/// level. The caller has checked the depth.
pub(crate) fn repeated(value: &Value, branching: u64) -> (u64, u64) {
    fn add(value: &Value, branching: u64, times: u64, sum: &mut (u64, u64)) {
        let bytes = |text: &str| (text.len() as u64).saturating_mul(times);
        let next = times.saturating_mul(branching);
        sum.0 = sum.0.saturating_add(times);
        match value {
            Value::String(text) => sum.1 = sum.1.saturating_add(bytes(text)),
            Value::Array(items) => items.iter().for_each(|item| add(item, branching, next, sum)),
            Value::Object(map) => map.iter().for_each(|(key, item)| {
                sum.1 = sum.1.saturating_add(bytes(key));
                add(item, branching, next, sum);
            }),
            _ => {}
        }
    }
    let mut sum = (0, 0);
    add(value, branching, 1, &mut sum);
    sum
}

/// How many levels of containers there are. The caller has checked that they are few.
pub(crate) fn levels(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(levels).max().unwrap_or(0) + 1,
        Value::Object(map) => map.values().map(levels).max().unwrap_or(0) + 1,
        _ => 0,
    }
}

/// How many bytes a value takes, about: those of its texts and names, and room for each of its parts.
pub(crate) fn held(value: &Value) -> u64 {
    let (values, bytes) = repeated(value, 1);
    values.saturating_mul(size_of::<Value>() as u64).saturating_add(bytes)
}

/// The same, each part counted once for each level around it. The caller has checked the depth.
pub(crate) fn held_by_levels(value: &Value) -> u64 {
    fn add(value: &Value, levels: u64) -> u64 {
        let bytes = |text: &str| (text.len() as u64).saturating_mul(levels);
        let own = levels.saturating_mul(size_of::<Value>() as u64);
        match value {
            Value::String(text) => own.saturating_add(bytes(text)),
            Value::Array(items) => items.iter().fold(own, |sum, item| sum.saturating_add(add(item, levels + 1))),
            Value::Object(map) => map
                .iter()
                .fold(own, |sum, (key, item)| sum.saturating_add(bytes(key)).saturating_add(add(item, levels + 1))),
            _ => own,
        }
    }
    add(value, 1)
}

/// How many bytes the pointers to all values take, each counted as in [`repeated`]. The caller has checked the depth.
pub(crate) fn pointers(value: &Value, branching: u64) -> u64 {
    /// A slash and a number of some digits.
    const INDEX: u64 = 6;
    fn add(value: &Value, branching: u64, times: u64, length: u64, sum: &mut u64) {
        *sum = sum.saturating_add(length.saturating_mul(times));
        let next = times.saturating_mul(branching);
        match value {
            Value::Array(items) => items.iter().for_each(|item| add(item, branching, next, length + INDEX, sum)),
            Value::Object(map) => {
                map.iter().for_each(|(key, item)| add(item, branching, next, length + 1 + key.len() as u64, sum));
            }
            _ => {}
        }
    }
    let mut sum = 0;
    add(value, branching, 1, 0, &mut sum);
    sum
}

/// Checks a built value against `limits`; bytes are those of its strings and keys. Recurses no farther than the limit on
/// levels, and ends at the first limit that is passed.
pub(crate) fn measure(value: &Value, limits: ArgumentLimits) -> Result<(), ArgumentProblem> {
    Tally { limits, nodes: 0, bytes: 0 }.add(value, 0)
}

struct Tally {
    limits: ArgumentLimits,
    nodes: usize,
    bytes: usize,
}

impl Tally {
    fn add(&mut self, value: &Value, levels: usize) -> Result<(), ArgumentProblem> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(too_many(self.limits.nodes));
        }
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
            Value::String(text) => self.add_bytes(text.len()),
            Value::Array(_) | Value::Object(_) if levels == self.limits.depth => Err(too_deep(levels)),
            Value::Array(items) => items.iter().try_for_each(|item| self.add(item, levels + 1)),
            Value::Object(map) => map.iter().try_for_each(|(key, item)| {
                check_key(key)?;
                self.add_bytes(key.len())?;
                self.add(item, levels + 1)
            }),
        }
    }

    fn add_bytes(&mut self, more: usize) -> Result<(), ArgumentProblem> {
        self.bytes += more;
        if self.bytes > self.limits.bytes { Err(too_large(self.limits.bytes)) } else { Ok(()) }
    }
}

pub(crate) fn too_deep(levels: usize) -> ArgumentProblem {
    ArgumentProblem::whole(format!("nested deeper than {levels} levels"))
}

pub(crate) fn too_many(nodes: usize) -> ArgumentProblem {
    ArgumentProblem::whole(format!("more than {nodes} values in all"))
}

pub(crate) fn too_large(bytes: usize) -> ArgumentProblem {
    ArgumentProblem::whole(format!("larger than {bytes} bytes"))
}

/// Whether a property may have this name.
pub(crate) fn check_key(key: &str) -> Result<(), ArgumentProblem> {
    if key.len() > KEY_BYTES {
        return Err(long_key(key));
    }
    if key.starts_with(PRIVATE_KEY) {
        return Err(ArgumentProblem::whole(format!("the name {} means something else to a parser", excerpt(key))));
    }
    Ok(())
}

/// Whether the texts and names in `value` are longer than `most` together. The caller has checked the depth.
pub(crate) fn more_bytes_than(value: &Value, most: usize) -> bool {
    fn left(value: &Value, most: usize) -> Option<usize> {
        match value {
            Value::String(text) => most.checked_sub(text.len()),
            Value::Array(items) => items.iter().try_fold(most, |most, item| left(item, most)),
            Value::Object(map) => {
                map.iter().try_fold(most, |most, (key, item)| left(item, most.checked_sub(key.len())?))
            }
            _ => Some(most),
        }
    }
    left(value, most).is_none()
}

fn long_key(key: &str) -> ArgumentProblem {
    ArgumentProblem::whole(format!("the name {} is longer than {KEY_BYTES} bytes", excerpt(key)))
}

/// How many values there are, counted no further than `most`.
pub(crate) fn count_nodes(value: &Value, most: usize) -> usize {
    let mut seen = 0;
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        seen += 1;
        if seen + todo.len() > most {
            return most + 1;
        }
        match value {
            Value::Array(items) => todo.extend(items.iter().take(most + 1)),
            Value::Object(map) => todo.extend(map.values().take(most + 1)),
            _ => {}
        }
    }
    seen
}

/// How many values comparing the items of one array with one another may look at, that of the dearest array. Items are
/// told apart by a hash first; only such count that may share one: containers, and integers that are rounded for it.
pub(crate) fn comparisons(value: &Value) -> u64 {
    fn of(value: &Value, most: &mut u64) -> u64 {
        match value {
            Value::Array(items) => {
                let (mut alike, mut inside, mut all) = (0_u64, 0_u64, 0_u64);
                for item in items {
                    let own = of(item, most);
                    let rounded = || item.as_u64().or_else(|| item.as_i64().map(i64::unsigned_abs));
                    if item.is_array() || item.is_object() || rounded().is_some_and(|n| n > EXACT_INTEGER) {
                        alike += 1;
                        inside += own;
                    }
                    all += own;
                }
                *most = (*most).max(alike.saturating_mul(inside));
                all + 1
            }
            Value::Object(map) => map.values().fold(1, |sum, item| sum + of(item, most)),
            _ => 1,
        }
    }
    let mut most = 0;
    of(value, &mut most);
    most
}

/// Drops a value of any depth without recursion.
pub(crate) fn dismantle(value: Value) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        let nested = |v: &Value| v.is_array() || v.is_object();
        match value {
            Value::Array(items) => todo.extend(items.into_iter().filter(nested)),
            Value::Object(map) => todo.extend(map.into_iter().map(|(_, v)| v).filter(nested)),
            _ => {}
        }
    }
}

/// Owns a value from outside: dropping it does not overflow, however deep it is.
pub(crate) struct Shielded {
    value: Value,
    deep: bool,
}

impl Shielded {
    pub(crate) fn new(value: Value) -> Self {
        let deep = deeper_than(&value, HARD_DEPTH);
        Self { value, deep }
    }

    pub(crate) fn into_inner(mut self) -> Value {
        self.deep = false;
        std::mem::take(&mut self.value)
    }
}

impl Deref for Shielded {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl Drop for Shielded {
    fn drop(&mut self) {
        if self.deep {
            dismantle(std::mem::take(&mut self.value));
        }
    }
}

impl fmt::Debug for Shielded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.deep { f.write_str("[a value too deep to print]") } else { fmt::Debug::fmt(&self.value, f) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIMITS: ArgumentLimits = ArgumentLimits { bytes: 10, depth: 2, nodes: 4 };

    #[test]
    fn depth_is_levels_of_containers() {
        assert!(!deeper_than(&json!(1), 0));
        assert!(deeper_than(&json!({}), 0));
        assert!(!deeper_than(&json!({"a": 1}), 1));
        assert!(!deeper_than(&json!([[]]), 2));
        assert!(deeper_than(&json!([[]]), 1));
    }

    #[test]
    fn each_limit_is_the_first_that_is_too_much() {
        assert!(measure(&json!({"a": [1, 2]}), LIMITS).is_ok());
        assert_eq!(measure(&json!({"a": [1, 2, 3]}), LIMITS), Err(too_many(4)));
        assert_eq!(measure(&json!([[[]]]), LIMITS), Err(too_deep(2)));
        assert!(measure(&json!({"abc": "1234567"}), LIMITS).is_ok());
        assert_eq!(measure(&json!({"abc": "12345678"}), LIMITS), Err(too_large(10)));
    }
}
