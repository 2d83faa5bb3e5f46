//! Two schemas for one value as one schema: what `allOf` says, without it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::keywords::{concerns, is_annotation, is_of, matters, named_types};

type Schema = Map<String, Value>;

/// Bytes that may be copied in one place. What is said of members of any name is said again of each one that the other side
/// lists: of many members in an `allOf`, by many others. A budget for one tool is far less.
pub(super) const MOST_COPIED: usize = 4 << 20;

/// A schema that accepts what both accept; parts that both speak of become an `allOf` further in, a flat one.
/// Not both may have a reference. What cannot be said without `allOf` is told by its keyword. `room` is what is left of
/// [`MOST_COPIED`].
pub(super) fn merge(mut out: Schema, mut other: Schema, room: &mut usize) -> Result<Schema, String> {
    let conditional = |map: &Schema| map.contains_key("if");
    let differ = |key: &&str| out.get(*key) != other.get(*key);
    if conditional(&out) && conditional(&other) && ["if", "then", "else"].iter().any(differ) {
        return Err("two conditions with if".to_owned());
    }
    objects(&mut out, &mut other, room)?;
    arrays(&mut out, &mut other)?;
    for (key, theirs) in other {
        let Some(ours) = out.get(&key) else {
            out.insert(key, theirs);
            continue;
        };
        if *ours != theirs && !is_annotation(&key) {
            let both = one_keyword(&key, ours, &theirs)?;
            out.insert(key, both);
        }
    }
    Ok(out)
}

fn one_keyword(key: &str, ours: &Value, theirs: &Value) -> Result<Value, String> {
    let unclear = || format!("two different values of {key}");
    match key {
        "type" => {
            let (Some(ours), Some(theirs)) = (named_types(ours), named_types(theirs)) else { return Err(unclear()) };
            let has = |list: &[&str], kind: &str| list.contains(&kind);
            let all = ["object", "array", "string", "number", "integer", "boolean", "null"];
            let whole = |list: &[&str]| has(list, "integer") || has(list, "number");
            let both = all.into_iter().filter(|kind| match *kind {
                "integer" => whole(&ours) && whole(&theirs) && !(has(&ours, "number") && has(&theirs, "number")),
                kind => has(&ours, kind) && has(&theirs, kind),
            });
            match &*both.collect::<Vec<_>>() {
                [] => Err(format!("no type is both {} and {}", ours.join("|"), theirs.join("|"))),
                [kind] => Ok(json!(kind)),
                kinds => Ok(json!(kinds)),
            }
        }
        "enum" => {
            let (Some(ours), Some(theirs)) = (ours.as_array(), theirs.as_array()) else { return Err(unclear()) };
            let theirs: BTreeSet<String> = theirs.iter().map(Value::to_string).collect();
            let both: Vec<_> = ours.iter().filter(|v| theirs.contains(&v.to_string())).collect();
            if both.is_empty() { Err("no value is in both enums".to_owned()) } else { Ok(json!(both)) }
        }
        "allOf" => {
            let (Some(ours), Some(theirs)) = (ours.as_array(), theirs.as_array()) else { return Err(unclear()) };
            Ok(ours.iter().chain(theirs).cloned().collect())
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" | "minContains" => {
            larger(ours, theirs).ok_or_else(unclear)
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => larger(ours, theirs)
            .map(|more| if more == *ours { theirs.clone() } else { ours.clone() })
            .ok_or_else(unclear),
        "uniqueItems" => Ok(json!(ours == &json!(true) || theirs == &json!(true))),
        _ => Err(unclear()),
    }
}

/// The larger of two numbers: of lower bounds, the one that holds.
pub(super) fn larger(a: &Value, b: &Value) -> Option<Value> {
    let more = match (a.as_i64(), b.as_i64()) {
        (Some(x), Some(y)) => x >= y,
        _ => a.as_f64()? >= b.as_f64()?,
    };
    Some(if more { a.clone() } else { b.clone() })
}

/// The members: what one side says of a name, and the other says of all names that it does not list.
fn objects(out: &mut Schema, other: &mut Schema, room: &mut usize) -> Result<(), String> {
    if !other.keys().any(|k| concerns(k) == Some("object")) {
        return Ok(());
    }
    let limits = |map: &Schema| map.contains_key("patternProperties") || map.contains_key("unevaluatedProperties");
    let names_none = !other.contains_key("properties") && other.get("additionalProperties").is_none_or(is_any);
    if (limits(out) && !names_none) || limits(other) {
        return Err("patternProperties or unevaluatedProperties beside other members".to_owned());
    }
    let said = ["properties", "additionalProperties"].map(|k| out.contains_key(k) || other.contains_key(k));
    let rest = |map: &mut Schema| map.shift_remove("additionalProperties").unwrap_or(json!(true));
    let named = |map: &mut Schema| match map.shift_remove("properties") {
        Some(Value::Object(named)) => named,
        _ => Schema::new(),
    };
    let (our_rest, their_rest) = (rest(out), rest(other));
    let (ours, theirs) = (named(out), named(other));
    let mut all = ours;
    let alone = |side: &Schema, other: &Schema| side.keys().filter(|name| !other.contains_key(*name)).count();
    copied(&their_rest, alone(&all, &theirs), room)?;
    copied(&our_rest, alone(&theirs, &all), room)?;
    if !is_any(&their_rest) {
        for (name, own) in &mut all {
            if !theirs.contains_key(name) {
                *own = both(own.take(), their_rest.clone());
            }
        }
    }
    for (name, own) in theirs {
        let ours = all.get_mut(&name).map(Value::take);
        all.insert(name, both(ours.unwrap_or_else(|| our_rest.clone()), own));
    }
    // What nothing fits is no member.
    if our_rest == Value::Bool(false) || their_rest == Value::Bool(false) {
        all.retain(|_, schema| *schema != Value::Bool(false));
    }
    if said[0] {
        out.insert("properties".to_owned(), Value::Object(all));
    }
    if said[1] {
        out.insert("additionalProperties".to_owned(), both(our_rest, their_rest));
    }
    if let Some(Value::Array(theirs)) = other.shift_remove("required") {
        let ours = out.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(ours) = ours {
            // Mostly a few of them are added to many.
            for name in theirs {
                if !ours.contains(&name) {
                    ours.push(name);
                }
            }
        }
    }
    Ok(())
}

fn arrays(out: &mut Schema, other: &mut Schema) -> Result<(), String> {
    let tuple = |map: &Schema| map.contains_key("prefixItems") || map.contains_key("unevaluatedItems");
    let speaks = |map: &Schema| tuple(map) || map.contains_key("items");
    if (tuple(out) && speaks(other)) || (speaks(out) && tuple(other)) {
        return Err("prefixItems beside other items".to_owned());
    }
    if let Some(theirs) = other.shift_remove("items") {
        let together = match out.shift_remove("items") {
            Some(ours) => both(ours, theirs),
            None => theirs,
        };
        out.insert("items".to_owned(), together);
    }
    Ok(())
}

/// Whether a schema accepts everything.
pub(super) fn is_any(schema: &Value) -> bool {
    *schema == Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty)
}

/// Counts copies of what is said of members of any name.
fn copied(rest: &Value, times: usize, room: &mut usize) -> Result<(), String> {
    if times > 0 && rest.is_object() && !is_any(rest) {
        // To measure it is as much as to copy it once more.
        let bytes = rest.to_string().len().saturating_mul(times.saturating_add(1));
        *room = room.checked_sub(bytes).ok_or("too much is said of members of any name")?;
    }
    Ok(())
}

fn both(mut a: Value, b: Value) -> Value {
    if is_any(&b) && (a.is_object() || !is_any(&a)) {
        a
    } else if is_any(&a) || a == b {
        b
    } else if a == Value::Bool(false) || b == Value::Bool(false) {
        Value::Bool(false)
    } else if let Some(members) = bare_all_of(&mut a) {
        members.push(b);
        a
    } else {
        json!({"allOf": [a, b]})
    }
}

/// The members of an `allOf` that nothing stands beside. One more belongs among them: within one another, many would be
/// as many levels.
fn bare_all_of(schema: &mut Value) -> Option<&mut Vec<Value>> {
    match schema {
        Value::Object(map) if map.len() == 1 => map.get_mut("allOf")?.as_array_mut(),
        _ => None,
    }
}

/// The part of a schema that means something for values of the type `kind`.
pub(super) fn part_for(map: &Schema, kind: &str) -> Schema {
    let mut out = Schema::new();
    for (key, value) in map.iter().filter(|(key, _)| matters(key, kind)) {
        match (key.as_str(), value) {
            ("type", _) => _ = out.insert(key.clone(), json!(kind)),
            ("enum", Value::Array(values)) => {
                let fit = values.iter().filter(|v| is_of(v, kind)).cloned().collect();
                out.insert(key.clone(), fit);
            }
            _ => _ = out.insert(key.clone(), value.clone()),
        }
    }
    out.entry("type").or_insert_with(|| json!(kind));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(a: Value, b: Value) -> Result<Value, String> {
        let (Value::Object(a), Value::Object(b)) = (a, b) else { return Err("no schemas".to_owned()) };
        merge(a, b, &mut { MOST_COPIED }).map(Value::Object)
    }

    #[test]
    fn two_objects_become_one() {
        let a =
            json!({"type": "object", "properties": {"x": {"type": "string"}, "y": {"minimum": 1}}, "required": ["x"]});
        let b = json!({"properties": {"y": {"type": "integer"}, "z": {}}, "required": ["z", "x"], "description": "d"});
        let expected = json!({
            "type": "object",
            "properties": {"x": {"type": "string"}, "y": {"allOf": [{"minimum": 1}, {"type": "integer"}]}, "z": {}},
            "required": ["x", "z"], "description": "d",
        });
        assert_eq!(merged(a, b), Ok(expected));
    }

    #[test]
    fn a_closed_object_stays_closed() {
        let a = json!({"properties": {"x": {}}, "additionalProperties": false});
        let b = json!({"properties": {"x": {"type": "string"}, "y": {}}});
        let expected = json!({"properties": {"x": {"type": "string"}}, "additionalProperties": false});
        assert_eq!(merged(a, b), Ok(expected));
    }

    #[test]
    fn what_many_say_stays_flat_and_is_not_copied_without_end() {
        let a = json!({"properties": {"x": {"allOf": [{"minimum": 1}, {"minimum": 2}]}}});
        let b = json!({"properties": {"x": {"minimum": 3}}});
        let expected = json!({"properties": {"x": {"allOf": [{"minimum": 1}, {"minimum": 2}, {"minimum": 3}]}}});
        assert_eq!(merged(a, b), Ok(expected));
        let names = (0..100).map(|n| (n.to_string(), json!({}))).collect::<Schema>();
        let long = json!({"additionalProperties": {"title": "x".repeat(MOST_COPIED / 100)}});
        assert!(merged(json!({"properties": names}), long.clone()).is_err());
        assert!(merged(long, json!({"properties": names})).is_err());
    }

    #[test]
    fn the_narrower_bound_counts() {
        let a = json!({"type": ["number", "null"], "minimum": 1, "maximum": 9.5, "enum": [1, 2, 3]});
        let b = json!({"type": "integer", "minimum": 2, "maximum": 9, "enum": [2, 3, 4]});
        assert_eq!(merged(a, b), Ok(json!({"type": "integer", "minimum": 2, "maximum": 9, "enum": [2, 3]})));
        assert!(merged(json!({"type": "string"}), json!({"type": "null"})).is_err());
        assert!(merged(json!({"pattern": "a"}), json!({"pattern": "b"})).is_err());
    }
}
