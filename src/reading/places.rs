//! What a schema says of the places of a value.

use serde_json::{Map, Value};

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
            if self.left == 0 {
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
}
