//! Refusals that are dear to explain: telling what is wrong costs little more than finding that something is.

use std::time::Instant;

use serde_json::{Map, Value, json};

use super::{
    CompiledSchema,
    hostile::{in_children, problems},
};

const FOUR: &str = "http://json-schema.org/draft-04/schema#";
const SEVEN: &str = "http://json-schema.org/draft-07/schema#";

fn compiled(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(schema).unwrap_or_else(|p| panic!("{p:?}"))
}

/// What is wrong, told within so many times what the check takes.
fn told(schema: &Value, value: &Value, times: u32) -> String {
    let compiled = compiled(schema);
    let start = Instant::now();
    assert!(!compiled.is_valid(value), "it fits");
    let check = start.elapsed();
    let start = Instant::now();
    let text = compiled.violations(value, true).to_string();
    let took = start.elapsed();
    assert!(took < check * times, "{took:?} to explain what took {check:?} to check");
    text
}

/// Memory that the process has taken at most, itself included, stays within what a message may take.
fn in_little_memory(megabytes: usize) {
    #[cfg(not(target_os = "linux"))]
    let _ = megabytes;
    #[cfg(target_os = "linux")]
    {
        let most = megabytes * 1_000;
        let status = std::fs::read_to_string("/proc/self/status").expect("a process has a status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        let peak: usize = peak.and_then(|p| p.trim().parse().ok()).expect("and a peak");
        assert!(peak < most, "{peak} kB at most");
    }
}

/// A text of `a` and `b` in which patterns find no order.
fn mixed(bytes: usize) -> String {
    let mut x = 1_u64;
    let mut letter = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if x >> 40 & 1 == 0 { 'a' } else { 'b' }
    };
    (0..bytes).map(|_| letter()).collect()
}

/// A value of so many objects within one another, each the member `name` of the one around it.
fn within(levels: usize, name: &str, inner: Value) -> Value {
    (0..levels).fold(inner, |inner, _| {
        let mut map = Map::new();
        map.insert(name.to_owned(), inner);
        Value::Object(map)
    })
}

fn schema_within(levels: usize, inner: Value) -> Value {
    (0..levels).fold(inner, |inner, _| json!({ "type": "object", "properties": { "a": inner } }))
}

in_children! {
    a_denied_schema_is_not_copied_for_every_item {
        let denied = json!({ "type": "integer", "examples": vec![json!([]); 20_000] });
        let schema = json!({ "type": "object", "properties": { "a": { "items": { "not": denied } } } });
        let told = compiled(&schema).violations(&json!({ "a": vec![1; 1_900] }), true).to_string();
        assert!(told.contains("/a/0: must not fit"), "{told}");
        in_little_memory(200);
    }

    long_pointers_are_not_made_for_every_item {
        let items = json!({ "items": { "allOf": vec![json!({ "minimum": 5 }); 30] } });
        let schema = (0..55).fold(items, |inner, _| json!({ "additionalProperties": inner }));
        let value = within(55, &"k".repeat(1_000), json!(vec![1; 1_900]));
        assert!(compiled(&schema).violations(&value, true).to_string().len() < 3_000);
        in_little_memory(200);
    }

    text_is_not_matched_again_at_every_level {
        let pattern = json!({ "items": { "type": "string", "not": { "pattern": "[ab]*a[ab]{20}c" } } });
        let value = within(55, "a", json!([mixed(40_000), mixed(200_000), 1]));
        let told = told(&schema_within(55, pattern), &value, 12);
        assert!(!told.is_empty());
    }

    text_is_not_matched_again_at_every_union {
        let pattern = json!({ "not": { "not": { "pattern": "[ab]*a[ab]{100}c" } } });
        let union = (0..58).fold(pattern, |inner, _| json!({ "anyOf": [inner, { "type": "null" }] }));
        let schema = json!({ "type": "object", "properties": { "a": union } });
        assert!(!told(&schema, &json!({ "a": mixed(40_000) }), 12).is_empty());
        // A text of everyday length is explained all the same.
        let short = compiled(&schema).violations(&json!({ "a": mixed(400) }), true).to_string();
        assert!(short.contains("must not fit"), "{short}");
    }

    items_are_not_compared_again_at_every_level {
        let most = (1_u64 << 63) - 1;
        let alike: Vec<Value> = (0..1_500).map(|i| json!([most - i, most])).collect();
        let unique = json!({ "items": { "allOf": vec![json!({ "uniqueItems": true }); 7], "type": "array" } });
        assert!(!told(&schema_within(50, unique), &within(50, "a", json!([alike, 1])), 12).is_empty());
    }

    large_patterns_are_not_compiled_again_at_every_level {
        let names: Map<_, _> = (0..64).map(|i| (format!("p{i}"), json!({ "pattern": format!("[ab]{{3000}}x{i}") }))).collect();
        let inner = json!({ "properties": names, "items": { "type": "string" } });
        let told = compiled(&schema_within(55, inner)).violations(&within(55, "a", json!(vec![1; 3_000])), true).to_string();
        assert!(told.contains("/a"), "{told}");
        in_little_memory(200);
    }

    names_are_not_searched_one_by_one {
        let names = || (0..9_900).map(|i| format!("n{i}"));
        let properties: Map<_, _> = names().map(|name| (name, json!({}))).collect();
        let required: Vec<_> = (0..8).map(|i| format!("zz{i}")).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let value = Value::Object(names().map(|name| (name, json!(1))).collect());
        let compiled = compiled(&schema);
        let start = Instant::now();
        assert!(compiled.violations(&value, true).to_string().starts_with("missing \"zz0\"; "));
        assert!(start.elapsed().as_secs_f32() < 1.5, "{:?}", start.elapsed());
    }

    alternatives_that_know_very_many_names {
        let mut names: Map<_, _> = (0..8_000).map(|i| (format!("k{i}"), json!({}))).collect();
        names.insert("next".into(), json!({ "$ref": "#/$defs/u" }));
        let with = |arms: usize| json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/u" } }, "$defs": {
            "u": { "anyOf": vec![json!({ "$ref": "#/$defs/n" }); arms] }, "n": { "properties": names } } });
        assert!(problems(&with(1_900)).contains("so many alternatives"));
        assert_eq!(problems(&with(20)), "admitted");
    }

    wrong_schemas_of_old_dialects_that_nest_deep {
        for dialect in [FOUR, SEVEN] {
            let wrong = json!({ "type": 5, "examples": vec![json!([]); 30_000] });
            let mut schema = (0..50).fold(wrong, |inner, _| json!({ "items": inner }));
            schema["$schema"] = json!(dialect);
            let told = problems(&schema);
            assert!(told.starts_with("/items/") && told.contains("/type: does not compile: expected"), "{told}");
            assert!(told.contains("too large for all"), "{told}");
        }
        let types = json!({ "type": "object", "properties": { "a": { "type": vec![json!([]); 80_000] } } });
        assert!(problems(&types).starts_with("/properties/a: does not compile, and is too large"));
        in_little_memory(200);
    }

    unions_that_come_back_hold_little {
        let arm = |name: &str| json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/n" } }, "required": [name] });
        let schema = json!({ "properties": { "n": { "$ref": "#/$defs/n" } }, "$defs": { "n": { "anyOf": [arm("a"), arm("b")] } } });
        for levels in [12, 14, 60] {
            let told = compiled(&schema).violations(&json!({ "n": within(levels, "next", json!({})) }), true).to_string();
            assert!(told.contains("fits none of 2 alternatives"), "{told}");
        }
        in_little_memory(85);
    }
}
