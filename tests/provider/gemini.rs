//! Gemini's own subset of a schema.

use serde_json::{Value, json};
use toolgate::provider::{Format, Mode, Strict};

use super::support::{export, losses, parameters};

/// What becomes of a required property `p`, and what is lost.
fn property(schema: &Value) -> (Value, Vec<String>) {
    let whole = json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
    let export = export(Format::Gemini, Strict::Never, whole);
    (parameters(&export)["properties"]["p"].clone(), losses(&export.reports()[0]))
}

#[test]
fn each_type_in_its_subset() {
    let moved = |keyword: &str| format!("moved_to_description {keyword} at /properties/p");
    for (schema, expected, lost) in [
        (json!({"type": "string", "minLength": 1, "title": "T"}), json!({"type": "STRING", "minLength": 1}), vec![]),
        (json!({"type": ["string", "null"]}), json!({"type": "STRING", "nullable": true}), vec![]),
        (json!({"const": "x"}), json!({"type": "STRING", "enum": ["x"]}), vec![]),
        (json!({"const": 5}), json!({"type": "INTEGER", "minimum": 5, "maximum": 5}), vec![]),
        (json!({"enum": ["a", "b", null]}), json!({"type": "STRING", "enum": ["a", "b"], "nullable": true}), vec![]),
        (
            json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}),
            json!({"type": "INTEGER", "minimum": 1, "maximum": 8}),
            vec![],
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": 5, "minimum": 2, "maximum": 20, "exclusiveMaximum": 9}),
            json!({"type": "INTEGER", "minimum": 6, "maximum": 8}),
            vec![],
        ),
        (
            json!({"type": "integer", "const": 5, "minimum": 1, "maximum": 9}),
            json!({"type": "INTEGER", "minimum": 5, "maximum": 5}),
            vec![],
        ),
        (
            json!({"type": "integer", "minimum": 9_007_199_254_740_993_u64, "exclusiveMinimum": 9_007_199_254_740_991_u64}),
            json!({"type": "INTEGER", "minimum": 9_007_199_254_740_993_u64}),
            vec![],
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0.5}),
            json!({"type": "NUMBER", "minimum": 0.5}),
            vec!["widened exclusiveMinimum at /properties/p".to_owned()],
        ),
        (
            json!({"type": "integer", "enum": [1, 2], "default": 1}),
            json!({"type": "INTEGER", "description": "(default: 1; enum: [1,2])"}),
            vec![moved("default"), moved("enum")],
        ),
        (
            json!({"type": "string", "format": "uri", "description": "Where"}),
            json!({"type": "STRING", "description": "Where (format: \"uri\")"}),
            vec![moved("format")],
        ),
        (json!({"type": "string", "format": "date-time"}), json!({"type": "STRING", "format": "date-time"}), vec![]),
        (
            json!({"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}),
            json!({"type": "ARRAY", "description": "(uniqueItems: true)", "items": {"type": "BOOLEAN"}}),
            vec![moved("uniqueItems")],
        ),
        (
            json!({"type": ["integer", "boolean"], "minimum": 1}),
            json!({"anyOf": [{"type": "INTEGER", "minimum": 1}, {"type": "BOOLEAN"}]}),
            vec![],
        ),
        (json!({"oneOf": [{"type": "string"}, {"type": "null"}]}), json!({"type": "STRING", "nullable": true}), vec![]),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false}),
            json!({"type": "ARRAY", "items": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}, "maxItems": 2}),
            vec!["widened prefixItems at /properties/p".to_owned()],
        ),
        (
            json!({"type": "array"}),
            json!({"type": "ARRAY", "items": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}], "nullable": true}}),
            vec!["narrowed type at /properties/p/items".to_owned()],
        ),
        (
            json!({"properties": {"a": {"type": "null"}}, "additionalProperties": false}),
            json!({"type": "OBJECT", "properties": {"a": {"type": "NULL"}}}),
            vec![
                "narrowed type at /properties/p".to_owned(),
                "widened additionalProperties at /properties/p".to_owned(),
            ],
        ),
    ] {
        let (got, mut got_lost) = property(&schema);
        assert_eq!(got, expected, "{schema}");
        let mut lost = lost;
        lost.sort();
        got_lost.sort();
        assert_eq!(got_lost, lost, "{schema}");
    }
}

#[test]
fn parameters_are_left_out_where_there_are_none() {
    for schema in
        [json!({"type": "object"}), json!({"type": "object", "properties": {}, "additionalProperties": false})]
    {
        let export = export(Format::Gemini, Strict::Never, schema);
        let expected = json!([{"functionDeclarations": [{"name": "t", "description": "Does it"}]}]);
        assert_eq!(export.tools(), &expected);
    }
    let map =
        export(Format::Gemini, Strict::Never, json!({"type": "object", "additionalProperties": {"type": "string"}}));
    assert_eq!(losses(&map.reports()[0]), ["narrowed additionalProperties at "]);
}

#[test]
fn what_cannot_be_said_is_left_out_where_it_is_optional_and_refuses_the_tool_where_it_is_not() {
    for hard in [json!({"type": "object"}), json!({"type": "object", "additionalProperties": {"type": "string"}})] {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "m": hard}});
        let export_of = |schema: &Value| export(Format::Gemini, Strict::Never, schema.clone());
        let export = export_of(&schema);
        assert_eq!(parameters(&export)["properties"], json!({"a": {"type": "STRING"}}));
        assert_eq!(losses(&export.reports()[0]), ["narrowed properties at /properties/m"]);
        schema["required"] = json!(["m"]);
        let refused = export_of(&schema);
        let Mode::Refused(reason) = &refused.reports()[0].mode else { panic!("{:?}", refused.reports()) };
        assert!(reason.contains("/properties/m: a map"), "{reason}");
    }
    let name = json!({"type": "object", "properties": {"año": {"type": "integer"}}, "required": ["año"]});
    let (_, reason) = export(Format::Gemini, Strict::Never, name.clone())
        .refused()
        .map(|(r, why)| (r.clone(), why.to_owned()))
        .next()
        .expect("refused");
    assert!(reason.contains("\"año\" is not taken"), "{reason}");
    assert!(!export(Format::GeminiJsonSchema, Strict::Never, name).is_empty(), "the other form takes it");
}

#[test]
fn references_are_put_in_place_and_a_tree_ends() {
    let tree = json!({
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/N"}},
        "required": ["root"],
        "$defs": {"N": {
            "type": "object",
            "properties": {"v": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
            "required": ["v"],
        }},
    });
    let export = export(Format::Gemini, Strict::Never, tree);
    let leaf = json!({"type": "OBJECT", "required": ["v"], "properties": {"v": {"type": "STRING"}}});
    let expected = json!({"type": "OBJECT", "required": ["v"], "properties": {"v": {"type": "STRING"}, "kids": {"type": "ARRAY", "items": leaf}}});
    assert_eq!(parameters(&export)["properties"]["root"], expected);
    assert_eq!(losses(&export.reports()[0]), ["narrowed properties at /$defs/N/properties/kids"]);
}

#[test]
fn what_comes_back_to_itself_in_many_ways_is_written_once_where_twice_is_too_large() {
    let all: Vec<_> = (0..5).map(|n| json!({"$ref": format!("#/$defs/d{n}")})).collect();
    let one = json!({
        "type": "object",
        "properties": {"v": {"type": "string"}, "a": {"anyOf": all}, "b": {"anyOf": all}},
        "required": ["v"],
    });
    let defs: serde_json::Map<_, _> = (0..5).map(|n| (format!("d{n}"), one.clone())).collect();
    let schema = json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    let export = export(Format::Gemini, Strict::Never, schema);
    assert_eq!(export.refused().count(), 0, "{:?}", export.reports());
    assert_eq!(parameters(&export)["properties"]["p"]["properties"]["v"], json!({"type": "STRING"}));
}
