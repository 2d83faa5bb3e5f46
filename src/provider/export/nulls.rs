//! Whether null is a value of a schema, through references and combinators.

use serde_json::Value;

use super::{
    keywords::types,
    merge::is_any,
    normal::{Normal, name_in},
    subset::{Schema, listed},
};

/// References and combinators followed from one schema; beyond, null may be a value.
const HOPS: usize = 32;

/// Whether null may be a value of a schema in its normal form. Unsure is a yes.
pub(super) fn null_fits(normal: &Normal, schema: &Value) -> bool {
    fits(normal, schema, HOPS)
}

fn fits(normal: &Normal, schema: &Value, hops: usize) -> bool {
    let Value::Object(map) = schema else { return *schema != Value::Bool(false) };
    let named = types(map).is_none_or(|kinds| kinds.contains(&"null"));
    let among = listed(map).is_none_or(|values| values.contains(&&Value::Null));
    if !named || !among || map.get("not").is_some_and(is_any) {
        return false;
    }
    let Some(hops) = hops.checked_sub(1) else { return true };
    let further = |schema: &Value| fits(normal, schema, hops);
    let list = |keyword: &str| map.get(keyword).and_then(Value::as_array);
    target(normal, map).is_none_or(|target| further(&target))
        && list("allOf").is_none_or(|all| all.iter().all(further))
        && ["anyOf", "oneOf"].iter().filter_map(|keyword| list(keyword)).all(|any| any.iter().any(further))
}

fn target(normal: &Normal, map: &Schema) -> Option<Value> {
    let reference = map.get("$ref").and_then(Value::as_str)?;
    normal.target(name_in(reference))
}

/// Whether what was written takes null.
pub(super) fn takes_null(normal: &Normal, out: &Schema) -> bool {
    let named = types(out).is_some_and(|kinds| kinds.contains(&"null"));
    let branch = |b: &Value| b.as_object().is_some_and(|b| takes_null(normal, b));
    named
        || out.get("nullable") == Some(&Value::Bool(true))
        || out.get("anyOf").and_then(Value::as_array).is_some_and(|branches| branches.iter().any(branch))
        || target(normal, out).is_some_and(|target| null_fits(normal, &target))
}
