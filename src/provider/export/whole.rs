//! A schema as its author wrote it, but for what a provider refuses.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    alternatives::flatten,
    keywords::{children, children_mut, is_annotation, is_combinator, types},
    normal::{Normal, name_in},
    note::Notes,
    open::open,
    report::{LossKind, Losses},
};

type Schema = Map<String, Value>;

/// What a provider refuses that takes JSON Schema otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    /// Keywords at the root.
    pub(super) root_refused: &'static [&'static str],
    /// Arrays that do not say what is in them.
    pub(super) bare_arrays_refused: bool,
}

/// The parameters under these rules. The root is an object and lists its properties.
pub(super) fn write(normal: &Normal, rules: Whole, losses: &mut Losses) -> Schema {
    let mut root = normal.root.clone();
    if rules.root_refused.contains(&"allOf") {
        combine(normal, &mut root, losses);
    }
    let mut notes = Notes::default();
    for keyword in rules.root_refused {
        match *keyword {
            "anyOf" | "oneOf" => _ = flatten(normal, &mut root, keyword, losses, &mut notes),
            keyword => {
                if let Some(value) = root.shift_remove(keyword) {
                    notes.take(losses, "", keyword, &value);
                }
            }
        }
    }
    notes.write(&mut root);
    object_at_root(&mut root);
    let mut out = Value::Object(root);
    add_definitions(normal, &mut out);
    if rules.bare_arrays_refused {
        say_items(&mut out, losses);
    }
    match out {
        Value::Object(out) => out,
        _ => Schema::new(),
    }
}

/// Arguments are an object whatever the root says: to say it loses nothing.
pub(super) fn object_at_root(root: &mut Schema) {
    let mut out = Schema::new();
    out.insert("type".to_owned(), json!("object"));
    out.extend(std::mem::take(root).into_iter().filter(|(key, _)| key != "type"));
    out.entry("properties").or_insert_with(|| json!({}));
    *root = out;
}

/// Takes references and `allOf` at the root into it, as far as that goes.
fn combine(normal: &Normal, root: &mut Schema, losses: &mut Losses) {
    let own: Schema = root.clone().into_iter().filter(|(key, _)| key != "$ref" && key != "allOf").collect();
    if own.len() == root.len() {
        return;
    }
    match open(normal, root.clone()) {
        Ok(opened) => *root = opened.map,
        Err(reason) => {
            let mut notes = Notes::default();
            if let Some(members) = root.get("allOf") {
                notes.add("allOf", members);
            }
            losses.add("", "allOf", LossKind::Widened, format!("not taken at the root, and no one schema: {reason}"));
            *root = own;
            // Names that only a member declares would count as unknown ones.
            root.shift_remove("unevaluatedProperties");
            notes.write(root);
        }
    }
}

/// Puts in the definitions that something refers to, those that they refer to, and so on.
pub(super) fn add_definitions(normal: &Normal, out: &mut Value) {
    let mut wanted: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    references(out, &mut |name| {
        if seen.insert(name.to_owned()) {
            wanted.push(name.to_owned());
        }
    });
    let mut next = 0;
    let mut defs = Schema::new();
    while let Some(name) = wanted.get(next).cloned() {
        next += 1;
        let Some(schema) = normal.defs.get(&name) else { continue };
        references(schema, &mut |name| {
            if seen.insert(name.to_owned()) {
                wanted.push(name.to_owned());
            }
        });
        defs.insert(name, schema.clone());
    }
    if let (Value::Object(out), false) = (out, defs.is_empty()) {
        out.insert("$defs".to_owned(), Value::Object(defs));
    }
}

fn references(schema: &Value, found: &mut impl FnMut(&str)) {
    let Value::Object(map) = schema else { return };
    if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(name_in) {
        found(name);
    }
    children(map, |_, schema| references(schema, &mut *found));
}

/// An array of anything says so.
fn say_items(schema: &mut Value, losses: &mut Losses) {
    let Value::Object(map) = schema else { return };
    if types(map).is_some_and(|kinds| kinds.contains(&"array")) && !map.contains_key("items") {
        // What is left for `unevaluatedItems` is what the alternatives do not look at; with `items` nothing is.
        let items = match map.shift_remove("unevaluatedItems") {
            Some(rest) if !map.keys().any(|k| is_combinator(k) || k == "contains") => match rest {
                Value::Bool(false) => json!({"not": {}}),
                Value::Bool(true) => json!({}),
                rest => rest,
            },
            Some(_) => {
                losses.add("", "unevaluatedItems", LossKind::Widened, "an array has to say what all its items are");
                json!({})
            }
            None => json!({}),
        };
        map.insert("items".to_owned(), items);
    }
    children_mut(map, |schema| say_items(schema, losses));
}

/// How many levels of schemas within schemas there are.
pub(super) fn levels(schema: &Value) -> usize {
    let Value::Object(map) = schema else { return 1 };
    let mut most = 0;
    children(map, |_, schema| most = most.max(levels(schema)));
    most + 1
}

/// Whether nothing but words stands beside the keywords of `but`.
pub(super) fn only(map: &Schema, but: &[&str]) -> bool {
    map.keys().all(|key| is_annotation(key) || but.contains(&key.as_str()))
}
