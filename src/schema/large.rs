//! Large values and large schemas: what is wrong is told at a bounded price, and it is true.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    CompiledSchema,
    hostile::{in_children, problems, quickly},
};

/// What is wrong, told within the memory that a message may take.
fn told(schema: &Value, value: &Value) -> String {
    let compiled = CompiledSchema::compile(schema).unwrap_or_else(|p| panic!("{p:?}"));
    let mut text = String::new();
    quickly("explain", || {
        assert!(!compiled.is_valid(value), "it fits");
        text = compiled.violations(value, true).to_string();
    });
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").expect("a process has a status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        let peak: usize = peak.and_then(|p| p.trim().parse().ok()).expect("and a peak");
        assert!(peak < 400_000, "{peak} kB at most");
    }
    assert!(text.len() < 3_000, "{text}");
    text
}

fn quick(what: &str, schema: &Value, value: &Value) {
    let Ok(compiled) = CompiledSchema::compile(schema) else { return };
    quickly(what, || _ = compiled.is_valid(value));
}

fn edits(names: [&str; 3]) -> Value {
    let arm = |prefix: &str| {
        let names: Vec<String> = (0..6).map(|i| format!("{prefix}{i}")).collect();
        json!({ "type": "array", "items": { "type": "object", "required": names } })
    };
    json!({ "type": "object", "properties": { "edits": { "anyOf": names.map(arm) } } })
}

in_children! {
    unions_of_lists_that_are_all_wrong {
        let arms = vec![json!({ "items": { "type": "string" } }); 120];
        let many = json!({ "type": "object", "properties": { "a": { "anyOf": arms } } });
        let text = told(&many, &json!({ "a": vec![1; 99_000] }));
        assert_eq!(text, "/a: does not fit what the schema says of it");
        let text = told(&edits(["x", "y", "z"]), &json!({ "edits": vec![json!({}); 99_000] }));
        assert!(text.starts_with("/edits/0: fits none of 3 alternatives, of which the first is explained; /edits/0: missing \"x0\""), "{text}");
        let one_of_them = json!({ "edits": (0..50_000).map(|i| if i < 49_999 { json!({ "a": i }) } else { json!(1) }).collect::<Vec<_>>() });
        let list = json!({ "type": "object", "properties": { "edits": { "type": "array", "items": { "type": "object" } } } });
        assert_eq!(told(&list, &one_of_them), "/edits/49999: expected object, got a number");
    }

    required_names_of_many_items {
        let names: Vec<String> = (0..200).map(|i| format!("name{i}")).collect();
        let schema = json!({ "type": "object", "properties": { "a": { "items": { "type": "object", "required": names } } } });
        let text = told(&schema, &json!({ "a": vec![json!({}); 1_900] }));
        assert!(text.starts_with("/a/0: missing \"name0\"; "), "{text}");
    }

    long_content_beside_a_slip {
        let content = "x".repeat(950_000);
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string" }, "content": { "type": "string" },
            "encoding": { "anyOf": (0..8).map(|i| json!({ "const": i })).collect::<Vec<_>>() },
            "list": { "anyOf": [{ "type": "array", "items": { "required": ["a", "b", "c"] } }, { "type": "null" }] } },
            "required": ["path"] });
        let text = told(&schema, &json!({ "pth": "a", "content": content }));
        assert_eq!(text, "missing \"path\" (did you mean it by \"pth\"?)");
        let text = told(&schema, &json!({ "path": 5, "content": content }));
        assert_eq!(text, "/path: expected string, got a number");
        let mut closed = schema;
        closed["additionalProperties"] = json!(false);
        let text = told(&closed, &json!({ "path": "a", "content": content, "contents": 1 }));
        assert!(text.starts_with("unexpected \"contents\""), "{text}");
        assert_eq!(told(&closed, &json!([content])), "expected object, got an array");
    }

    patterns_of_many_states {
        let mut x = 1_u64;
        let mut text = String::new();
        for _ in 0..100_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(if x >> 40 & 1 == 0 { 'a' } else { 'b' });
        }
        for (count, states) in [(1, 20), (1, 200), (1, 1_000), (1, 3_000), (60, 200), (60, 3_000)] {
            let parts = vec![json!({ "not": { "pattern": format!("[ab]*a[ab]{{{states}}}c") } }); count];
            let schema = json!({ "type": "object", "properties": { "a": { "allOf": parts } } });
            quick(&format!("{count} patterns of {states}"), &schema, &json!({ "a": text }));
        }
        // What real schemas use leaves room for whole files.
        let names: serde_json::Map<_, _> = (0..16).map(|i| (format!("p{i}"), json!({ "pattern": "^[a-z0-9-]+$" }))).collect();
        let mut schema = json!({ "type": "object", "properties": names });
        schema["properties"]["content"] = json!({ "type": "string" });
        let compiled = CompiledSchema::compile(&schema).expect("plain patterns");
        assert!(compiled.is_valid(&json!({ "p0": "a-b", "content": text.repeat(10) })));
    }

    long_texts_where_there_is_no_pattern {
        let value = json!({ "a": "x".repeat(20 << 20) });
        for (schema, fits) in [
            (json!({ "properties": { "a": { "type": "string" } } }), true),
            (json!({ "properties": { "a": { "type": "string" }, "next": { "$ref": "#" } } }), true),
            (json!({ "properties": { "a": { "type": "string" }, "b": { "pattern": "^b$" } } }), false),
        ] {
            let compiled = CompiledSchema::compile(&schema).expect("plain");
            assert_eq!(compiled.is_valid(&value), fits, "{schema}");
        }
    }

    items_that_only_look_alike {
        let unique = |n: usize| json!({ "type": "object", "properties": { "a": { "allOf": vec![json!({ "uniqueItems": true }); n] } } });
        let pairs: Vec<Value> = (0..24_000_u64).map(|i| json!([(1_u64 << 63) - 1 - i, (1_u64 << 63) - 1])).collect();
        let nested: Vec<Value> = (0..40_000).map(|i| if i % 2 == 0 { json!([[]]) } else { json!([]) }).collect();
        let numbers: Vec<Value> = (0..40_000_u64).map(|i| json!((1_u64 << 63) + i % 1_000)).collect();
        for n in [1, 8] {
            for value in [&pairs, &nested, &numbers] {
                quick("items that look alike", &unique(n), &json!({ "a": value }));
            }
        }
        let compiled = CompiledSchema::compile(&unique(1)).expect("plain");
        assert!(compiled.violations(&json!({ "a": pairs }), true).to_string().contains("uniqueItems"));
        // Texts and everyday numbers may be many, and so may objects within reason.
        let texts: Vec<Value> = (0..90_000).map(|i| if i % 2 == 0 { json!(i) } else { json!(i.to_string()) }).collect();
        assert!(compiled.is_valid(&json!({ "a": texts })));
        let objects: Vec<Value> = (0..4_000).map(|i| json!({ "id": i, "name": "a" })).collect();
        assert!(compiled.is_valid(&json!({ "a": objects })));
    }

    enums_that_are_searched_one_by_one {
        let numbers: Vec<Value> = (10..10_010).map(Value::from).collect();
        let mut mixed: Vec<Value> = (0..9_999).map(|i| json!(format!("{i:04x}"))).collect();
        mixed.insert(0, json!(1));
        for (listed, value) in [(numbers, json!(9998.0)), (mixed, json!("zzzz"))] {
            for times in [1, 5] {
                let schema = json!({ "type": "object", "properties": { "a": { "items": { "allOf": vec![json!({ "not": { "enum": listed } }); times] } } } });
                quick("a long enum", &schema, &json!({ "a": vec![value.clone(); 99_000] }));
            }
        }
    }

    many_subschemas {
        let schema = json!({ "$defs": { "a": { "allOf": vec![json!({}); 86_000] } } });
        quickly("86 000 subschemas", || assert!(problems(&schema).contains("more than 20000 subschemas")));
        let most = json!({ "$defs": { "a": { "allOf": vec![json!({}); 19_000] } } });
        quickly("19 000 subschemas", || assert_eq!(problems(&most), "admitted"));
        let mut arms = String::new();
        for i in 0..9_000 {
            _ = write!(arms, "{}{{\"required\":[\"{i}\"]}}", if i == 0 { "" } else { "," });
        }
        let text = format!("{{\"type\":\"object\",\"properties\":{{\"n\":{{\"$ref\":\"#\"}}}},\"anyOf\":[{arms}]}}");
        let recursive: Value = serde_json::from_str(&text).expect("it is JSON");
        quickly("a recursive union of 9 000", || _ = problems(&recursive));
    }

    refusals_say_what_is_so {
        let parts = vec![json!({ "pattern": "[ab]*a[ab]{3000}c" }); 60];
        let long = json!({ "type": "object", "properties": { "x": { "allOf": parts } } });
        let text = problems(&long);
        assert!(text != "admitted" && !text.contains("comes back to itself"), "{text}");
    }
}
