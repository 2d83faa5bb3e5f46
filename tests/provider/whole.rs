//! Exports that are not strict keep a schema whole, but for what a provider refuses.

use serde_json::{Value, json};
use toolgate::provider::{Format, LossKind, Strict};

use super::support::{export, losses, parameters, registered};

const TAKE_NO_COMBINATOR_AT_THE_ROOT: [Format; 5] =
    [Format::OpenAiChat, Format::OpenAiResponses, Format::DeepSeek, Format::Anthropic, Format::Bedrock];

#[test]
fn what_is_not_refused_stays_as_it_is() {
    let schema = json!({
        "type": "object",
        "properties": {
            "z": {"type": "string", "pattern": "^a", "default": "a", "examples": ["ab"]},
            "a": {"type": "object", "additionalProperties": {"$ref": "#/$defs/N"}},
            "m": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}, "uniqueItems": true}]},
        },
        "required": ["z"],
        "additionalProperties": false,
        "if": {"required": ["a"]},
        "then": {"required": ["m"]},
        "$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}, "minProperties": 1}},
    });
    for format in Format::ALL.iter().filter(|format| **format != Format::Gemini) {
        let export = export(*format, Strict::Never, schema.clone());
        assert_eq!(parameters(&export).to_string(), schema.to_string(), "{format}");
        let lost = losses(&export.reports()[0]);
        assert!(lost.is_empty() || *format == Format::Mcp, "{format}: {lost:?}");
    }
}

#[test]
fn an_older_draft_is_said_in_the_newest() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"pair": {"type": "array", "items": [{"type": "string"}], "additionalItems": false}, "n": {"$ref": "#/definitions/N"}},
        "definitions": {"N": {"type": "integer"}, "unused": true},
    });
    let export = export(Format::Anthropic, Strict::Never, schema);
    let expected = json!({
        "type": "object",
        "properties": {
            "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"not": {}}},
            "n": {"$ref": "#/$defs/N"},
        },
        "$defs": {"N": {"type": "integer"}},
    });
    assert_eq!(parameters(&export), expected);
    assert_eq!(export.reports()[0].losses, [], "nothing is lost by it");
}

#[test]
fn the_root_is_an_object_that_lists_its_properties() {
    for schema in [json!({}), json!({"type": "object"}), json!({"type": ["object", "null"]})] {
        for format in TAKE_NO_COMBINATOR_AT_THE_ROOT {
            let export = export(format, Strict::Never, schema.clone());
            assert_eq!(parameters(&export), json!({"type": "object", "properties": {}}));
            assert_eq!(export.reports()[0].losses, []);
        }
    }
}

#[test]
fn alternatives_at_the_root_become_one_object() {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "oneOf": [
            {"properties": {"by": {"const": "name"}, "name": {"type": "string"}}, "required": ["by", "name"], "additionalProperties": false},
            {"properties": {"by": {"const": "age"}, "age": {"type": "integer"}}, "required": ["age", "by"], "additionalProperties": false},
        ],
    });
    for format in TAKE_NO_COMBINATOR_AT_THE_ROOT {
        let export = export(format, Strict::Never, schema.clone());
        let out = parameters(&export);
        assert!(out.get("oneOf").is_none(), "{format}");
        let expected = json!({
            "id": {"type": "string"},
            "by": {"anyOf": [{"const": "name"}, {"const": "age"}]},
            "name": {"type": "string"},
            "age": {"type": "integer"},
        });
        assert_eq!(out["properties"].to_string(), expected.to_string());
        assert_eq!(out["required"], json!(["by"]));
        assert_eq!(out["additionalProperties"], json!(false), "every alternative is closed");
        assert_eq!(losses(&export.reports()[0]), ["widened oneOf at "]);
    }
    let export = export(Format::GeminiJsonSchema, Strict::Never, schema.clone());
    assert_eq!(parameters(&export), schema, "there it is taken");
}

#[test]
fn demands_at_the_root_of_one_or_another_are_told_in_words() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "not": {"required": ["c"]},
    });
    let export = export(Format::OpenAiChat, Strict::Never, schema);
    let expected = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "description": r#"(anyOf: [{"required":["a"]},{"required":["b"]}]; not: {"required":["c"]})"#,
    });
    assert_eq!(parameters(&export), expected);
    assert_eq!(losses(&export.reports()[0]), ["widened anyOf at ", "moved_to_description not at "]);
}

#[test]
fn what_only_one_alternative_restricts_is_reported_as_narrowed() {
    let schema = json!({"type": "object", "anyOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["b"]}]});
    let export = export(Format::OpenAiChat, Strict::Never, schema);
    assert_eq!(losses(&export.reports()[0]), ["widened anyOf at ", "narrowed anyOf at /properties/a"]);
}

#[test]
fn all_of_at_the_root_is_put_together_or_told() {
    let schema = json!({
        "type": "object",
        "$ref": "#/$defs/base",
        "allOf": [{"properties": {"b": {"type": "integer"}}, "required": ["b"]}],
        "$defs": {"base": {"properties": {"a": {"$ref": "#/$defs/text"}}}, "text": {"type": "string"}},
    });
    let export_of = |schema| export(Format::Anthropic, Strict::Never, schema);
    let export = export_of(schema);
    let expected = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/text"}, "b": {"type": "integer"}},
        "required": ["b"],
        "$defs": {"text": {"type": "string"}},
    });
    assert_eq!(parameters(&export), expected);
    assert_eq!(export.reports()[0].losses, []);

    let clash = json!({"allOf": [{"patternProperties": {"^a": true}}, {"patternProperties": {"^b": true}}]});
    let export = export_of(clash);
    let [loss] = &*export.reports()[0].losses else { panic!("{:?}", export.reports()) };
    assert_eq!((loss.keyword.as_str(), loss.kind), ("allOf", LossKind::Widened));
}

#[test]
fn an_array_says_what_is_in_it_where_that_is_wanted() {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["array", "null"]}, "b": {"type": "array", "unevaluatedItems": false}}});
    let wanted = json!({"a": {"type": ["array", "null"], "items": {}}, "b": {"type": "array", "items": {"not": {}}}});
    for format in Format::ALL.iter().filter(|format| **format != Format::Gemini) {
        let export = export(*format, Strict::Never, schema.clone());
        let fussy = matches!(format, Format::OpenAiChat | Format::OpenAiResponses | Format::DeepSeek);
        let expected = if fussy { &wanted } else { &schema["properties"] };
        assert_eq!(parameters(&export)["properties"], *expected, "{format}");
    }
}

#[test]
fn what_all_of_leaves_unevaluated_is_closed_with_it() {
    let schema = json!({
        "type": "object",
        "allOf": [{"$ref": "#/$defs/base"}],
        "properties": {"b": {"type": "integer"}},
        "required": ["a", "b"],
        "unevaluatedProperties": false,
        "$defs": {"base": {"properties": {"a": {"type": "string"}}}},
    });
    let chat = export(Format::OpenAiChat, Strict::Required, schema.clone());
    let expected = json!({
        "type": "object",
        "required": ["b", "a"],
        "properties": {"b": {"type": "integer"}, "a": {"type": "string"}},
        "additionalProperties": false,
    });
    assert_eq!(parameters(&chat), expected);
    assert_eq!(chat.reports()[0].losses, []);
    let whole = export(Format::Anthropic, Strict::Never, schema);
    assert_eq!(parameters(&whole)["unevaluatedProperties"], json!(false));
}

#[test]
fn an_anchor_within_data_is_none() {
    let with = |data: &Value| {
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "object", "default": data, "examples": [data], "enum": [data, {}], "x-mine": data},
                "$anchor": {"type": "string"},
                "b": {"$ref": "#x"},
                "c": {"$ref": "#y"},
            },
            "$defs": {"X": {"$anchor": "x", "type": "integer"}, "$anchor": {"$anchor": "y", "type": "null"}},
        })
    };
    let same = registered("t", with(&json!({"$anchor": "x", "type": "string"})));
    assert!(
        same.is_err_and(|e| e.to_string().contains("may mean several parts")),
        "what looks alike is not told apart"
    );
    let schema = with(&json!({"$anchor": "z", "type": "string"}));
    for format in TAKE_NO_COMBINATOR_AT_THE_ROOT {
        let out = parameters(&export(format, Strict::Never, schema.clone()));
        assert_eq!(out["properties"]["b"], json!({"$ref": "#/$defs/X"}), "{format}");
        assert_eq!(out["$defs"]["X"], json!({"type": "integer"}));
        assert_eq!(out["$defs"]["_anchor"], json!({"type": "null"}), "a name is no keyword");
    }
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"pair": {"items": [{"$id": "#p", "type": "null"}], "additionalItems": {"$id": "#more", "type": "string"}}, "p": {"$ref": "#p"}, "m": {"$ref": "#more"}, "d": {"$ref": "#d"}},
        "dependencies": {"p": {"$id": "#d", "required": ["m"]}},
    });
    let out = parameters(&export(Format::Bedrock, Strict::Never, old));
    let targets = ["p", "m", "d"].map(|name| out["properties"][name]["$ref"].as_str().unwrap_or_default().to_owned());
    assert!(targets.iter().all(|target| target.starts_with("#/$defs/")), "{targets:?}");
}

#[test]
fn a_keyword_means_nothing_in_drafts_after_its_own() {
    let schema = json!({"type": "object", "properties": {"a": {"$recursiveRef": "#"}, "b": {"items": {}, "additionalItems": false}}});
    let mut old = schema.clone();
    old["$schema"] = json!("https://json-schema.org/draft/2019-09/schema");
    let a = |schema| parameters(&export(Format::Anthropic, Strict::Never, schema))["properties"]["a"].clone();
    assert_eq!(a(schema), json!({}));
    assert_eq!(a(old), json!({"$ref": "#"}));
}
