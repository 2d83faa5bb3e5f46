//! What is built, as text: order counts.

use serde_json::{Value, json};
use toolgate::Schema;

use crate::good;

fn text(schema: Schema) -> String {
    good(schema).to_string()
}

#[test]
fn every_kind() {
    for (schema, expected) in [
        (Schema::string(), r#"{"type":"string"}"#),
        (Schema::number(), r#"{"type":"number"}"#),
        (Schema::integer(), r#"{"type":"integer"}"#),
        (Schema::boolean(), r#"{"type":"boolean"}"#),
        (Schema::null(), r#"{"type":"null"}"#),
        (Schema::any(), "{}"),
        (Schema::array(Schema::string()), r#"{"type":"array","items":{"type":"string"}}"#),
        (Schema::array(true), r#"{"type":"array","items":true}"#),
        (Schema::object(), r#"{"type":"object","properties":{}}"#),
        (Schema::one_of([Schema::string(), Schema::null()]), r#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#),
        (Schema::any_of([json!({}), json!(true)]), r#"{"anyOf":[{},true]}"#),
        (Schema::from(json!({"$comment": "raw"})), r#"{"$comment":"raw"}"#),
    ] {
        assert_eq!(text(schema), expected);
    }
}

#[test]
fn every_keyword() {
    let string = Schema::string().title("t").description("d").min_length(1).max_length(9).pattern("^a").format("uri");
    assert_eq!(
        text(string),
        r#"{"type":"string","title":"t","description":"d","minLength":1,"maxLength":9,"pattern":"^a","format":"uri"}"#
    );
    assert_eq!(text(Schema::string().write_only()), r#"{"type":"string","writeOnly":true}"#);
    assert_eq!(
        text(Schema::number().minimum(-0.5).maximum(1_u8).multiple_of(0.5)),
        r#"{"type":"number","minimum":-0.5,"maximum":1,"multipleOf":0.5}"#
    );
    assert_eq!(
        text(Schema::integer().exclusive_minimum(0).exclusive_maximum(u64::MAX).enum_values([1, 2]).default(2)),
        r#"{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":18446744073709551615,"enum":[1,2],"default":2}"#
    );
    assert_eq!(
        text(Schema::array(Schema::any()).min_items(1).max_items(2).unique_items()),
        r#"{"type":"array","items":{},"minItems":1,"maxItems":2,"uniqueItems":true}"#
    );
    assert_eq!(text(Schema::any().constant(json!({"a": [1]}))), r#"{"const":{"a":[1]}}"#);
    assert_eq!(
        text(Schema::string().enum_values(["a", "b"]).constant("b")),
        r#"{"type":"string","enum":["a","b"],"const":"b"}"#
    );
}

#[test]
fn properties_keep_their_order_and_required_ones_are_listed() {
    let schema = Schema::object()
        .optional("z", Schema::string())
        .required("a", Schema::object().required("in", Schema::null()).additional_properties(false))
        .required("m", true);
    assert_eq!(
        text(schema),
        concat!(
            r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"object","properties":"#,
            r#"{"in":{"type":"null"}},"required":["in"],"additionalProperties":false},"m":true},"required":["a","m"]}"#
        )
    );
}

#[test]
fn objects_are_open_until_they_say_otherwise() {
    assert_eq!(good(Schema::object()).get("additionalProperties"), None);
    let map = Schema::object().additional_properties(Schema::integer());
    assert_eq!(good(map)["additionalProperties"], json!({"type": "integer"}));
}

#[test]
fn names_that_are_something_elsewhere_are_names_here() {
    let schema = Schema::object().required("__proto__", Schema::string()).required("a/b~c", Schema::any());
    assert_eq!(good(schema)["required"], json!(["__proto__", "a/b~c"]));
}

#[test]
fn json_can_be_a_part_and_be_added_to() {
    let raw = json!({"type": ["string", "integer"], "minLength": 1, "minimum": 0});
    let schema = Schema::object().optional("id", Schema::from(raw).description("An id").max_length(9));
    assert_eq!(
        good(schema)["properties"]["id"].to_string(),
        r#"{"type":["string","integer"],"minLength":1,"minimum":0,"description":"An id","maxLength":9}"#
    );
    assert_eq!(good(Schema::from(true).description("anything")), json!({"description": "anything"}));
    let open = Schema::from(json!({"type": "object"})).required("a", Schema::any());
    assert_eq!(good(open), json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}));
    let all: Value = good(Schema::from(json!({"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"})));
    assert!(all.is_object(), "definitions and recursion are the author's");
}

#[test]
fn a_part_can_be_used_twice() {
    let path = Schema::string().min_length(1);
    let schema = Schema::object().required("from", path.clone()).required("to", path);
    let built = good(schema);
    assert_eq!(built["properties"]["from"], built["properties"]["to"]);
}
