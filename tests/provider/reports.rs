//! What a report says, and in which order.

use serde_json::{Value, json};
use toolgate::provider::{Exporter, Format, Strict};

use super::support::{export, info};

#[test]
fn a_report_is_json_for_whoever_keeps_it() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}, "required": ["a"], "additionalProperties": false});
    let export = export(Format::OpenAiChat, Strict::WherePossible, schema);
    let expected = json!([{
        "name": "t", "wire_name": "t", "mode": "strict",
        "losses": [{
            "pointer": "/properties/a", "keyword": "maxLength", "kind": "moved_to_description",
            "message": "not taken by the format: 9",
        }],
    }]);
    assert_eq!(serde_json::to_value(export.reports()).ok(), Some(expected));
    assert_eq!(export.reports()[0].losses[0].to_string(), "/properties/a: maxLength: not taken by the format: 9");
}

#[test]
fn a_format_without_strictness_says_so() {
    for format in [Format::Gemini, Format::GeminiJsonSchema, Format::Mcp, Format::Bedrock] {
        let lenient = export(format, Strict::WherePossible, json!({}));
        assert!(!lenient.is_strict("t") && !lenient.is_empty());
        assert_eq!(lenient.reports()[0].losses[0].keyword, "strict");
        assert_eq!(export(format, Strict::Required, json!({})).refused().count(), 1);
        assert!(export(format, Strict::Required, json!({})).is_empty());
    }
}

#[test]
fn what_is_inlined_often_loses_once() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/S"}, "b": {"$ref": "#/$defs/S"}, "c": {"$ref": "#/$defs/S"}},
        "$defs": {"S": {"type": "string", "contentEncoding": "base64"}},
    });
    let export = export(Format::Gemini, Strict::Never, schema);
    let [loss] = &*export.reports()[0].losses else { panic!("{:?}", export.reports()) };
    assert_eq!((loss.pointer.as_str(), loss.keyword.as_str()), ("/$defs/S", "contentEncoding"));
}

#[test]
fn a_value_too_long_for_a_description_is_dropped_and_reported() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "default": "x".repeat(300)}}});
    let export = export(Format::Gemini, Strict::Never, schema);
    let [loss] = &*export.reports()[0].losses else { panic!("{:?}", export.reports()) };
    assert_eq!((loss.keyword.as_str(), loss.kind.as_str()), ("default", "dropped"));
}

#[test]
fn tools_keep_their_order_and_properties_theirs() {
    let wide = |names: &[&str]| json!({"type": "object", "properties": names.iter().map(|n| ((*n).to_owned(), json!({"type": "null"}))).collect::<serde_json::Map<_, _>>()});
    let tools = [info("z", wide(&["zz", "aa", "mm"])), info("a", wide(&["q", "b"])), info("m", json!({}))];
    for (format, strict) in Format::ALL.iter().flat_map(|f| [(*f, Strict::Never), (*f, Strict::WherePossible)]) {
        let export = Exporter::new(format).strict(strict).export(&tools);
        let text = export.to_json();
        let words = ["\"z\"", "\"zz\":", "\"aa\":", "\"mm\":", "\"a\"", "\"q\":", "\"b\":", "\"m\""];
        let at: Vec<_> =
            words.iter().map(|word| text.find(word).unwrap_or_else(|| panic!("{format}: {word} in {text}"))).collect();
        assert!(at.is_sorted(), "{format}: {text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok().as_ref(), Some(export.tools()));
    }
}
