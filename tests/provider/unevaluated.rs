//! What nothing has looked at: `unevaluatedProperties` where what looks at members is put together, or cannot be said.

use serde_json::{Value, json};
use toolgate::provider::{Export, Format, Mode, Strict};

use super::support::{export, losses, narrowed, parameters, validator};

const FLAT: [Format; 5] =
    [Format::OpenAiChat, Format::OpenAiResponses, Format::DeepSeek, Format::Anthropic, Format::Bedrock];

fn takes(export: &Export, value: &Value) -> bool {
    validator(&parameters(export)).is_valid(value)
}

fn branches(first: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {"k": {"type": "string"}},
        "anyOf": [first, {"required": ["k"]}],
        "unevaluatedProperties": false,
        "$defs": {"base": {"properties": {"id": {"type": "integer"}}}},
    })
}

#[test]
fn it_goes_where_a_branch_may_look_at_more_than_it_lists() {
    let a = json!({"type": "integer"});
    let when = |n: u32| json!({"if": {"properties": {"a": {"const": n}}}, "then": {"required": ["k"]}});
    for (branch, value) in [
        (json!({"properties": {"a": a}, "dependentSchemas": {"a": {"properties": {"x": a}}}}), json!({"a": 1, "x": 2})),
        (json!({"properties": {"a": a}, "allOf": [when(1), when(2)]}), json!({"a": 3})),
        (
            json!({"$ref": "#/$defs/base", "properties": {"a": a}, "patternProperties": {"^x-": {}}}),
            json!({"a": 3, "id": 1, "x-y": 1}),
        ),
        (json!({"properties": {"a": a}, "unevaluatedProperties": true}), json!({"a": 3, "z": 1})),
        (
            json!({"properties": {"a": a}, "anyOf": [{"dependentSchemas": {"a": {"properties": {"x": a}}}}]}),
            json!({"a": 1, "x": 2}),
        ),
        (
            json!({"properties": {"a": a}, "anyOf": [{"allOf": [when(1), when(2)], "properties": {"x": a}}]}),
            json!({"a": 3, "x": 1}),
        ),
    ] {
        let schema = branches(&branch);
        assert!(validator(&schema).is_valid(&value), "{value} under {schema:#}");
        for format in FLAT {
            let export = export(format, Strict::Never, schema.clone());
            assert!(takes(&export, &value), "{format}: {value} under {:#}", parameters(&export));
            let lost = losses(&export.reports()[0]);
            assert!(lost.contains(&"widened unevaluatedProperties at ".to_owned()), "{format}: {lost:?}");
        }
    }
    let plain =
        export(Format::OpenAiChat, Strict::Never, branches(&json!({"$ref": "#/$defs/base", "required": ["id"]})));
    assert_eq!(parameters(&plain)["unevaluatedProperties"], json!(false), "all names are known");
    assert!(takes(&plain, &json!({"id": 1})) && !takes(&plain, &json!({"id": 1, "x": 1})));
}

#[test]
fn what_a_condition_declares_cannot_be_said_strictly_and_is_reported() {
    let kind = json!({"kind": {"type": "string"}, "y": {"type": "integer"}});
    let x = json!({"properties": {"x": {"type": "integer"}}, "required": ["x"]});
    let closed = json!({"type": "object", "properties": kind, "required": ["kind"], "unevaluatedProperties": false});
    let with = |key: &str, value: Value| {
        let mut schema = closed.clone();
        schema[key] = value;
        schema
    };
    let test = json!({"properties": {"kind": {"const": "a"}}});
    let mut conditional = with("if", test.clone());
    conditional["then"] = x.clone();
    let mut negative = with("if", test.clone());
    negative["else"] = json!({"patternProperties": {"^x": {}}});
    let within = json!({"if": test, "then": {"allOf": [x]}});
    for (schema, value) in [
        (conditional, json!({"kind": "a", "x": 1})),
        (negative, json!({"kind": "b", "x": 1})),
        (with("dependentSchemas", json!({"kind": x})), json!({"kind": "a", "x": 1})),
        (with("allOf", json!([within])), json!({"kind": "a", "x": 1})),
    ] {
        assert!(validator(&schema).is_valid(&value), "{value} under {schema:#}");
        for format in [Format::OpenAiChat, Format::DeepSeek, Format::Anthropic] {
            let export = export(format, Strict::Required, schema.clone());
            assert_eq!(export.reports()[0].mode, Mode::Strict);
            let lost = losses(&export.reports()[0]);
            assert!(lost.contains(&"narrowed unevaluatedProperties at ".to_owned()), "{format}: {lost:?}");
        }
    }
    let known = with("dependentSchemas", json!({"kind": {"properties": {"y": {"minimum": 1}}, "required": ["y"]}}));
    let export = export(Format::Anthropic, Strict::Required, known);
    assert!(!narrowed(&export.reports()[0]), "it says more of what is listed: {:?}", export.reports());
}
