//! Schemas whose cost hides from a look at one level, and references that only the compiler would follow.

use serde_json::{Map, Value, json};

use super::{
    ArgumentLimits, CompiledSchema, HARD_DEPTH,
    hostile::{in_children, problems, quickly, refusal},
    parse_arguments,
};

/// Refused at registration, or quick to check and to explain.
fn refused_or_quick(what: &str, schema: &Value, value: &Value) {
    let Ok(compiled) = CompiledSchema::compile(schema) else { return };
    quickly(what, || {
        if !compiled.is_valid(value) {
            assert!(!compiled.violations(value, true).to_string().is_empty());
        }
    });
}

/// 2^n looks, through references spelt by `refer` to definitions that `define` names.
fn doubling(n: usize, dialect: &str, define: impl Fn(usize, Value) -> Value, refer: impl Fn(usize) -> String) -> Value {
    let mut defs = Map::new();
    for i in 0..n {
        let next = json!({ "$ref": refer(i + 1) });
        defs.insert(format!("d{i}"), define(i, json!({ "allOf": [next, next] })));
    }
    defs.insert(format!("d{n}"), define(n, json!({ "type": "object" })));
    json!({ "$schema": dialect, "type": "object", "allOf": [{ "$ref": refer(0) }], "definitions": defs })
}

in_children! {
    references_that_only_the_compiler_would_follow {
        let named = |key: &'static str| move |i: usize, mut schema: Value| {
            schema[key] = json!(format!("#d{i}"));
            schema
        };
        let hash = |i: usize| format!("#d{i}");
        let seven = "http://json-schema.org/draft-07/schema#";
        let four = "http://json-schema.org/draft-04/schema#";
        assert_ne!(problems(&doubling(40, seven, named("$id"), hash)), "admitted");
        assert_ne!(problems(&doubling(40, four, named("id"), hash)), "admitted");
        let hidden = json!({ "contentSchema": { "$defs": { "a": { "$anchor": "a" } } }, "$ref": "#a" });
        assert_eq!(problems(&hidden), "admitted", "what describes content may be referred to");
        let index = json!({ "x": [{ "type": "object" }], "$ref": "#/x/00" });
        assert!(problems(&index).contains("leads nowhere"));
        let inner = json!({ "$schema": four, "definitions": { "a": { "id": "http://x.y/other", "type": "object" } } });
        assert_ne!(problems(&inner), "admitted");
        let cycle = json!({ "$schema": seven, "$id": "#a", "allOf": [{ "$ref": "#a" }] });
        assert_ne!(problems(&cycle), "admitted");
        // Few of them are fine, by whatever name.
        assert_eq!(problems(&doubling(3, seven, named("$id"), hash)), "admitted");
        let own = json!({ "$id": "https://x.y/z.json", "type": "object", "properties": {
            "a": { "$ref": "https://x.y/z.json#/$defs/a" } }, "$defs": { "a": { "type": "string" } } });
        assert_eq!(problems(&own), "admitted", "its own name is no way out");
    }

    parts_that_have_a_name_of_their_own {
        let root = "https://example.com/root.json";
        let with = |part: Value| json!({ "$id": root, "type": "object", "properties": { "x": { "$ref": "s.json" } }, "$defs": { "s": part } });
        let plain = with(json!({ "$id": "s.json", "type": "integer" }));
        let compiled = CompiledSchema::compile(&plain).expect("it leads nowhere else");
        assert!(compiled.is_valid(&json!({ "x": 1 })));
        assert!(!compiled.is_valid(&json!({ "x": "a" })));
        assert_eq!(compiled.violations(&json!({ "x": "a" }), true).to_string(), "/x: expected integer, got the string \"a\"");
        for part in [
            json!({ "$id": "s.json", "properties": { "y": { "$ref": "#" } } }),
            json!({ "$id": "s.json", "properties": { "y": { "$id": "t.json" } } }),
            json!({ "$id": "s.json", "$schema": "http://json-schema.org/draft-07/schema#" }),
            json!({ "$id": "s.json", "$anchor": "s" }),
            json!({ "$id": "a/s.json" }),
            json!({ "$id": "https://example.com/s.json" }),
            json!({ "$id": "other.json" }),
            json!({ "$id": "..", "type": "object" }),
        ] {
            assert_ne!(problems(&with(part.clone())), "admitted", "{part}");
        }
        // What only the compiler knows for a subschema may not take the name.
        let mut twice = plain;
        twice["contentSchema"] = json!({ "$id": "s.json", "type": "string" });
        assert_ne!(problems(&twice), "admitted");
        let mut same = with(json!({ "$id": "root.json", "type": "integer" }));
        same["properties"]["x"]["$ref"] = json!("root.json");
        assert_ne!(problems(&same), "admitted", "that is the whole, too");
        // A name multiplies like any reference.
        let doubled = |n: usize| (0..n).fold(json!({ "$ref": "s.json" }), |inner, _| json!({ "allOf": [inner, inner] }));
        let deep = |n| json!({ "type": "object", "allOf": [doubled(n)], "$defs": { "s": { "$id": "s.json", "type": "object" } } });
        assert_eq!(problems(&deep(3)), "admitted");
        assert_ne!(problems(&deep(13)), "admitted");
    }

    recursive_unions_by_an_old_name {
        let arm = |key: &str| json!({ "properties": { "n": { "$ref": "#n" } }, "required": [key] });
        let schema = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": { "n": { "$ref": "#n" } },
            "definitions": { "n": { "$id": "#n", "type": "object", "anyOf": [arm("a"), arm("b")] } } });
        for levels in [10, 20, 60] {
            let value = (0..levels).fold(json!({}), |inner, _| json!({ "n": inner }));
            refused_or_quick("a union by an old name", &schema, &value);
        }
    }

    explaining_many_looks_at_many_values {
        for combinator in ["allOf", "anyOf"] {
            let schema = json!({ "type": "object", "properties": { "a": { "items": { combinator: vec![json!({ "minimum": 0 }); 9_000] } } } });
            for n in [100, 990, 1_990] {
                refused_or_quick("many looks", &schema, &json!({ "a": vec![-1; n] }));
            }
        }
    }

    deep_values_of_recursive_unions_of_many_kinds {
        for (arms, names) in [(2, 1), (2, 200), (10, 20), (60, 1), (60, 20)] {
            let arm = |i: usize| {
                let fixed = (0..names).map(|k| (format!("p{k}"), json!({ "enum": ["a"] })));
                let mut properties: Map<_, _> = fixed.collect();
                for (name, schema) in [("kind", json!({ "const": i })), ("l", json!({ "$ref": "#/$defs/n" })), ("r", json!({ "$ref": "#/$defs/n" }))] {
                    properties.insert(name.to_owned(), schema);
                }
                json!({ "type": "object", "properties": properties, "required": ["kind"], "additionalProperties": false })
            };
            let all: Vec<_> = (0..arms).map(arm).collect();
            let schema = json!({ "type": "object", "properties": { "n": { "$ref": "#/$defs/n" } }, "$defs": { "n": { "oneOf": all } } });
            let wrong = json!({ "kind": 1, "p0": "b", "z": 1 });
            let deep = (0..50).fold(wrong.clone(), |inner, _| json!({ "kind": 0, "l": { "kind": 1 }, "r": inner }));
            refused_or_quick("deep", &schema, &json!({ "n": deep }));
            let bushy = (0..9).fold(wrong, |inner, _| json!({ "kind": 0, "l": inner, "r": inner }));
            refused_or_quick("bushy", &schema, &json!({ "n": bushy }));
        }
    }

    evaluated_again_at_every_level {
        for n in [2, 5, 10, 16, 20, 30] {
            let wrap = |s: Value| json!({ "allOf": [s], "unevaluatedProperties": false });
            let schema = (0..n).fold(json!({ "properties": { "a": {} } }), |s, _| wrap(s));
            refused_or_quick("unevaluated", &schema, &json!({ "a": 1 }));
        }
    }

    looks_that_multiply_over_levels {
        let x = json!({ "allOf": vec![json!({ "minimum": 0 }); 98] });
        let schema = json!({ "type": "object", "properties": { "a": {
            "allOf": vec![json!({ "items": { "$ref": "#/$defs/x" } }); 98] } }, "$defs": { "x": x } });
        refused_or_quick("looks over levels", &schema, &json!({ "a": vec![1; 99_000] }));
    }

    keywords_that_compare_one_by_one {
        let mut floats: Vec<_> = (0..9_999).map(|i| json!(f64::from(i) + 0.5)).collect();
        floats.push(Value::Null);
        let listed = json!({ "type": "object", "properties": { "a": { "items": { "enum": floats } } } });
        refused_or_quick("an enum of floats", &listed, &json!({ "a": vec![9998.5; 90_000] }));
        let names: Map<_, _> = (0..12_000).map(|i| (format!("k{i}"), json!([]))).collect();
        let depending = json!({ "type": "object", "properties": { "a": { "items": { "dependentRequired": names } } } });
        refused_or_quick("names that depend", &depending, &json!({ "a": vec![json!({}); 99_000] }));
        let unique = json!({ "type": "object", "properties": { "a": { "allOf": vec![json!({ "uniqueItems": true }); 9_000] } } });
        let objects: Vec<_> = (0..5_000).map(|i| json!({ "k": i })).collect();
        refused_or_quick("unique many times", &unique, &json!({ "a": objects }));
    }

    patterns_by_many_references {
        for n in [10, 250, 1_990] {
            let schema = json!({ "type": "object", "properties": { "a": { "allOf": vec![json!({ "$ref": "#/$defs/x" }); n] } },
                "$defs": { "x": { "not": { "pattern": "[ab]*a[ab]{200}c" } } } });
            refused_or_quick("patterns", &schema, &json!({ "a": "ab".repeat(1 << 19) }));
        }
    }

    names_of_great_length {
        let long = "k".repeat(60_000);
        let schema = json!({ "properties": { long: { "allOf": vec![json!({}); 40_000] } } });
        quickly("a long name", || assert!(problems(&schema).contains("longer than 1024 bytes")));
        let many = (0..40).fold(json!({ "allOf": vec![json!({}); 5_000] }), |inner, _| {
            let mut properties = Map::new();
            properties.insert("k".repeat(1_000), inner);
            json!({ "properties": properties })
        });
        quickly("long pointers", || assert_ne!(problems(&many), "admitted"));
    }

    text_at_the_deepest_level {
        let limits = ArgumentLimits { bytes: 1 << 20, depth: HARD_DEPTH, nodes: 10_000 };
        for (levels, fine) in [(126, true), (127, false), (128, false)] {
            let text = format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
            let read = parse_arguments(&text, limits);
            assert_eq!(read.is_ok(), fine, "{levels}");
            assert!(fine || read.is_err_and(|p| p.to_string().contains("nested deeper than 127 levels")));
        }
        assert!(refusal("{").contains("the end of the text"));
    }

    patterns_that_are_refused_say_why {
        let schema = json!({ "type": "object", "properties": { "a": { "pattern": "(?=a)b" } } });
        assert!(problems(&schema).contains("look-around"), "{}", problems(&schema));
    }
}
