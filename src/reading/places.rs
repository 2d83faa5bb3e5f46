//! What a schema says of the places of a value.

use serde_json::{Map, Value};

use crate::reading::path::Step;

/// Subschemas that are looked at for one value, comparisons among them included: far more than real schemas need.
const LOOKS: usize = 200_000;

/// Finds the subschemas that speak of a place. All alternatives do, but for those whose tag is another one.
pub(super) struct Places<'s> {
    root: &'s Value,
    left: usize,
}

/// The subschemas that speak of one place, those among them that they refer to.
pub(super) type Said<'s> = Vec<&'s Map<String, Value>>;

impl<'s> Places<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, left: LOOKS }
    }

    /// Whether there was more to look at than is bearable.
    fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    pub(super) fn of_root(&mut self, value: &Value) -> Said<'s> {
        self.expand(value, vec![self.root])
    }

    /// What is said of the member `key` of an object that `said` speaks of.
    pub(super) fn of_member(&mut self, said: &Said<'s>, key: &str, member: &Value) -> Said<'s> {
        let mut found = Vec::new();
        for schema in said {
            if let Some(own) = schema.get("properties").and_then(|p| p.get(key)) {
                found.push(own);
                continue;
            }
            found.extend(schema.get("additionalProperties"));
            found.extend(schema.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values));
        }
        self.expand(member, found)
    }

    /// What is said of the item at `index` of an array that `said` speaks of.
    pub(super) fn of_item(&mut self, said: &Said<'s>, index: usize, item: &Value) -> Said<'s> {
        let mut found = Vec::new();
        for schema in said {
            let own = ["prefixItems", "items"].iter().find_map(|list| schema.get(*list)?.as_array()?.get(index));
            match own {
                Some(own) => found.push(own),
                None => found.extend(["items", "additionalItems"].iter().filter_map(|rest| schema.get(*rest))),
            }
        }
        self.expand(item, found)
    }

    /// Follows what applies to the same place.
    fn expand(&mut self, value: &Value, mut todo: Vec<&'s Value>) -> Said<'s> {
        let mut said: Said<'s> = Vec::new();
        while let Some(schema) = todo.pop() {
            let Value::Object(schema) = schema else { continue };
            self.left = self.left.saturating_sub(1 + said.len());
            if self.is_exhausted() {
                break;
            }
            if said.iter().any(|other| std::ptr::eq(*other, schema)) || self.has_another_tag(schema, value) {
                continue;
            }
            said.push(schema);
            todo.extend(schema.get("$ref").and_then(|r| self.root.pointer(r.as_str()?.strip_prefix('#')?)));
            for list in ["allOf", "anyOf", "oneOf"] {
                todo.extend(schema.get(list).and_then(Value::as_array).into_iter().flatten());
            }
            todo.extend(["then", "else"].iter().filter_map(|one| schema.get(*one)));
        }
        said
    }

    fn has_another_tag(&mut self, schema: &Map<String, Value>, value: &Value) -> bool {
        let (Some(properties), Value::Object(members)) = (schema.get("properties").and_then(Value::as_object), value)
        else {
            return false;
        };
        self.left = self.left.saturating_sub(properties.len());
        let differs = |name: &String, tag: &Value| members.get(name).is_some_and(|member| member != tag);
        properties.iter().any(|(name, property)| property.get("const").is_some_and(|tag| differs(name, tag)))
    }

    /// Whether what lies at `steps` is not to be repeated: the schema says so of it, of what it is in, or of what is in
    /// it. Where that is too much to look at, it is taken to be so.
    pub(super) fn is_secret(&mut self, value: &Value, steps: &[Step]) -> bool {
        let mut here = value;
        let mut said = self.of_root(value);
        for step in steps {
            if said.iter().any(|schema| says_secret(schema)) {
                return true;
            }
            let Some(inside) = step.inside(here) else { break };
            said = match step {
                Step::Key(key) => self.of_member(&said, key, inside),
                Step::Index(index) => self.of_item(&said, *index, inside),
            };
            here = inside;
        }
        self.holds_secret(here, &said) || self.is_exhausted()
    }

    fn holds_secret(&mut self, value: &Value, said: &Said<'s>) -> bool {
        if said.is_empty() {
            return false;
        }
        if said.iter().any(|schema| says_secret(schema)) {
            return true;
        }
        match value {
            Value::Array(items) => items.iter().enumerate().any(|(index, item)| {
                let inside = self.of_item(said, index, item);
                self.holds_secret(item, &inside)
            }),
            Value::Object(members) => members.iter().any(|(key, member)| {
                let inside = self.of_member(said, key, member);
                self.holds_secret(member, &inside)
            }),
            _ => false,
        }
    }
}

fn says_secret(schema: &Map<String, Value>) -> bool {
    schema.get("writeOnly") == Some(&Value::Bool(true)) || schema.get("format").is_some_and(|f| f == "password")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_too_much_to_look_at_is_taken_to_be_secret() {
        let schema = json!({"items": {"anyOf": [{}, {}, {}]}});
        let is_secret = |items: usize| Places::new(&schema).is_secret(&Value::from(vec![0; items]), &[]);
        assert!(!is_secret(1_000));
        assert!(is_secret(LOOKS));
    }

    #[test]
    fn what_is_secret_is_so_from_above_and_from_below() {
        let schema = json!({"properties": {
            "a": {"writeOnly": true, "properties": {"in": {}}},
            "b": {"items": {"format": "password"}},
            "c": {"writeOnly": false, "format": "uri"},
        }});
        let value = json!({"a": {"in": 1}, "b": [1], "c": 1});
        let is_secret = |steps: &[&str]| {
            let steps: Vec<_> = steps.iter().map(|step| Step::Key((*step).to_owned())).collect();
            Places::new(&schema).is_secret(&value, &steps)
        };
        assert!(is_secret(&["a", "in"]) && is_secret(&["b"]) && is_secret(&[]));
        assert!(!is_secret(&["c"]) && !is_secret(&["c", "nowhere"]));
    }
}
