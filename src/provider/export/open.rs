//! A schema without references and without `allOf` at its top.

use serde_json::{Map, Value};

use super::{
    merge::{MOST_COPIED, merge},
    normal::{Normal, name_in},
};

type Schema = Map<String, Value>;

/// References in one place. More than admission takes in all.
const MOST_STEPS: usize = 10_000;
/// `allOf`s within one another in one place: each level is one of recursion here.
const LEVELS: usize = 64;

/// A schema whose top says everything itself, and the definitions that were taken into it; `None` is the root.
pub(super) struct Opened {
    pub(super) map: Schema,
    pub(super) entered: Vec<Option<String>>,
}

/// Takes into `map` what it refers to and what is in its `allOf`.
pub(super) fn open(normal: &Normal, map: Schema) -> Result<Opened, String> {
    open_at(normal, map, 0, &mut { MOST_COPIED })
}

fn open_at(normal: &Normal, mut map: Schema, level: usize, room: &mut usize) -> Result<Opened, String> {
    if level > LEVELS {
        return Err("allOf within allOf, too deep".to_owned());
    }
    // It looks at what nothing beside it has looked at: what is taken in is beside it.
    let joins = map.contains_key("$ref") || map.contains_key("allOf");
    let unevaluated = if joins { map.shift_remove("unevaluatedProperties") } else { None };
    let mut opened = Opened { map, entered: Vec::new() };
    for _ in 0..MOST_STEPS {
        if let Some(reference) = opened.map.shift_remove("$ref") {
            let name = reference.as_str().and_then(name_in).map(str::to_owned);
            let Some(target) = normal.target(name.as_deref()) else { return Err("a reference to nothing".to_owned()) };
            opened.entered.push(name);
            opened.take(target, room)?;
        } else if let Some(Value::Array(members)) = opened.map.shift_remove("allOf") {
            for member in members {
                let Value::Object(member) = member else { continue };
                let member = open_at(normal, member, level + 1, room)?;
                opened.entered.extend(member.entered);
                opened.map = merge(opened.map, member.map, room)?;
            }
        } else {
            return opened.with(unevaluated);
        }
    }
    Err("too many references in one place".to_owned())
}

impl Opened {
    fn with(mut self, unevaluated: Option<Value>) -> Result<Self, String> {
        const KEY: &str = "unevaluatedProperties";
        let Some(unevaluated) = unevaluated else { return Ok(self) };
        if self.map.contains_key(KEY) {
            return Err("unevaluatedProperties in several places".to_owned());
        }
        // With `additionalProperties` nothing is left that has not been looked at.
        if !self.map.contains_key("additionalProperties") {
            self.map.insert(KEY.to_owned(), unevaluated);
        }
        Ok(self)
    }

    fn take(&mut self, target: Value, room: &mut usize) -> Result<(), String> {
        if let Value::Object(target) = target {
            self.map = merge(std::mem::take(&mut self.map), target, room)?;
        }
        Ok(())
    }
}
