//! What messages say: each is held to the letter, because models read them.

#![expect(clippy::needless_pass_by_value, reason = "schemas and values are written where they are passed")]

use serde_json::{Value, json};

use super::CompiledSchema;

fn message(schema: &Value, value: &Value) -> String {
    let compiled = CompiledSchema::compile(schema).expect("it compiles");
    assert!(!compiled.is_valid(value), "{value} fits {schema}");
    compiled.violations(value, true).to_string()
}

/// What is wrong with `value` as the member `x`.
fn about(schema: Value, value: Value) -> String {
    message(&json!({ "properties": { "x": schema } }), &json!({ "x": value }))
}

fn object(properties: Value, required: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn closed(properties: Value, required: Value) -> Value {
    let mut schema = object(properties, required);
    schema["additionalProperties"] = json!(false);
    schema
}

#[test]
fn each_keyword_says_what_it_expected_and_what_it_got() {
    for (schema, value, wanted) in [
        (json!({ "type": "string" }), json!(5), "/x: expected string, got a number"),
        (json!({ "type": "integer" }), json!(1.5), "/x: expected integer, got 1.5"),
        (json!({ "type": "integer" }), json!("5"), "/x: expected integer, got the string \"5\""),
        (
            json!({ "type": ["boolean", "null"] }),
            json!("true"),
            "/x: expected null or boolean, got the string \"true\"",
        ),
        (json!({ "type": "array" }), json!("a"), "/x: expected array, got a string"),
        (
            json!({ "type": "array" }),
            json!("[1]"),
            "/x: expected array, got a string; send the JSON directly, not inside a string",
        ),
        (json!({ "enum": ["a", 1] }), json!([1]), "/x: expected one of \"a\", 1, got an array"),
        (json!({ "const": true }), json!(false), "/x: expected true, got false"),
        (json!({ "minimum": 5 }), json!(3), "/x: expected at least 5, got 3"),
        (json!({ "maximum": 5 }), json!(7), "/x: expected at most 5, got 7"),
        (json!({ "exclusiveMinimum": 5 }), json!(5), "/x: expected more than 5, got 5"),
        (json!({ "exclusiveMaximum": 5 }), json!(5), "/x: expected less than 5, got 5"),
        (json!({ "multipleOf": 5 }), json!(7), "/x: expected a multiple of 5, got 7"),
        (json!({ "minLength": 2 }), json!("é"), "/x: expected at least 2 characters, got 1"),
        (json!({ "maxLength": 1 }), json!("ab"), "/x: expected at most 1 character, got 2"),
        (json!({ "minItems": 1 }), json!([]), "/x: expected at least 1 item, got 0"),
        (json!({ "maxItems": 1 }), json!([1, 2]), "/x: expected at most 1 item, got 2"),
        (json!({ "minProperties": 1 }), json!({}), "/x: expected at least 1 property, got 0"),
        (json!({ "maxProperties": 0 }), json!({ "a": 1 }), "/x: expected at most 0 properties, got 1"),
        (json!({ "pattern": "^a\"+$" }), json!("b"), "/x: expected text that matches \"^a\\\"+$\", got \"b\""),
        (json!({ "uniqueItems": true }), json!([1, 1]), "/x: expected items that differ, got some twice"),
        (
            json!({ "contains": { "type": "string" } }),
            json!([1]),
            "/x: expected an item of the kind that \"contains\" asks for",
        ),
        (json!(false), json!(1), "/x: nothing is allowed here"),
        (json!({ "additionalProperties": false }), json!({ "a": 1 }), "/x: takes no properties"),
        (json!({ "not": { "type": "null" } }), json!(null), "/x: must not fit {\"type\":\"null\"}"),
        (json!({ "prefixItems": [{}], "items": false }), json!([1, 2]), "/x/1: nothing is allowed here"),
        (
            json!({ "propertyNames": { "maxLength": 2 } }),
            json!({ "abc": 1 }),
            "/x: the name \"abc\" is not allowed: expected at most 2 characters, got 3",
        ),
        (json!({ "dependentRequired": { "card": ["cvv"] } }), json!({ "card": 1 }), "/x: missing \"cvv\""),
    ] {
        assert_eq!(about(schema.clone(), value), wanted, "{schema}");
    }
}

#[test]
fn values_are_cut() {
    let long = "a".repeat(1000);
    assert_eq!(about(json!({ "const": "b" }), json!(long)), format!("/x: expected \"b\", got \"{}\"…", "a".repeat(64)));
    let listed: Vec<String> = (0..1000).map(|i| format!("option {i}")).collect();
    assert!(about(json!({ "enum": listed }), json!("x")).len() < 400);
    assert!(about(json!({ "pattern": format!("^{}$", "b".repeat(1000)) }), json!(long)).len() < 500);
}

#[test]
fn no_more_than_eight_are_told() {
    let names: Vec<String> = (0..20).map(|i| format!("name{i}")).collect();
    let text = message(&object(json!({}), json!(names)), &json!({}));
    assert_eq!(text.matches("missing").count(), 8, "{text}");
    assert!(text.ends_with("; … and more"), "{text}");
    let eight = message(&object(json!({}), json!(names[..8])), &json!({}));
    assert!(eight.ends_with("\"name7\""), "{eight}");
}

#[test]
fn misspelt_names_are_recognised() {
    let path = json!({ "path": { "type": "string" }, "mode": {} });
    let open = object(path.clone(), json!(["path"]));
    assert_eq!(message(&open, &json!({ "pth": "a" })), "missing \"path\" (did you mean it by \"pth\"?)");
    assert_eq!(message(&open, &json!({ "mode": 1, "other": 1 })), "missing \"path\"");
    let strict = closed(path, json!([]));
    assert_eq!(message(&strict, &json!({ "pth": "a" })), "unexpected \"pth\"; did you mean \"path\"?");
    assert_eq!(message(&strict, &json!({ "pth": "a", "path": "b" })), "unexpected \"pth\"", "path is there");
    assert_eq!(
        message(&strict, &json!({ "pth": "a", "zzz": 1 })),
        "unexpected \"pth\" (did you mean \"path\"?), \"zzz\""
    );
    // Names are looked up where the references of a schema lead.
    let referred = json!({ "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": strict } });
    assert_eq!(message(&referred, &json!({ "a": { "Path": 1 } })), "/a: unexpected \"Path\"; did you mean \"path\"?");
}

#[test]
fn misspelt_values_are_recognised() {
    assert_eq!(
        about(json!({ "enum": ["celsius", "fahrenheit"] }), json!("celcius")),
        "/x: expected one of \"celsius\", \"fahrenheit\", got \"celcius\"; did you mean \"celsius\"?"
    );
    assert_eq!(
        about(json!({ "enum": ["celsius", "fahrenheit"] }), json!("Kelvin")),
        "/x: expected one of \"celsius\", \"fahrenheit\", got \"Kelvin\""
    );
}

#[test]
fn a_union_of_types_and_values_is_one_choice() {
    let optional = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    assert_eq!(about(optional, json!(1)), "/x: expected string or null, got a number");
    let documented = json!({ "oneOf": [
        { "const": "fast", "description": "no checks" }, { "type": "string", "const": "slow" }, { "type": "null" }] });
    assert_eq!(
        about(documented.clone(), json!("slwo")),
        "/x: expected one of \"fast\", \"slow\" or null, got \"slwo\"; did you mean \"slow\"?"
    );
    assert_eq!(about(documented, json!(3)), "/x: expected one of \"fast\", \"slow\" or null, got 3");
}

fn kinds() -> Value {
    let arm = |kind: &str, properties: Value, required: Value| {
        let mut arm = object(properties, required);
        arm["properties"]["kind"] = json!({ "const": kind });
        arm
    };
    json!({ "oneOf": [
        arm("read", json!({ "path": { "type": "string" } }), json!(["kind", "path"])),
        arm("write", json!({ "path": { "type": "string" }, "text": { "type": "string" } }), json!(["kind", "path", "text"])),
        { "$ref": "#/$defs/list" },
    ] })
}

fn operation() -> Value {
    json!({ "type": "object", "properties": { "op": kinds() }, "$defs": { "list": {
        "type": "object", "properties": { "kind": { "enum": ["list"] }, "depth": { "type": "integer" } },
        "required": ["kind", "depth"] } } })
}

#[test]
fn the_alternative_of_the_same_kind_is_the_closest() {
    let of = |op: Value| message(&operation(), &json!({ "op": op }));
    assert_eq!(
        of(json!({ "kind": "write", "path": "a", "txt": "b" })),
        "/op: fits none of 3 alternatives; closest is alternative 2 (kind \"write\"): /op: missing \"text\" (did you mean it by \"txt\"?)"
    );
    assert_eq!(
        of(json!({ "kind": "list", "depth": "2" })),
        "/op: fits none of 3 alternatives; closest is alternative 3 (kind \"list\"): /op/depth: expected integer, got the string \"2\""
    );
}

#[test]
fn what_tells_alternatives_apart_is_named_when_it_is_what_is_wrong() {
    let of = |op: Value| message(&operation(), &json!({ "op": op }));
    assert_eq!(
        of(json!({ "kind": "wriet", "path": "a" })),
        "/op: fits none of 3 alternatives; /op/kind: expected one of \"read\", \"write\", \"list\", got \"wriet\"; did you mean \"write\"?"
    );
    assert_eq!(
        of(json!({ "path": "a" })),
        "/op: fits none of 3 alternatives; /op: missing \"kind\", one of \"read\", \"write\", \"list\""
    );
    assert_eq!(of(json!(5)), "/op: expected object, got a number");
}

#[test]
fn without_a_kind_the_type_and_the_least_wrong_count() {
    let union = json!({ "anyOf": [
        { "type": "array", "title": "many", "items": { "type": "string" } },
        closed(json!({ "url": {}, "method": {} }), json!(["url"])),
        closed(json!({ "path": {}, "mode": {} }), json!(["path"])),
    ] });
    assert_eq!(
        about(union.clone(), json!(["a", 1])),
        "/x: fits none of 3 alternatives; closest is alternative 1 (many): /x/1: expected string, got a number"
    );
    assert_eq!(
        about(union, json!({ "mode": 1 })),
        "/x: fits none of 3 alternatives; closest is alternative 3: /x: missing \"path\""
    );
    let both = json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    assert_eq!(
        about(both, json!({ "a": 1, "b": 1 })),
        "/x: fits more than one of the alternatives that exclude each other: 1, 2"
    );
}

#[test]
fn recursive_unions_are_explained_where_that_is_affordable() {
    let list =
        |name: &str| object(json!({ name: { "type": "array", "items": { "$ref": "#/$defs/f" } } }), json!([name]));
    let leaf = closed(json!({ "field": { "type": "string" }, "equals": {} }), json!(["field", "equals"]));
    let schema = json!({ "type": "object", "properties": { "filter": { "$ref": "#/$defs/f" } }, "$defs": {
        "f": { "anyOf": [{ "$ref": "#/$defs/and" }, { "$ref": "#/$defs/or" }, leaf] }, "and": list("and"), "or": list("or") } });
    let wrong = json!({ "field": "a", "eqals": 1 });
    let text = message(&schema, &json!({ "filter": { "and": [{ "or": [wrong] }] } }));
    assert_eq!(
        text,
        "/filter/and/0/or/0: fits none of 3 alternatives; closest is alternative 3: \
         /filter/and/0/or/0: missing \"equals\" (did you mean it by \"eqals\"?); \
         /filter/and/0/or/0: unexpected \"eqals\"; did you mean \"equals\"?"
    );
    // Too deep to tell all about all levels: the way down is found by checking alone.
    let deep = (0..20).fold(wrong, |inner, _| json!({ "and": [{ "field": "b", "equals": 2 }, inner] }));
    let text = message(&schema, &json!({ "filter": deep }));
    let steps = "/and/1".repeat(20);
    assert_eq!(
        text,
        format!(
            "/filter{steps}: fits none of 3 alternatives; closest is alternative 3: \
             /filter{steps}: missing \"equals\" (did you mean it by \"eqals\"?); \
             /filter{steps}: unexpected \"eqals\"; did you mean \"equals\"?"
        )
    );
}

#[test]
fn recursive_unions_of_many_kinds_are_explained_at_the_part_that_is_wrong() {
    let arm = |i: usize| {
        closed(
            json!({ "kind": { "const": format!("kind{i}") }, "left": { "$ref": "#/$defs/e" }, "right": { "$ref": "#/$defs/e" }, "size": { "type": "integer" } }),
            json!(["kind"]),
        )
    };
    let arms: Vec<Value> = (0..12).map(arm).collect();
    let schema = json!({ "type": "object", "properties": { "e": { "$ref": "#/$defs/e" } }, "$defs": { "e": { "oneOf": arms } } });
    let leaf = json!({ "kind": "kind0" });
    let around = |inner: Value| {
        (0..15).fold(inner, |inner, i| json!({ "kind": format!("kind{}", i % 12), "left": leaf, "right": inner }))
    };
    let steps = "/right".repeat(15);
    let of = |inner: Value| message(&schema, &json!({ "e": around(inner) }));
    assert_eq!(
        of(json!({ "kind": "kind7", "size": "big" })),
        format!(
            "/e{steps}: fits none of 12 alternatives; closest is alternative 8 (kind \"kind7\"): /e{steps}/size: expected integer, got the string \"big\""
        )
    );
    let unknown = of(json!({ "kind": "kind77" }));
    assert!(
        unknown.starts_with(&format!("/e{steps}: fits none of 12 alternatives; /e{steps}/kind: expected one of ")),
        "{unknown}"
    );
    // The outermost is wrong, and all that is in it is right.
    let mut outer = around(leaf.clone());
    outer["sise"] = json!(1);
    let text = message(&schema, &json!({ "e": outer }));
    assert_eq!(
        text,
        "/e: fits none of 12 alternatives; closest is alternative 3 (kind \"kind2\"): /e: unexpected \"sise\"; did you mean \"size\"?"
    );
}

#[test]
fn the_way_down_takes_the_alternative_that_is_meant() {
    let next = || json!({ "$ref": "#/$defs/n" });
    let arm = |kind: &str, next: Value| {
        object(json!({ "kind": { "const": kind }, "next": next, "size": { "type": "integer" } }), json!(["kind"]))
    };
    // In the other alternatives a next part may be anything.
    let mut arms = vec![arm("last", json!({}))];
    arms.extend((0..10).map(|i| arm(&format!("kind{i}"), next())));
    let schema = json!({ "type": "object", "properties": { "n": next() }, "$defs": { "n": { "anyOf": arms } } });
    let deep =
        (0..20).fold(json!({ "kind": "kind3", "size": "big" }), |inner, _| json!({ "kind": "kind1", "next": inner }));
    let text = message(&schema, &json!({ "n": deep }));
    let wanted = format!("/n{}/size: expected integer, got the string \"big\"", "/next".repeat(20));
    assert!(text.ends_with(&wanted), "{text}");
}

#[test]
fn what_does_not_compile_is_told_whole() {
    let problems = |schema: &Value| {
        let found = CompiledSchema::compile(schema).err().unwrap_or_default();
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for dialect in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"] {
        let schema = json!({ "$schema": dialect, "type": "object", "required": "a", "properties": {
            "a": { "type": "strnig" }, "b": { "items": { "minLength": -1 } } } });
        let found = problems(&schema);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|p| p == "/required: does not compile: expected array, got a string"), "{found:?}");
        let least = |p: &String| p.starts_with("/properties/b/items") && p.contains("expected at least 0, got -1");
        assert!(found.iter().any(least), "{found:?}");
        let kind = found.iter().find(|p| p.starts_with("/properties/a/type: ")).expect("the wrong type");
        assert!(kind.contains("did you mean \"string\"?"), "{kind}");
    }
    let many: serde_json::Map<_, _> = (0..20).map(|i| (format!("p{i}"), json!({ "type": 1 }))).collect();
    let found = problems(&json!({ "properties": many }));
    assert_eq!(found.len(), 9, "eight, and that there are more: {found:?}");
}

/// What may be left out as null is one thing to be, and is told as that.
#[test]
fn a_union_with_null_is_told_as_what_it_is_beside_null() {
    let file = object(json!({ "path": { "type": "string" }, "lines": { "type": "integer" } }), json!(["path"]));
    for union in [json!({ "anyOf": [file, { "type": "null" }] }), json!({ "oneOf": [{ "type": "null" }, file] })] {
        assert_eq!(about(union.clone(), json!({ "pth": "a" })), "/x: missing \"path\" (did you mean it by \"pth\"?)");
        assert_eq!(about(union.clone(), json!({ "path": 1 })), "/x/path: expected string, got a number");
        assert_eq!(about(union, json!({ "lines": 1.5 })), "/x: missing \"path\"; /x/lines: expected integer, got 1.5");
    }
    let kinds = json!({ "anyOf": [
        closed(json!({ "Add": { "type": "integer" } }), json!(["Add"])),
        closed(json!({ "Remove": { "type": "integer" } }), json!(["Remove"])),
    ] });
    let optional = json!({ "anyOf": [kinds, { "type": "null" }] });
    assert_eq!(about(optional, json!({ "Add": "x" })), about(kinds, json!({ "Add": "x" })));
}

#[test]
fn a_null_that_may_be_left_out_is_told_so() {
    let schema = object(json!({ "a": { "type": "integer" }, "b": { "type": "integer" } }), json!(["a"]));
    assert_eq!(message(&schema, &json!({ "a": 1, "b": null })), "/b: expected integer, got null; leave it out");
    assert_eq!(message(&schema, &json!({ "a": null })), "/a: expected integer, got null");
    let map = json!({ "additionalProperties": { "type": "integer" } });
    assert_eq!(message(&map, &json!({ "a": null })), "/a: expected integer, got null");
    let list = json!({ "properties": { "l": { "items": { "type": "integer" } } } });
    assert_eq!(message(&list, &json!({ "l": [null] })), "/l/0: expected integer, got null");
}
