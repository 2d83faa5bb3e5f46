//! Which members a schema looks at: what is left is for `unevaluatedProperties`.

use serde_json::{Value, json};

use super::{keywords::is_combinator, subset::Schema};

/// Whether what a branch without references and combinators looks at are its properties.
pub(super) fn lists_all(branch: &Schema) -> bool {
    let more = ["patternProperties", "if", "dependentSchemas"].iter().any(|k| branch.contains_key(*k));
    !more
        && ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .all(|k| branch.get(*k).is_none_or(|v| *v == json!(false)))
}

/// Whether a condition, or what depends on a property, may look at members that are not among `properties`.
pub(super) fn looks_at_more(map: &Schema, properties: &Schema) -> bool {
    let dependent = map.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    let conditional = ["if", "then", "else"].iter().filter_map(|key| map.get(*key));
    let listed =
        |named: &Value| named.as_object().is_some_and(|named| named.keys().all(|k| properties.contains_key(k)));
    conditional.chain(dependent).filter_map(Value::as_object).any(|schema| {
        schema.iter().any(|(key, value)| match key.as_str() {
            "properties" => !listed(value),
            "additionalProperties" | "unevaluatedProperties" => *value != json!(false),
            "patternProperties" => true,
            key => key != "not" && is_combinator(key),
        })
    })
}
