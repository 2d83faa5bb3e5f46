//! Null: whether it is a value of a schema, and where it may stand for what is left out.

use serde_json::{Value, json};

use super::{
    alternatives::Uneven,
    keywords::types,
    merge::is_any,
    normal::{Normal, name_in},
    rules::Null,
    subset::{Schema, Writer, fail, listed},
};

/// References and combinators followed from one schema; beyond, null may be a value.
const HOPS: usize = 32;

impl Writer<'_> {
    /// Whether one object can stand for alternatives of which each leaves out what only others have: with null for it, which
    /// has to mean that, and nothing else.
    pub(super) fn nulls_can_stand(&self, uneven: &Uneven, root: &Schema, keyword: &str) -> Result<(), String> {
        let required: Vec<&str> =
            root.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let optional = |name: &&String| !required.contains(&name.as_str());
        if let Some(name) = uneven.partial.intersection(&uneven.demanded).find(optional) {
            let why = "is demanded by one alternative, and another is closed to it";
            return Err(fail("", format!("{keyword}: {name:?} {why}: as one object they demand both")));
        }
        let null = |name: &&String| {
            let schema = root.get("properties").and_then(|all| all.get(name.as_str()));
            schema.is_some_and(|schema| null_fits(self.normal, schema))
        };
        match uneven.partial.union(&uneven.mixed).filter(optional).find(null) {
            Some(name) => {
                let why = "may be null in one alternative and not in another";
                Err(fail("", format!("{keyword}: {name:?} {why}: null cannot stand for what is left out")))
            }
            None => Ok(()),
        }
    }

    /// The same or null.
    pub(super) fn or_null(&self, mut out: Schema) -> Schema {
        let null = json!({"type": "null"});
        if self.rules.null == Null::Flag {
            out.insert("nullable".to_owned(), json!(true));
            return out;
        }
        if takes_null(self.normal, &out) {
            return out;
        }
        if let Some(Value::Array(branches)) = out.get_mut("anyOf") {
            branches.push(null);
            return out;
        }
        let kind = out.get("type").and_then(Value::as_str).map(str::to_owned);
        let container = kind.as_deref().is_some_and(|kind| kind == "object" || kind == "array");
        match kind {
            Some(kind) if self.rules.null == Null::Type || !container => {
                out.insert("type".to_owned(), json!([kind, "null"]));
                if let Some(Value::Array(values)) = out.get_mut("enum") {
                    values.push(Value::Null);
                }
                out
            }
            _ => {
                let mut whole = Schema::new();
                for word in ["title", "description"] {
                    if let Some(text) = out.shift_remove(word) {
                        whole.insert(word.to_owned(), text);
                    }
                }
                whole.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(out), null]));
                whole
            }
        }
    }
}

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
