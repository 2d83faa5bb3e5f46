//! Random schemas, and values that may fit them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "c", "d-e"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn reference() -> impl Strategy<Value = Value> {
    prop::sample::select(&["#/$defs/A", "#/$defs/B", "#", "#anchored"][..]).prop_map(|to| json!({"$ref": to}))
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "minLength": 1, "maxLength": 3, "description": "words"})),
        Just(json!({"type": "string", "pattern": "^[xy]", "default": "x", "format": "uri"})),
        Just(json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 4})),
        Just(json!({"type": "number", "exclusiveMinimum": 0.5, "multipleOf": 0.5})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"type": ["string", "null", "integer"], "minimum": 1})),
        Just(json!({"enum": ["x", "y", 3, null]})),
        Just(json!({"enum": ["x", "", "y"], "type": "string"})),
        Just(json!({"const": 2})),
        Just(json!({"const": true})),
        Just(json!({"minimum": 1, "maxLength": 2})),
        Just(json!({"type": "object"})),
        Just(json!({"type": "array"})),
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        reference(),
    ]
}

fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let properties = prop::collection::vec((name(), inner.clone()), 0..4);
    let required = prop::collection::btree_set(name(), 0..3);
    let more = prop_oneof![
        3 => Just(None),
        2 => Just(Some(("additionalProperties", json!(false)))),
        1 => Just(Some(("unevaluatedProperties", json!(false)))),
        1 => inner.clone().prop_map(|schema| Some(("additionalProperties", schema))),
        1 => inner.clone().prop_map(|schema| Some(("patternProperties", json!({"^[cd]": schema})))),
        1 => (name(), inner.clone()).prop_map(|(name, schema)| Some(("dependentSchemas", json!({name: schema})))),
        1 => inner.prop_map(|schema| Some(("then", schema))),
        1 => Just(Some(("dependentRequired", json!({"a": ["b"]})))),
        1 => Just(Some(("maxProperties", json!(2)))),
    ];
    (properties, required, more, any::<bool>()).prop_map(|(properties, required, more, typed)| {
        let mut out = Map::new();
        if typed {
            out.insert("type".to_owned(), json!("object"));
        }
        out.insert("properties".to_owned(), Value::Object(properties.into_iter().collect()));
        out.insert("required".to_owned(), json!(required));
        if let Some((key, value)) = more {
            if key == "then" {
                out.insert("if".to_owned(), json!({"properties": {"a": {"type": ["string", "integer"]}}}));
                out.insert("unevaluatedProperties".to_owned(), json!(false));
            }
            out.insert(key.to_owned(), value);
        }
        Value::Object(out)
    })
}

fn schema() -> BoxedStrategy<Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            4 => object(inner.clone()),
            2 => inner.clone().prop_map(|items| json!({"type": "array", "items": items, "maxItems": 3})),
            1 => (inner.clone(), inner.clone(), any::<bool>()).prop_map(|(a, b, open)| {
                json!({"type": "array", "prefixItems": [a, b], "items": open, "minItems": 1})
            }),
            1 => inner.clone().prop_map(|first| json!({"type": "array", "prefixItems": [first], "unevaluatedItems": false})),
            2 => several.clone().prop_map(|all| json!({"anyOf": all})),
            2 => several.clone().prop_map(|all| json!({"oneOf": all, "title": "One"})),
            2 => several.prop_map(|all| json!({"allOf": all, "description": "All"})),
            1 => inner.clone().prop_map(|one| json!({"allOf": [one]})),
            1 => (inner.clone(), object(inner.clone())).prop_map(|(one, beside)| {
                let mut out = beside;
                out["anyOf"] = json!([one, {"required": ["a"]}]);
                out
            }),
            1 => inner.clone().prop_map(|not| json!({"type": "string", "not": not})),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"if": a, "then": b, "uniqueItems": true})),
            1 => reference().prop_map(|mut to| {
                to["minProperties"] = json!(1);
                to["description"] = json!("Beside");
                to
            }),
            1 => inner.prop_map(|contains| json!({"type": "array", "contains": contains, "x-mine": 1})),
        ]
    })
    .boxed()
}

/// What declares members beside `properties`, where the values are those of one type or another.
fn members() -> impl Strategy<Value = Value> {
    let some = prop::sample::select(vec![
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({}),
        json!({"type": ["integer", "null"]}),
    ]);
    let properties = prop::collection::vec((name(), some), 0..3);
    let required = prop::collection::btree_set(name(), 0..2);
    let closed = prop::sample::select(&[None, Some("additionalProperties"), Some("unevaluatedProperties")][..]);
    (properties, required, closed).prop_map(|(properties, required, closed)| {
        let properties: Map<String, Value> = properties.into_iter().collect();
        let mut out = json!({"type": "object", "properties": properties, "required": required});
        if let Some(keyword) = closed {
            out[keyword] = json!(false);
        }
        out
    })
}

fn open_members() -> impl Strategy<Value = Value> {
    members().prop_map(|mut out| {
        for key in ["additionalProperties", "unevaluatedProperties"] {
            out.as_object_mut().map(|out| out.remove(key));
        }
        out
    })
}

/// Unions of objects, with conditions in them or beside them, closed to what nothing has looked at.
pub(crate) fn unions() -> BoxedStrategy<Value> {
    let test = || json!({"properties": {"a": {"type": "string"}}});
    let branch = prop_oneof![
        4 => members(),
        2 => (open_members(), open_members()).prop_map(move |(mut out, then)| {
            out["if"] = test();
            out["then"] = then;
            out
        }),
        2 => (open_members(), name(), open_members()).prop_map(|(mut out, name, more)| {
            out["dependentSchemas"] = json!({name: more});
            out
        }),
        1 => (members(), members()).prop_map(|(a, b)| json!({"allOf": [a, b]})),
        1 => (members(), open_members(), open_members()).prop_map(move |(mut out, a, b)| {
            out["allOf"] = json!([{"if": test(), "then": a}, {"if": {"required": ["b"]}, "then": b}]);
            out
        }),
        1 => (members(), members()).prop_map(|(mut out, inner)| {
            out["anyOf"] = json!([inner, {"required": ["c"]}]);
            out
        }),
        1 => members().prop_map(|mut out| {
            out["$ref"] = json!("#/$defs/A");
            out["patternProperties"] = json!({"^d": {}});
            out
        }),
    ];
    let keyword = prop::sample::select(&["anyOf", "oneOf", "allOf"][..]);
    let closed =
        prop_oneof![1 => Just(None), 3 => Just(Some("unevaluatedProperties")), 1 => Just(Some("additionalProperties"))];
    (open_members(), keyword, prop::collection::vec(branch, 1..3), closed, members())
        .prop_map(|(mut root, keyword, branches, closed, a)| {
            match branches.first() {
                Some(branch) if keyword == "none" => root = branch.clone(),
                _ => root[keyword] = json!(branches),
            }
            root["type"] = json!("object");
            if let Some(closed) = closed {
                root[closed] = json!(false);
            }
            root["$defs"] = json!({"A": a});
            root
        })
        .boxed()
}

/// Parameters, good or not: registration tells.
pub(crate) fn parameters() -> BoxedStrategy<Value> {
    let combinator = prop_oneof![
        3 => Just(None),
        1 => Just(Some("anyOf")),
        1 => Just(Some("oneOf")),
        1 => Just(Some("allOf")),
    ];
    let beside = prop::collection::vec(object(schema()), 1..3);
    (object(schema()), combinator, beside, schema(), schema())
        .prop_map(|(mut root, combinator, beside, a, b)| {
            root["type"] = json!("object");
            if let Some(keyword) = combinator {
                root[keyword] = json!(beside);
            }
            root["$defs"] = json!({"A": a, "B": {"$anchor": "anchored", "allOf": [b]}});
            root
        })
        .boxed()
}

/// Choices for a value: each byte decides one thing.
pub(crate) fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

/// Makes a value that has some chance to fit a schema.
pub(crate) struct Maker<'a> {
    pub(crate) root: &'a Value,
    pub(crate) choices: std::slice::Iter<'a, u8>,
}

impl Maker<'_> {
    fn choose(&mut self, among: usize) -> usize {
        usize::from(self.choices.next().copied().unwrap_or(0)) % among.max(1)
    }

    fn some(&mut self) -> Value {
        let all = [
            json!("x"),
            json!(""),
            json!("yyyy"),
            json!(0),
            json!(1),
            json!(2),
            json!(2.5),
            json!(true),
            json!(null),
            json!({}),
            json!([]),
            json!({"a": 1}),
            json!(["x"]),
        ];
        all[self.choose(all.len())].clone()
    }

    pub(crate) fn value(&mut self, schema: &Value, levels: usize) -> Value {
        let Some(map) = schema.as_object().filter(|map| levels > 0 && !map.is_empty()) else { return self.some() };
        if let Some(to) = map.get("$ref").and_then(Value::as_str).filter(|_| !map.contains_key("patternProperties")) {
            let at = if to == "#anchored" { "/$defs/B" } else { &to[1..] };
            let target = self.root.pointer(at).cloned().unwrap_or_default();
            return self.value(&target, levels - 1);
        }
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            return values[self.choose(values.len())].clone();
        }
        if let Some(value) = map.get("const") {
            return value.clone();
        }
        let mut out = self.shaped(map, levels);
        let dependent = map.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values);
        for more in ["then", "else"].iter().filter_map(|k| map.get(*k)).chain(dependent) {
            if self.choose(2) > 0
                && let (Some(Value::Object(own)), Value::Object(more)) = (&mut out, self.value(more, levels - 1))
            {
                own.extend(more);
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let branches = map.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let chosen = self.choose(branches.len());
            for (i, branch) in branches.iter().enumerate() {
                if keyword == "allOf" || i == chosen {
                    let more = self.value(branch, levels - 1);
                    out = match (out, more) {
                        (Some(Value::Object(mut own)), Value::Object(more)) => {
                            own.extend(more);
                            Some(Value::Object(own))
                        }
                        (_, more) => Some(more),
                    };
                }
            }
        }
        out.unwrap_or_else(|| self.some())
    }

    fn shaped(&mut self, map: &Map<String, Value>, levels: usize) -> Option<Value> {
        let kind = match map.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) => kinds[self.choose(kinds.len())].as_str().unwrap_or_default(),
            _ if map.contains_key("properties") => "object",
            _ => return None,
        };
        Some(match kind {
            "object" => {
                let mut out = Map::new();
                for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    if self.choose(3) > 0 {
                        out.insert(name.clone(), self.value(schema, levels - 1));
                    }
                }
                for name in
                    map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
                {
                    if !out.contains_key(name) {
                        let schema = map.get("properties").and_then(|p| p.get(name)).cloned().unwrap_or(json!({}));
                        out.insert(name.to_owned(), self.value(&schema, levels - 1));
                    }
                }
                if self.choose(4) == 1 {
                    out.insert("more".to_owned(), self.some());
                }
                Value::Object(out)
            }
            "array" => {
                let mut out = Vec::new();
                for schema in map.get("prefixItems").and_then(Value::as_array).into_iter().flatten() {
                    out.push(self.value(schema, levels - 1));
                }
                for _ in 0..self.choose(3) {
                    let items = map.get("items").or(map.get("contains")).cloned().unwrap_or(json!({}));
                    out.push(self.value(&items, levels - 1));
                }
                Value::Array(out)
            }
            "string" => [json!("x"), json!("xy"), json!(""), json!("yyyy")][self.choose(4)].clone(),
            "integer" => [json!(1), json!(0), json!(2), json!(3.0)][self.choose(4)].clone(),
            "number" => [json!(1), json!(0.5), json!(2.5)][self.choose(3)].clone(),
            "boolean" => json!(self.choose(2) == 0),
            _ => Value::Null,
        })
    }
}
