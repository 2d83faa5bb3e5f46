//! Hostile input, each in a child process on a small stack: an abort is then a failed test, and not a dead run.

use std::{env, fmt::Write as _, process::Command, thread, time::Instant};

use serde_json::{Value, json};

use super::{
    ArgumentLimits, CompiledSchema, HARD_ARGUMENT_BYTES, HARD_DEPTH, Shielded, deeper_than, dismantle, measure,
    parse_arguments,
};

const DEFAULT: ArgumentLimits = ArgumentLimits { bytes: 1 << 20, depth: 64, nodes: 100_000 };
const LARGEST: ArgumentLimits = ArgumentLimits { bytes: HARD_ARGUMENT_BYTES, depth: HARD_DEPTH, nodes: 10_000_000 };

/// Runs `case`, the test at `path`, in a process of its own, on a thread with the 2 MiB of stack that a tokio worker has.
pub(super) fn in_child(path: &str, case: fn()) {
    const MARK: &str = "TOOLGATE_HOSTILE_CASE";
    // Tests go by their path within the crate.
    let (_, path) = path.split_once("::").expect("a path has a crate");
    if env::var(MARK).is_ok_and(|v| v == path) {
        let ran = thread::Builder::new().stack_size(2 << 20).spawn(case).map(thread::JoinHandle::join);
        assert!(matches!(ran, Ok(Ok(()))), "the case failed");
        return;
    }
    let exe = env::current_exe().expect("a test has a file");
    let out = Command::new(exe).args(["--exact", path, "--nocapture"]).env(MARK, path).output().expect("it starts");
    assert!(out.status.success(), "{path}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
    assert!(String::from_utf8_lossy(&out.stdout).contains("1 passed"), "{path} names no test");
}

/// Cases that might end the process they run in: each is a test, run [`in_child`].
macro_rules! in_children {
    ($($(#[$doc:meta])* $name:ident $case:block)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            fn case() $case
            $crate::schema::hostile::in_child(concat!(module_path!(), "::", stringify!($name)), case);
        }
    )*};
}
pub(super) use in_children;

pub(super) fn refusal(text: &str) -> String {
    parse_arguments(text, DEFAULT).map_or_else(|p| p.to_string(), |v| format!("accepted as {v}"))
}

fn deep_value(levels: usize) -> Value {
    let mut value = json!(1);
    for _ in 0..levels {
        value = Value::Array(vec![value]);
    }
    object("a", value)
}

/// Without `json!`, which serialises what it is given and so recurses over it.
fn object(key: &str, value: Value) -> Value {
    Value::Object([(key.to_owned(), value)].into_iter().collect())
}

pub(super) fn problems(schema: &Value) -> String {
    match CompiledSchema::compile(schema) {
        Ok(_) => "admitted".to_owned(),
        Err(problems) => problems.iter().fold(String::new(), |mut out, p| {
            _ = write!(out, "{p}; ");
            out
        }),
    }
}

/// An upper bound so wide that only work without bound misses it.
pub(super) fn quickly(what: &str, f: impl FnOnce()) {
    let start = Instant::now();
    f();
    assert!(start.elapsed().as_secs() < 20, "{what} took {:?}", start.elapsed());
}

/// Refused at registration, or quick to check and to explain on a value of `levels` levels.
fn both_ways(schema: &Value, levels: usize) {
    let Ok(compiled) = CompiledSchema::compile(schema) else { return };
    // The end of a way may or may not fall on the innermost value: some of these lengths do not fit.
    for levels in levels - 2..=levels {
        let value = (0..levels).fold(json!(1), |inner, _| object("x", inner));
        quickly("check and explain", || {
            if !compiled.is_valid(&value) {
                assert!(!compiled.violations(&value, true).to_string().is_empty());
            }
        });
    }
}

in_children! {
    deep_text {
        for levels in [63, 64, 127, 128, 1_000, 100_000] {
            let text = format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
            // The object is one level more.
            assert_eq!(parse_arguments(&text, DEFAULT).is_ok(), levels < 64, "{levels}");
        }
        let text = format!("{{\"a\":{}{}}}", "[".repeat(126), "]".repeat(126));
        assert!(parse_arguments(&text, LARGEST).is_ok());
    }

    deep_values {
        let value = deep_value(100_000);
        assert!(deeper_than(&value, HARD_DEPTH));
        assert!(measure(&value, LARGEST).is_err());
        dismantle(value);
        drop(Shielded::new(deep_value(1_000_000)));
    }

    deep_schemas {
        for (levels, admitted) in [(20, true), (1_000, false), (100_000, false)] {
            let mut nested = json!({});
            for _ in 0..levels {
                nested = object("items", nested);
            }
            let schema = Shielded::new(nested);
            assert_eq!(CompiledSchema::compile(&schema).is_ok(), admitted, "{levels}");
        }
    }

    chains_of_references {
        let mut defs = serde_json::Map::new();
        for i in 0..200_000 {
            defs.insert(format!("d{i}"), json!({ "$ref": format!("#/$defs/d{}", i + 1) }));
        }
        defs.insert("d200000".into(), json!({}));
        let all = json!({ "$ref": "#/$defs/d0", "$defs": defs });
        quickly("a long chain", || assert!(problems(&all).contains("larger than")));
        let mut short = serde_json::Map::new();
        for i in 0..2_500 {
            short.insert(format!("d{i}"), json!({ "$ref": format!("#/$defs/d{}", i + 1) }));
        }
        short.insert("d2500".into(), json!({}));
        assert!(problems(&json!({ "$ref": "#/$defs/d0", "$defs": short })).contains("more than 2000 references"));
    }

    references_that_multiply {
        let mut defs = serde_json::Map::new();
        for i in 0..30 {
            let next = format!("#/$defs/d{}", i + 1);
            defs.insert(format!("d{i}"), json!({ "allOf": [{ "$ref": next }, { "$ref": next }] }));
        }
        defs.insert("d30".into(), json!({ "type": "string" }));
        let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs });
        quickly("doubling references", || assert!(problems(&schema).contains("multiply")));
    }

    schemas_that_come_back_to_themselves_at_once {
        for schema in [
            json!({ "$ref": "#" }),
            json!({ "$ref": "" , "type": "object" }),
            json!({ "allOf": [{ "$ref": "#" }] }),
            json!({ "anyOf": [{ "type": "object" }, { "$ref": "#" }] }),
            json!({ "not": { "$ref": "#" } }),
            json!({ "if": { "$ref": "#" } }),
            json!({ "$dynamicRef": "#x", "$dynamicAnchor": "x" }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        ] {
            assert_ne!(problems(&schema), "admitted", "{schema}");
        }
    }

    recursive_alternatives {
        let arm = |key: &str| json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/n" } }, "required": [key] });
        let schema = json!({
            "type": "object",
            "properties": { "n": { "$ref": "#/$defs/n" } },
            "$defs": { "n": { "anyOf": [arm("a"), arm("b"), arm("c")] } },
        });
        let compiled = CompiledSchema::compile(&schema).expect("recursion into the value is fine");
        for levels in [18, 27, 60] {
            let mut value = json!({});
            for _ in 0..levels {
                value = json!({ "next": value, "a": 1, "b": 1, "c": 1 });
            }
            let value = json!({ "n": value });
            quickly("recursive alternatives", || {
                assert!(!compiled.is_valid(&value));
                assert!(!compiled.violations(&value, true).to_string().is_empty());
            });
        }
    }

    schemas_that_look_at_each_value_very_often {
        let wide = json!({ "type": "object", "properties": { "a": { "items": { "allOf": vec![json!({ "minimum": 0 }); 5_000] } } } });
        let compiled = CompiledSchema::compile(&wide).expect("a large schema is a schema");
        assert!(compiled.is_valid(&json!({ "a": vec![1; 1_000] })));
        let much = json!({ "a": vec![1; 99_000] });
        quickly("5 000 looks at 99 000 values", || {
            assert!(!compiled.is_valid(&much));
            assert!(compiled.violations(&much, true).to_string().starts_with("more than 199"));
        });
        let listed: Vec<_> = (0..10_000).map(|i| json!([i])).collect();
        let schema = json!({ "type": "object", "properties": { "a": { "items": { "enum": listed } } } });
        let compiled = CompiledSchema::compile(&schema).expect("a large enum is an enum");
        quickly("a long comparison", || assert!(!compiled.is_valid(&json!({ "a": vec![json!([9_999]); 40_000] }))));
    }

    patterns_that_explode {
        for pattern in ["^(a*)*\\1b$", "(?=a)b", "(\\w{100}){100}", "(?:a?){5000}a{5000}"] {
            let schema = json!({ "type": "object", "properties": { "s": { "type": "string", "pattern": pattern } } });
            quickly(pattern, || assert_ne!(problems(&schema), "admitted", "{pattern}"));
        }
        let slow = json!({ "type": "object", "properties": { "s": { "pattern": "^(a+)+$" } } });
        let compiled = CompiledSchema::compile(&slow).expect("linear on this engine");
        let text = format!("{}!", "a".repeat(100_000));
        quickly("nested repetition", || assert!(!compiled.is_valid(&json!({ "s": text }))));
    }

    long_ways_back_to_the_start {
        for kind in ["ref", "allOf"] {
            for n in [1, 5, 10, 20, 30, 60, 100, 200, 300, 700] {
                let step = |i: usize| {
                    let next = json!({ "$ref": format!("#/$defs/d{i}") });
                    if kind == "ref" { next } else { json!({ "allOf": [next] }) }
                };
                let mut defs: serde_json::Map<_, _> = (0..n).map(|i| (format!("d{i}"), step(i + 1))).collect();
                defs.insert(format!("d{n}"), json!({ "type": "object", "properties": { "x": step(0) } }));
                both_ways(&json!({ "type": "object", "properties": { "x": step(0) }, "$defs": defs }), 61);
            }
        }
    }

    long_ways_that_do_not_come_back {
        for n in [10, 100, 500, 740, 900] {
            let step = |i: usize| json!({ "allOf": [{ "$ref": format!("#/$defs/d{i}") }] });
            let mut defs: serde_json::Map<_, _> = (0..n).map(|i| (format!("d{i}"), step(i + 1))).collect();
            defs.insert(format!("d{n}"), json!({ "type": "array" }));
            both_ways(&json!({ "type": "object", "properties": { "x": step(0) }, "$defs": defs }), 61);
        }
    }

    parts_that_are_looked_at_twice_on_the_way_back {
        for n in [2, 6, 10, 14, 18, 22, 30] {
            let part = |i: usize| json!({ "properties": { "x": { "$ref": format!("#/$defs/d{i}") } } });
            let twice = |i: usize| json!({ "allOf": [part(i), part(i)] });
            let mut defs: serde_json::Map<_, _> = (0..n).map(|i| (format!("d{i}"), twice(i + 1))).collect();
            let end = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d0" } } });
            defs.insert(format!("d{n}"), end);
            both_ways(&json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": defs }), 61);
        }
    }

    types_that_are_unions_of_all {
        for n in [3, 6, 8, 10, 12, 14, 20, 40] {
            let all: Vec<_> = (0..n).map(|i| json!({ "$ref": format!("#/$defs/d{i}") })).collect();
            let one = json!({ "type": "object", "properties": { "x": { "anyOf": all } } });
            let defs: serde_json::Map<_, _> = (0..n).map(|i| (format!("d{i}"), one.clone())).collect();
            both_ways(&json!({ "type": "object", "properties": { "x": { "anyOf": all } }, "$defs": defs }), 61);
        }
    }

    many_alternatives_for_a_long_text {
        for n in [10, 2_000, 9_000] {
            let arms = vec![json!({ "type": "integer" }); n];
            let schema = json!({ "type": "object", "properties": { "x": { "anyOf": arms } } });
            let compiled = CompiledSchema::compile(&schema).expect("a wide union is a schema");
            let value = json!({ "x": "s".repeat(1 << 20) });
            quickly("a long text", || {
                assert!(!compiled.is_valid(&value));
                assert!(compiled.violations(&value, true).to_string().len() < 3_000);
            });
        }
    }

    names_that_mean_something_to_the_parser {
        for text in ["{\"a\":{\"$serde_json::private::Number\":\"1e999\"}}", "{\"\\u0024serde_json::private::RawValue\":\"1\"}"] {
            assert!(refusal(text).contains("means something else to a parser"), "{}", refusal(text));
        }
        let value = json!({ "$serde_json::private::Number": "1" });
        assert!(measure(&value, LARGEST).is_err());
    }

    wide_input {
        let keys: Vec<_> = (0..1_000_000).map(|i| format!("\"k{i}\":0")).collect();
        let text = format!("{{{}}}", keys.join(","));
        quickly("a million keys", || assert!(parse_arguments(&text, LARGEST).is_ok_and(|v| v["k999999"] == 0)));
        let text = format!("{{\"a\":[{}1]}}", "[],".repeat(30 << 20));
        quickly("100 MB of arrays", || assert!(parse_arguments(&text, LARGEST).is_err()));
        assert!(refusal(&format!("{{\"a\":{}}}", "9".repeat(1_000_000))).contains("outside of 64 bits"));
        let long = format!("{{\"{}\":1}}", "k".repeat(1 << 19));
        assert!(refusal(&long).len() < 300, "an excerpt is enough");
    }

    a_million_wrong_items {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": { "type": "string" } } } });
        let compiled = CompiledSchema::compile(&schema).expect("plain");
        let value = json!({ "a": vec![1; 1_000_000] });
        quickly("a million violations", || {
            assert!(!compiled.is_valid(&value));
            assert_eq!(compiled.violations(&value, true).to_string(), "/a/0: expected string, got a number");
        });
        let value = json!({ "a": "x".repeat(50 << 20) });
        assert!(compiled.violations(&value, true).to_string().len() < 200);
    }

    text_that_is_not_quite_json {
        for (text, wanted) in [
            ("{\"a\":1,\"a\":2}", "repeated key \"a\" at line 1 column 8"),
            ("{\"a\":1,\"\\u0061\":2}", "repeated key \"a\" at line 1 column 8"),
            ("{\"x\":[0,{\"b\":1,\n \"b\":2}]}", "/x/1: repeated key \"b\" at line 2 column 2"),
            ("\u{feff}{}", "a byte order mark at line 1 column 1"),
            ("{\"a\":1,\n \"$serde_json::private::Number\":\"1\"}", "the name \"$serde_json::private::Number\" means something else to a parser at line 2 column 2"),
            ("{\"a\":NaN}", "/a: not JSON: expected a JSON value, found 'N' at line 1 column 6"),
            ("{\"a\":1e400}", "/a: a number too large to be held at line 1 column 6"),
            ("{\"a\":\"\\ud800\"}", "/a: half of a surrogate pair, which is no character at line 1 column 7"),
            ("{\"a\":01}", "/a: not a JSON number at line 1 column 6"),
            ("{\"a\":1} x", "not JSON: expected the end of the text, found 'x' at line 1 column 9"),
            ("{\"a\":1,}", "not JSON: expected a property name in double quotes, found '}' at line 1 column 8"),
            ("{\"a\":", "/a: not JSON: expected a JSON value, found the end of the text at line 1 column 6"),
            ("[1,2]", "expected an object, got an array"),
            ("\"{}\"", "expected an object, got a string that holds JSON; send the object directly"),
            ("{\"id\":18446744073709551616}", "/id: an integer outside of 64 bits, which would be rounded: send it as a string at line 1 column 7"),
        ] {
            assert_eq!(refusal(text), wanted, "{text}");
        }
    }

    text_that_is_fine {
        for (text, wanted) in [
            ("", json!({})),
            (" \t\r\n", json!({})),
            (" null ", json!({})),
            ("{\"__proto__\":1,\"\":2,\"constructor\":3}", json!({"__proto__": 1, "": 2, "constructor": 3})),
            ("{\"n\":18446744073709551615,\"m\":-9223372036854775808}", json!({"n": u64::MAX, "m": i64::MIN})),
            ("{\"n\":-0,\"m\":[-0, -0 ,-0.0,-0e0]}", json!({"n": 0, "m": [0, 0, -0.0, -0.0]})),
            ("{\"n\":9007199254740993}", json!({"n": 9_007_199_254_740_993_u64})),
            ("{\"s\":\"\\ud83d\\ude00\\u0000\"}", json!({"s": "😀\u{0}"})),
            ("{\"a\":{\"b\":1},\"b\":[{\"b\":1},{\"b\":2}]}", json!({"a": {"b": 1}, "b": [{"b": 1}, {"b": 2}]})),
        ] {
            assert_eq!(parse_arguments(text, DEFAULT).ok(), Some(wanted), "{text}");
        }
    }

    references_out_of_the_schema {
        for reference in ["https://example.invalid/s.json", "file:///etc/passwd", "urn:x:y", "other.json"] {
            let schema = json!({ "type": "object", "properties": { "a": { "$ref": reference } } });
            assert!(problems(&schema).contains("/properties/a: $ref"), "{reference}");
        }
        assert_ne!(problems(&json!({ "$ref": "#/$defs/missing" })), "admitted");
        let odd = json!({ "$schema": "https://example.invalid/dialect", "type": "object" });
        assert_eq!(problems(&odd), "admitted");
    }
}
