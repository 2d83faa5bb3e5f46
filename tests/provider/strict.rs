//! Strict exports: closed, everything required, and either all of it can be said or the tool is not strict.

use serde_json::{Value, json};
use toolgate::{
    OutputSpec, ToolCall, ToolRegistry,
    provider::{Exporter, Format, Mode, Strict},
    tool,
};

use super::{
    rules,
    support::{export, info, losses, parameters, validator},
};

const STRICT: [Format; 4] = [Format::OpenAiChat, Format::OpenAiResponses, Format::DeepSeek, Format::Anthropic];

fn property(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"], "additionalProperties": false})
}

#[test]
fn what_is_optional_is_null_when_it_is_left_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "unit": {"type": "string", "enum": ["C", "F"], "description": "Which"},
            "size": {"const": 3},
            "tags": {"type": "array", "items": {"type": "string"}},
            "who": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "node": {"$ref": "#/$defs/N"},
        },
        "required": ["q"],
        "additionalProperties": false,
        "$defs": {"N": {"type": "object", "properties": {"v": {"type": "number"}}, "required": ["v"], "additionalProperties": false}},
    });
    let export_of = |format| export(format, Strict::Required, schema.clone());
    let chat = export_of(Format::OpenAiChat);
    let expected = json!({
        "q": {"type": "string"},
        "unit": {"type": ["string", "null"], "description": "Which", "enum": ["C", "F", null]},
        "size": {"type": ["integer", "null"], "enum": [3, null]},
        "tags": {"type": ["array", "null"], "items": {"type": "string"}},
        "who": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        "node": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]},
    });
    assert_eq!(parameters(&chat)["properties"], expected);
    assert_eq!(parameters(&chat)["required"], json!(["q", "unit", "size", "tags", "who", "node"]));
    let optional =
        ["unit", "size", "tags", "who", "node"].map(|name| format!("rewritten required at /properties/{name}"));
    assert_eq!(losses(&chat.reports()[0]), optional);
    assert!(chat.is_strict("t") && !chat.is_strict("u"));

    let deepseek = parameters(&export_of(Format::DeepSeek));
    let tags = json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]});
    assert_eq!(deepseek["properties"]["tags"], tags, "there, null is no type beside an array");
    assert!(!deepseek.to_string().contains("$ref"), "what alternatives refer to is put in their place");

    let anthropic = export_of(Format::Anthropic);
    assert_eq!(parameters(&anthropic)["required"], json!(["q"]), "there, optional is optional");
    assert_eq!(anthropic.reports()[0].losses, []);
}

#[test]
fn an_open_object_is_closed_and_reported() {
    let schema = json!({"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]});
    for format in STRICT {
        let export = export(format, Strict::Required, schema.clone());
        assert_eq!(parameters(&export)["additionalProperties"], json!(false), "{format}");
        assert_eq!(losses(&export.reports()[0]), ["narrowed additionalProperties at "]);
    }
}

#[test]
fn a_map_is_not_strict_and_says_so() {
    let maps = [
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "properties": {"a": {"type": "null"}}, "patternProperties": {"^x": {"type": "null"}}}),
        json!({"type": "array", "items": {"type": "object", "additionalProperties": true}}),
    ];
    for (format, map) in STRICT.iter().flat_map(|format| maps.iter().map(move |map| (*format, map))) {
        let tools = [info("map", property(map)), info("none", json!({"type": "object"}))];
        let exporter = Exporter::new(format);
        let export = exporter.strict(Strict::WherePossible).export(&tools);
        assert_eq!(export.reports()[0].mode, Mode::NotStrict, "{format} {map}");
        assert!(!export.is_strict("map") && export.is_strict("none"), "one tool does not take the other with it");
        let [loss] = &*export.reports()[0].losses else { panic!("{:?}", export.reports()[0]) };
        assert_eq!(loss.keyword, "strict");
        assert!(loss.message.contains("/properties/p") && loss.message.contains("a map"), "{loss}");
        let export = exporter.strict(Strict::Required).export(&tools);
        let refused: Vec<_> = export.refused().map(|(report, _)| report.name.as_str()).collect();
        assert_eq!(refused, ["map"]);
        assert_eq!(export.names().iter().collect::<Vec<_>>(), [("none", "none")]);
    }
}

#[test]
fn what_has_no_type_is_not_strict() {
    for (schema, why) in [
        (json!({}), "any value"),
        (json!({"type": "array"}), "any value"),
        (json!({"enum": [{"a": 1}]}), "enum"),
        (json!({"type": "integer", "enum": ["1"]}), "enum"),
        (json!({"allOf": [{"pattern": "a"}, {"pattern": "b"}], "type": "string"}), "pattern"),
    ] {
        let export = export(Format::OpenAiChat, Strict::Required, property(&schema));
        let reasons: Vec<_> = export.refused().map(|(_, reason)| reason.to_owned()).collect();
        assert!(reasons.len() == 1 && reasons[0].contains(why), "{schema}: {reasons:?}");
        assert!(export.is_empty());
    }
}

#[test]
fn what_the_provider_does_not_take_stands_in_the_description() {
    let schema = json!({
        "type": "string", "description": "A name. ", "minLength": 1, "pattern": "^[a-z]+$", "format": "uri", "default": "x",
        "x-mine": 1,
    });
    let export_of = |format| export(format, Strict::Required, property(&schema));
    let chat = export_of(Format::OpenAiChat);
    let expected = json!({
        "type": "string",
        "description": "A name. (default: \"x\"; minLength: 1; format: \"uri\")",
        "pattern": "^[a-z]+$",
    });
    assert_eq!(parameters(&chat)["properties"]["p"], expected);
    let all = [
        "moved_to_description default",
        "moved_to_description minLength",
        "moved_to_description format",
        "dropped x-mine",
    ];
    assert_eq!(losses(&chat.reports()[0]), all.map(|loss| format!("{loss} at /properties/p")));
    let anthropic = parameters(&export_of(Format::Anthropic));
    assert_eq!(anthropic["properties"]["p"]["format"], json!("uri"));
    assert_eq!(anthropic["properties"]["p"]["default"], json!("x"));
}

#[test]
fn recursion_is_strict_where_references_are() {
    let tree = json!({
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/N", "description": "The top"}},
        "required": ["root"],
        "$defs": {"N": {
            "type": "object",
            "properties": {"v": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
            "required": ["v", "kids"],
        }},
    });
    let chat = export(Format::OpenAiChat, Strict::Required, tree.clone());
    let out = parameters(&chat);
    assert_eq!(out["properties"]["root"], json!({"description": "The top", "anyOf": [{"$ref": "#/$defs/N"}]}));
    assert_eq!(out["$defs"]["N"]["properties"]["kids"]["items"], json!({"$ref": "#/$defs/N"}));
    assert_eq!(
        losses(&chat.reports()[0]),
        ["narrowed additionalProperties at ", "narrowed additionalProperties at /$defs/N"]
    );
    let anthropic = export(Format::Anthropic, Strict::WherePossible, tree);
    assert_eq!(anthropic.reports()[0].mode, Mode::NotStrict);
}

#[test]
fn all_of_and_one_of_become_what_strict_knows() {
    let schema = property(&json!({
        "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"kind": {"oneOf": [{"const": "x"}, {"const": "y"}]}}, "required": ["kind"]}],
    }));
    let mut schema = schema;
    schema["$defs"] =
        json!({"base": {"type": "object", "properties": {"id": {"type": ["integer", "string"]}}, "required": ["id"]}});
    for format in STRICT {
        let export = export(format, Strict::Required, schema.clone());
        assert!(export.is_strict("t"), "{format}: {:?}", export.reports());
        let p = parameters(&export)["properties"]["p"].clone();
        let kind = json!({"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "string", "enum": ["y"]}]});
        assert_eq!(p["properties"]["kind"], kind);
        assert_eq!(p["properties"]["id"], json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}));
    }
}

#[test]
fn the_limits_of_strict_mode_hold() {
    let deep = |levels: usize| (1..levels).fold(property(&json!({"type": "null"})), |inner, _| property(&inner));
    let wide = |values: usize| property(&json!({"enum": (0..values).map(|n| n.to_string()).collect::<Vec<_>>()}));
    let long = |text: &str| property(&json!({"enum": (0..251).map(|n| format!("{text}{n:03}")).collect::<Vec<_>>()}));
    let mode = |schema| export(Format::OpenAiResponses, Strict::WherePossible, schema).reports()[0].mode.clone();
    assert_eq!([mode(deep(10)), mode(deep(11))], [Mode::Strict, Mode::NotStrict]);
    assert_eq!([mode(wide(1000)), mode(wide(1001))], [Mode::Strict, Mode::NotStrict]);
    assert_eq!([mode(long(&"x".repeat(50))), mode(long(&"x".repeat(60)))], [Mode::Strict, Mode::NotStrict]);
    let strict = parameters(&export(Format::OpenAiChat, Strict::Required, deep(10)));
    assert_eq!(rules::broken(&strict, &rules::OPENAI), Vec::<String>::new());
    assert!(!rules::broken(&deep(11), &rules::OPENAI).is_empty());
}

#[test]
fn anthropic_counts_over_a_request() {
    let optional = json!({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "additionalProperties": false});
    let export_of = |schema: &Value, count: usize| {
        let tools: Vec<_> = (0..count).map(|n| info(&format!("t{n}"), schema.clone())).collect();
        let export = Exporter::new(Format::Anthropic).strict(Strict::WherePossible).export(&tools);
        export.reports().iter().filter(|report| report.mode == Mode::Strict).count()
    };
    assert_eq!(export_of(&json!({"type": "object"}), 25), 20);
    assert_eq!(export_of(&optional, 15), 12, "24 optional properties");
    assert_eq!(export_of(&property(&json!({"type": ["string", "null"]})), 18), 16, "unions");
}

/// One alternative reads, the other writes: to say one of them is to leave out what the other demands.
#[test]
fn alternatives_at_the_root_that_demand_different_properties_are_not_strict() {
    let tagged = json!({
        "type": "object",
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "read"}, "path": {"type": "string"}, "lines": {"type": ["integer", "null"]}},
                "required": ["kind", "path"], "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "write"}, "path": {"type": "string"}, "text": {"type": "string"}},
                "required": ["kind", "path", "text"], "additionalProperties": false},
        ],
    });
    let mut nullable = tagged.clone();
    nullable["oneOf"][1]["required"] = json!(["kind", "path"]);
    for (schema, name) in [(tagged, "\"text\""), (nullable, "\"lines\"")] {
        for format in [Format::OpenAiChat, Format::OpenAiResponses, Format::DeepSeek] {
            let export = export(format, Strict::WherePossible, schema.clone());
            let report = &export.reports()[0];
            assert_eq!(report.mode, Mode::NotStrict, "{format} {:#}", parameters(&export));
            let why = &report.losses[0];
            assert!(why.keyword == "strict" && why.message.contains(name) && why.message.contains("oneOf"), "{why}");
        }
        let anthropic = export(Format::Anthropic, Strict::WherePossible, schema);
        assert!(anthropic.is_strict("t"), "what is optional is left out there: {:?}", anthropic.reports());
        assert_eq!(parameters(&anthropic)["required"], json!(["kind", "path"]));
    }
}

/// Whatever a model sends under a strict export can be a call: with null for what it leaves out.
#[tokio::test]
async fn a_null_that_only_another_alternative_forbids_to_leave_out_is_left_out() {
    let tagged = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "read"}, "lines": {"type": "integer"}}, "required": ["kind"], "additionalProperties": false},
        {"type": "object", "properties": {"kind": {"const": "write"}, "lines": {"type": "integer"}}, "required": ["kind", "lines"], "additionalProperties": false},
    ]});
    let either = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "additionalProperties": false,
    });
    let when = json!({
        "type": "object",
        "properties": {"kind": {"type": "string"}, "x": {"type": "integer"}},
        "required": ["kind"],
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["x"]},
        "additionalProperties": false,
    });
    for (schema, sent, meant) in [
        (property(&tagged), json!({"p": {"kind": "read", "lines": null}}), Some(json!({"p": {"kind": "read"}}))),
        (property(&tagged), json!({"p": {"kind": "write", "lines": null}}), None),
        (either.clone(), json!({"a": "x", "b": null}), Some(json!({"a": "x"}))),
        (either, json!({"a": null, "b": null}), None),
        (when.clone(), json!({"kind": "b", "x": null}), Some(json!({"kind": "b"}))),
        (when, json!({"kind": "a", "x": null}), None),
    ] {
        let registry = ToolRegistry::new();
        let echo = tool("t").parameters(schema.clone()).output(OutputSpec::any());
        registry.register(echo.body(|cx| async move { Ok(cx.arguments().clone()) })).expect("a good tool");
        let export = Exporter::new(Format::OpenAiChat).strict(Strict::Required).export(&registry.tools());
        let sendable = validator(&parameters(&export)).is_valid(&sent);
        assert!(sendable || meant.is_none(), "{sent} under {:#}", parameters(&export));
        let result =
            registry.execute(export.receive(&registry, ToolCall::from_model("1", "t", sent.to_string()))).await;
        assert_eq!(result.value(), meant.as_ref(), "{sent}: {}", result.text());
    }
}

#[test]
fn an_optional_reference_to_what_may_be_null_is_narrowed() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/N"}, "m": {"$ref": "#/$defs/M", "description": "More"}, "s": {"$ref": "#/$defs/S"}},
        "additionalProperties": false,
        "$defs": {
            "N": {"type": ["integer", "null"]},
            "M": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/N"}]},
            "S": {"type": "string"},
        },
    });
    let chat = export(Format::OpenAiChat, Strict::Required, schema);
    let expected = [
        "narrowed required at /properties/n",
        "narrowed required at /properties/m",
        "rewritten required at /properties/s",
    ];
    assert_eq!(losses(&chat.reports()[0]), expected);
    let out = parameters(&chat);
    assert_eq!(out["properties"]["n"], json!({"$ref": "#/$defs/N"}), "null is one of its values");
    assert!(validator(&out).is_valid(&json!({"n": null, "m": null, "s": null})));
}
