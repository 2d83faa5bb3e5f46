//! Alternatives at the root, where providers do not take them: one object that accepts what any of them does.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    keywords::{escaped, types},
    merge::is_any,
    normal::Normal,
    note::Notes,
    open::open,
    report::{LossKind, Losses},
};

type Schema = Map<String, Value>;

/// Alternatives within alternatives. Further in, anything is accepted.
const LEVELS: usize = 8;

/// Takes the alternatives of `keyword` into `root`, which has no reference and no `allOf`: the properties of all of them,
/// required where all of them require them.
/// Short ones are noted, too, as they were.
pub(super) fn flatten(normal: &Normal, root: &mut Schema, keyword: &str, losses: &mut Losses, notes: &mut Notes) {
    let Some(said) = root.get(keyword).cloned() else { return };
    flatten_at(normal, root, keyword, losses, 0);
    // What they refer to would mean nothing in a description.
    if !said.to_string().contains("\"$ref\"") {
        notes.add(keyword, &said);
    }
}

fn flatten_at(normal: &Normal, root: &mut Schema, keyword: &str, losses: &mut Losses, level: usize) {
    let Some(Value::Array(branches)) = root.shift_remove(keyword) else { return };
    let branches = opened(normal, branches, losses, level);
    let help = "alternatives at the root are not taken: their properties are those of one object";
    losses.add("", keyword, LossKind::Widened, help);
    let property = |branch: &Schema, name: &str| branch.get("properties").and_then(|p| p.get(name)).cloned();
    let closed = |branch: &Schema| {
        branch.get("additionalProperties") == Some(&json!(false)) && !branch.contains_key("patternProperties")
    };
    let all_closed = !branches.is_empty() && branches.iter().all(closed);
    let plain = |branch: &Schema| {
        closed(branch) || !["additionalProperties", "patternProperties", "if"].iter().any(|k| branch.contains_key(*k))
    };
    if !branches.iter().all(plain) {
        root.shift_remove("unevaluatedProperties");
    }
    let may_add = !closed(root);
    let mut properties = match root.shift_remove("properties") {
        Some(Value::Object(own)) => own,
        _ => Schema::new(),
    };
    let own: Vec<String> = properties.keys().cloned().collect();
    let named = branches.iter().filter_map(|b| b.get("properties")?.as_object()).flat_map(Map::keys);
    let mut new: Vec<&String> = Vec::new();
    let mut known: BTreeSet<&String> = own.iter().collect();
    new.extend(named.filter(|name| known.insert(name)));
    for name in new.into_iter().filter(|_| may_add) {
        let mut schemas: Vec<Value> = Vec::new();
        for branch in &branches {
            match property(branch, name) {
                Some(schema) if schemas.contains(&schema) => {}
                Some(schema) => schemas.push(schema),
                None if closed(branch) => {}
                None => {
                    let pointer = format!("/properties/{}", escaped(name));
                    let help = "one alternative takes any value here, the others do not";
                    losses.add(&pointer, keyword, LossKind::Narrowed, help);
                }
            }
        }
        let schema = match &*schemas {
            _ if schemas.iter().any(is_any) => json!({}),
            [one] => one.clone(),
            several => json!({"anyOf": several}),
        };
        properties.insert(name.clone(), schema);
    }
    root.insert("properties".to_owned(), Value::Object(properties));
    if all_closed && may_add && !root.contains_key("patternProperties") {
        root.insert("additionalProperties".to_owned(), json!(false));
    }
    require_what_all_require(root, &branches);
}

fn require_what_all_require(root: &mut Schema, branches: &[Schema]) {
    let demands = |branch: &Schema, name: &Value| {
        branch.get("required").and_then(Value::as_array).is_some_and(|names| names.contains(name))
    };
    let mut required = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some((first, others)) = branches.split_first() {
        for name in first.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !required.contains(name) && others.iter().all(|branch| demands(branch, name)) {
                required.push(name.clone());
            }
        }
    }
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
}

/// The alternatives that an object can fit, each as one object; one that cannot be told so accepts any.
fn opened(normal: &Normal, all: Vec<Value>, losses: &mut Losses, level: usize) -> Vec<Schema> {
    let mut out = Vec::new();
    for each in all {
        let Value::Object(each) = each else { continue };
        let mut branch = match open(normal, each) {
            Ok(opened) if level < LEVELS => opened.map,
            // It accepts more than it did, which is what the whole is reported as.
            _ => Schema::new(),
        };
        let kinds = types(&branch);
        if kinds.is_some_and(|kinds| !kinds.contains(&"object")) || branch.get("not").is_some_and(is_any) {
            continue;
        }
        for keyword in ["anyOf", "oneOf"] {
            if branch.contains_key(keyword) {
                flatten_at(normal, &mut branch, keyword, losses, level + 1);
            }
        }
        out.push(branch);
    }
    out
}
