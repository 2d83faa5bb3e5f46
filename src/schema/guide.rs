//! What a schema says about one place of a value, as far as it can be told without validating.

use std::rc::Rc;

use serde_json::Value;

use super::graph::Graph;

/// Schemas that are looked at for one place; what lies beyond is not known of.
const MOST: usize = 64;
/// References and combinations followed from one schema.
const HOPS: usize = 32;

/// The schemas that may apply to one place of a value: alternatives are not told apart, and what cannot be followed is
/// not among them. Whoever changes a value by this has to validate what comes out.
pub(crate) struct Guide<'s> {
    graph: Rc<Graph<'s>>,
    /// Those that the place before names.
    named: Vec<&'s Value>,
    /// The same, with all that they refer to or are combined of.
    all: Vec<&'s Value>,
}

impl<'s> Guide<'s> {
    /// At the whole value.
    pub(crate) fn new(root: &'s Value) -> Self {
        Self::at(Rc::new(Graph::of(root)), vec![root])
    }

    fn at(graph: Rc<Graph<'s>>, named: Vec<&'s Value>) -> Self {
        let (mut all, mut next) = (named.clone(), 0);
        while let Some(schema) = all.get(next).copied() {
            next += 1;
            let combined = ["allOf", "anyOf", "oneOf"].iter().filter_map(|k| schema.get(k)?.as_array()).flatten();
            let chosen = ["then", "else"].iter().filter_map(|k| schema.get(k));
            for found in targets(&graph, schema).chain(combined).chain(chosen) {
                if all.len() < MOST && !all.iter().any(|known| std::ptr::eq(*known, found)) {
                    all.push(found);
                }
            }
        }
        Self { graph, named, all }
    }

    /// At the member `name` of the object here.
    pub(crate) fn member(&self, name: &str) -> Self {
        let found = self.all.iter().filter_map(|schema| {
            let own = schema.get("properties").and_then(|p| p.get(name));
            own.or_else(|| schema.get("additionalProperties").filter(|s| s.is_object()))
        });
        Self::at(self.graph.clone(), found.take(MOST).collect())
    }

    /// At the item `index` of the array here.
    pub(crate) fn item(&self, index: usize) -> Self {
        let found = self.all.iter().filter_map(|schema| {
            let items = schema.get("items");
            let tuple = schema.get("prefixItems").or_else(|| items.filter(|i| i.is_array()));
            let own = tuple.and_then(|t| t.get(index));
            own.or_else(|| items.filter(|i| i.is_object())).or_else(|| schema.get("additionalItems"))
        });
        Self::at(self.graph.clone(), found.take(MOST).collect())
    }

    /// Whether the place may hold a value of the JSON type `name`, such as `null`. Unsure is a yes.
    pub(crate) fn may_be(&self, name: &str) -> bool {
        self.named.is_empty() || self.named.iter().any(|schema| may_be(&self.graph, schema, name, HOPS))
    }

    /// Whether every schema that names the place lets it hold a value of the JSON type `name`. Unsure is a yes.
    pub(crate) fn may_always_be(&self, name: &str) -> bool {
        self.named.iter().all(|schema| may_be(&self.graph, schema, name, HOPS))
    }

    /// Whether some schema here declares the member `name`.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.all.iter().any(|schema| schema.get("properties").is_some_and(|p| p.get(name).is_some()))
    }

    /// Whether some schema here requires the member `name`: of alternatives, any.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let names = self.all.iter().filter_map(|schema| schema.get("required")?.as_array());
        names.flatten().any(|required| required == name)
    }

    /// Whether every schema that names the place requires the member `name`, whichever alternative applies. Unsure is a no.
    pub(crate) fn always_requires(&self, name: &str) -> bool {
        self.named.iter().all(|schema| requires(&self.graph, schema, name, HOPS))
    }
}

fn requires(graph: &Graph<'_>, schema: &Value, name: &str, hops: usize) -> bool {
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    let Some(hops) = hops.checked_sub(1) else { return false };
    list("required").any(|required| required == name)
        || targets(graph, schema).any(|to| requires(graph, to, name, hops))
        || list("allOf").take(MOST).any(|schema| requires(graph, schema, name, hops))
}

fn may_be(graph: &Graph<'_>, schema: &Value, name: &str, hops: usize) -> bool {
    let Value::Object(map) = schema else { return schema != &Value::Bool(false) };
    let is = |value: &Value| type_name(value) == name || (name == "integer" && value.is_number());
    let stated = match map.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(some)) => some.iter().any(|one| one == name),
        _ => true,
    };
    let listed = map.get("enum").and_then(Value::as_array).is_none_or(|values| values.iter().any(is));
    if !stated || !listed || !map.get("const").is_none_or(is) {
        return false;
    }
    let Some(hops) = hops.checked_sub(1) else { return true };
    let further = |schema: &Value| may_be(graph, schema, name, hops);
    let list = |keyword: &str| map.get(keyword).and_then(Value::as_array);
    targets(graph, schema).all(further)
        && list("allOf").is_none_or(|all| all.iter().take(MOST).all(further))
        && list("anyOf").is_none_or(|any| any.iter().take(MOST).any(further))
        && list("oneOf").is_none_or(|any| any.iter().take(MOST).any(further))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What a schema refers to, by pointer, anchor or name.
fn targets<'s>(graph: &Graph<'s>, schema: &Value) -> impl Iterator<Item = &'s Value> {
    let edges = graph.find(schema).map(|node| &graph.nodes[node].edges).into_iter().flatten();
    edges.filter(|edge| edge.by_reference).map(|edge| graph.nodes[edge.to].schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_may_be_what_some_alternative_lets_it_be() {
        let schema = json!({
            "$defs": {"N": {"type": ["integer", "null"]}},
            "properties": {
                "a": {"$ref": "#/$defs/N"},
                "b": {"anyOf": [{"type": "string"}, {"enum": [1, null]}]},
                "c": {"allOf": [{"type": ["string", "null"]}, {"type": "string"}]},
                "d": {"const": {}},
            },
            "required": ["a"],
        });
        let guide = Guide::new(&schema);
        for (member, may, may_not) in [
            ("a", "integer null", "string number"),
            ("b", "string null number", "array"),
            ("c", "string", "null"),
            ("d", "object", "null string"),
            ("unheard_of", "null string object", ""),
        ] {
            for name in may.split_whitespace() {
                assert!(guide.member(member).may_be(name), "{member} {name}");
            }
            for name in may_not.split_whitespace() {
                assert!(!guide.member(member).may_be(name), "{member} {name}");
            }
        }
        assert!(guide.declares("b") && guide.declares("a") && !guide.declares("unheard_of"));
        let both = json!({"properties": {"a": {"type": "null"}}, "anyOf": [{"properties": {"a": {"type": "string"}}}]});
        let a = Guide::new(&both).member("a");
        assert!(a.may_be("null") && a.may_be("string") && !a.may_always_be("null") && !a.may_always_be("string"));
        let one = json!({"allOf": [{"required": ["a"]}], "anyOf": [{"required": ["b"]}]});
        let one = Guide::new(&one);
        assert!(one.always_requires("a") && one.requires("b") && !one.always_requires("b"));
        assert!(guide.requires("a") && !guide.requires("b"));
    }

    #[test]
    fn references_are_followed_by_pointer_anchor_and_name() {
        let schema = json!({
            "$defs": {
                "A": {"$anchor": "anchored", "allOf": [{"type": "string", "not": {"type": "string"}}]},
                "B": {"$id": "named.json", "type": "integer"},
                "C d": {"type": "array"},
            },
            "properties": {
                "anchored": {"$ref": "#anchored"},
                "named": {"$ref": "named.json"},
                "pointed": {"$ref": "#/$defs/C%20d"},
            },
        });
        let guide = Guide::new(&schema);
        for (name, kind) in [("anchored", "string"), ("named", "integer"), ("pointed", "array")] {
            assert!(guide.member(name).may_be(kind), "{name}");
            assert!(!guide.member(name).may_be("null"), "{name}");
        }
    }

    #[test]
    fn schemas_that_come_back_to_themselves_are_followed_once() {
        let schema =
            json!({"properties": {"next": {"$ref": "#"}}, "anyOf": [{"items": {"$ref": "#"}}, {"type": "object"}]});
        let mut guide = Guide::new(&schema);
        for _ in 0..200 {
            guide = guide.member("next");
        }
        assert!(guide.may_be("object"));
        let many = json!({"anyOf": vec![json!({"anyOf": [{"$ref": "#/anyOf/0"}, {"$ref": "#/anyOf/1"}]}); 100]});
        assert!(Guide::new(&many).may_be("null"), "unsure");
    }
}
