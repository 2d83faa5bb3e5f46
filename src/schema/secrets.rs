//! What a schema marks as secret shows in no message, wherever it is marked and whatever is wrong around it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::CompiledSchema;

/// Found in no schema, no name and no number by chance.
const SECRET: &str = "s3cr3t";

/// A schema for the value at the marked node, or around it: something is wrong with the secret under most of them.
fn keywords() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "type": "integer" })),
        Just(json!({ "type": ["null", "boolean"] })),
        Just(json!({ "enum": ["s3cret", "secret"] })),
        Just(json!({ "const": "s3cr3" })),
        Just(json!({ "pattern": "^x$" })),
        Just(json!({ "minLength": 100 })),
        Just(json!({ "not": { "type": ["string", "object", "array"] } })),
        Just(json!({ "anyOf": [{ "type": "integer" }, { "const": "other" }] })),
        Just(json!({ "oneOf": [{ "type": "integer" }, { "pattern": "^y" }, { "maxLength": 1 }] })),
        Just(json!({ "oneOf": [{}, {}] })),
        Just(json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["s3cr3"] })),
        Just(json!({ "type": "object", "additionalProperties": false })),
        Just(json!({ "type": "object", "additionalProperties": { "type": "null" } })),
        Just(json!({ "propertyNames": { "maxLength": 2 }, "items": { "type": "integer" } })),
        Just(json!({ "type": "array", "items": { "enum": ["s3cr3"] }, "uniqueItems": true })),
        Just(json!({ "allOf": [{ "minimum": 5, "type": "number" }] })),
        Just(json!({ "anyOf": [{ "properties": { "a": { "const": "s3cr3" } } , "required": ["b"] },
            { "properties": { "a": { "const": "s3" } }, "required": ["b"] }] })),
    ]
}

/// The secret, bare or within something.
fn hidden() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(SECRET)),
        Just(json!([SECRET, SECRET])),
        Just(json!({ "a": SECRET })),
        Just(json!({ SECRET: 1 })),
        Just(json!({ SECRET: { "b": SECRET } })),
        Just(json!({ "b": [{ "c": SECRET }] })),
        Just(json!(format!("{{\"{SECRET}\": 1}}"))),
    ]
}

fn merged(mut a: Value, b: &Value) -> Value {
    if let (Some(a), Some(b)) = (a.as_object_mut(), b.as_object()) {
        a.extend(b.clone());
    }
    a
}

/// Marks a schema directly, by a reference, or in one of several alternatives.
fn marked(by: usize, schema: &Value) -> Value {
    let write_only = json!({ "writeOnly": true });
    let password = json!({ "format": "password" });
    match by {
        0 => merged(write_only, schema),
        1 => merged(password, schema),
        2 => json!({ "allOf": [schema, { "$ref": "#/$defs/marked" }] }),
        3 => json!({ "anyOf": [merged(password, schema), { "type": "null" }] }),
        4 => json!({ "oneOf": [schema, merged(write_only, &json!({ "const": 1 }))] }),
        5 => json!({ "if": schema, "then": false, "else": merged(write_only, schema) }),
        _ => json!({ "not": merged(write_only, &json!({ "not": schema })) }),
    }
}

/// Puts the marked schema and the value with the secret at a place in what lies around.
fn placed(at: usize, schema: &Value, value: &Value) -> (Value, Value) {
    let (schema, value) = match at {
        0 => (json!({ "properties": { "pw": schema } }), json!({ "pw": value })),
        1 => (json!({ "additionalProperties": schema }), json!({ "pw": value, "x": 1 })),
        2 => (json!({ "patternProperties": { "^p": schema }, "required": ["pv"] }), json!({ "pw": value })),
        3 => (
            json!({ "properties": { "l": { "items": schema, "maxItems": 1, "uniqueItems": true } } }),
            json!({ "l": [value, value] }),
        ),
        4 => (
            json!({ "properties": { "l": { "prefixItems": [true, schema], "contains": { "type": "null" } } } }),
            json!({ "l": [1, value] }),
        ),
        5 => {
            let arm = |kind: &str| json!({ "properties": { "kind": { "const": kind }, "pw": schema }, "required": ["kind", "no"] });
            (
                json!({ "properties": { "u": { "oneOf": [arm("a"), arm("b")] } } }),
                json!({ "u": { "kind": "a", "pw": value } }),
            )
        }
        6 => {
            let arm = |other: &Value| json!({ "properties": { "kind": schema, "x": other }, "required": ["no"] });
            (
                json!({ "properties": { "u": { "anyOf": [arm(&json!(true)), arm(&json!({ "const": 2 }))] } } }),
                json!({ "u": { "kind": value, "x": 1 } }),
            )
        }
        7 => (
            json!({ "properties": { "e": { "enum": [1, { "pw": "s3cr3" }], "properties": { "pw": schema } } } }),
            json!({ "e": { "pw": value } }),
        ),
        8 => (
            json!({ "properties": { "n": { "$ref": "#/$defs/n" } }, "$defs": { "n": {
                "anyOf": [{ "required": ["no"], "properties": { "n": { "$ref": "#/$defs/n" }, "pw": schema } },
                          { "required": ["none"], "properties": { "n": { "$ref": "#/$defs/n" }, "pw": true } }] } } }),
            json!({ "n": { "n": { "n": { "pw": value } }, "pw": value } }),
        ),
        9 => {
            // Too deep for all to be told: found on the way down.
            let arm = |i: usize| {
                json!({ "type": "object", "required": ["no"], "properties": {
                "kind": { "const": i }, "n": { "$ref": "#/$defs/n" }, "pw": schema } })
            };
            let arms: Vec<Value> = (0..12).map(arm).collect();
            let deep = (0..15)
                .fold(json!({ "kind": 3, "pw": value }), |inner, i| json!({ "kind": i % 12, "n": inner, "pw": value }));
            (
                json!({ "properties": { "n": { "$ref": "#/$defs/n" } }, "$defs": { "n": { "oneOf": arms } } }),
                json!({ "n": deep }),
            )
        }
        _ => (json!({ "unevaluatedProperties": schema, "properties": { "x": true } }), json!({ "pw": value })),
    };
    (schema, value)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_message_tells_what_is_marked(
        around in keywords(), value in hidden(), by in 0_usize..7, at in 0_usize..11,
    ) {
        let (mut schema, value) = placed(at, &marked(by, &around), &value);
        if schema.get("$defs").is_none() {
            schema["$defs"] = json!({});
        }
        schema["$defs"]["marked"] = json!({ "writeOnly": true });
        let Ok(compiled) = CompiledSchema::compile(&schema) else {
            return Err(TestCaseError::fail(format!("does not compile: {schema}")));
        };
        if !compiled.is_valid(&value) {
            let text = compiled.violations(&value, true).to_string();
            prop_assert!(!text.is_empty());
            prop_assert!(!text.contains(SECRET), "{text}\n{schema}\n{value}");
        }
    }

    #[test]
    fn without_quotes_no_value_shows(around in keywords(), at in 0_usize..11) {
        let (schema, value) = placed(at, &around, &json!(SECRET));
        let Ok(compiled) = CompiledSchema::compile(&schema) else {
            return Err(TestCaseError::fail(format!("does not compile: {schema}")));
        };
        if !compiled.is_valid(&value) {
            let text = compiled.violations(&value, false).to_string();
            prop_assert!(!text.contains(SECRET), "{text}\n{schema}\n{value}");
        }
    }
}

#[test]
fn what_is_marked_is_still_explained() {
    let of = |schema: Value, value: Value| {
        let schema = json!({ "type": "object", "properties": { "auth": schema } });
        let compiled = CompiledSchema::compile(&schema).expect("it compiles");
        compiled.violations(&json!({ "auth": value }), true).to_string()
    };
    let pin = json!({ "writeOnly": true, "pattern": "^[0-9]{4}$" });
    assert_eq!(of(pin, json!(SECRET)), "/auth: expected text that matches \"^[0-9]{4}$\", got a string");
    let listed = json!({ "format": "password", "enum": ["s3cret"] });
    assert_eq!(of(listed, json!(SECRET)), "/auth: expected \"s3cret\", got a string", "nor how near it comes");
    let login = json!({ "writeOnly": true, "type": "object", "required": ["user"], "additionalProperties": { "type": "integer" },
        "properties": { "key": { "type": "integer" } } });
    assert_eq!(
        of(login, json!({ "usr": 1, "key": SECRET, SECRET: SECRET })),
        "/auth: missing \"user\"; /auth/key: expected integer, got a string; /auth/…: expected integer, got a string"
    );
    let short = json!({ "writeOnly": true, "minLength": 12 });
    assert_eq!(of(short, json!(SECRET)), "/auth: expected at least 12 characters", "nor how long it is");
    let name = json!({ "writeOnly": true, "properties": { "a": {} }, "additionalProperties": false });
    assert_eq!(of(name, json!({ SECRET: 1 })), "/auth: unexpected 1 property", "nor what its parts are called");
    let arm = |key: &str| json!({ "properties": { "key": { "const": key, "writeOnly": true } }, "required": ["key", "user"] });
    let text = of(json!({ "anyOf": [arm("other"), arm(SECRET)] }), json!({ "key": SECRET }));
    assert_eq!(
        text, "/auth: fits none of 2 alternatives; closest is alternative 2: /auth: missing \"user\"",
        "nor its label"
    );
}
