//! What a schema marks as not to be repeated is in no message of the typed layer.

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::Schema;

use crate::read;

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only whether it can be read matters")]
struct Login {
    user: u32,
    #[serde(default)]
    secret: u32,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "by")]
#[expect(dead_code, reason = "only whether it can be read matters")]
enum Auth {
    Token { token: u32 },
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only whether it can be read matters")]
struct Nested {
    auth: Auth,
}

fn told<T: serde::de::DeserializeOwned + std::fmt::Debug + Send + 'static>(schema: Value, arguments: Value) -> String {
    read::<T>(schema, arguments).expect_err("it does not fit")
}

#[test]
fn the_words_of_serde_are_quoted_where_nothing_is_secret() {
    let text = told::<Login>(json!({"properties": {"secret": {"writeOnly": true}}}), json!({"user": "ada"}));
    assert_eq!(text, "invalid arguments: /user: invalid type: string \"ada\", expected u32");
}

#[test]
fn what_is_write_only_or_a_password_is_not() {
    for mark in [json!({"writeOnly": true}), json!({"format": "password"}), json!({"anyOf": [{"writeOnly": true}]})] {
        let schema = json!({"properties": {"secret": mark}});
        let text = told::<Login>(schema, json!({"user": 1, "secret": "hunter2"}));
        assert_eq!(text, "invalid arguments: /secret: does not fit; what was sent is not repeated here");
    }
    let built = Schema::object().optional("secret", Schema::string().write_only());
    let text = read::<Login>(built, json!({"user": 1, "secret": "hunter2"})).expect_err("no number");
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn nor_where_serde_loses_the_way_to_it() {
    let secret = json!({"properties": {"token": {"writeOnly": true}}});
    let text =
        told::<Nested>(json!({"properties": {"auth": secret}}), json!({"auth": {"by": "Token", "token": "hunter2"}}));
    assert!(text.starts_with("invalid arguments: /auth: does not fit"), "{text}");
    let open = json!({"properties": {"auth": {"properties": {"token": {}}}}});
    let text = told::<Nested>(open, json!({"auth": {"by": "Token", "token": "hunter2"}}));
    assert!(text.contains("hunter2"), "the case is a real one: {text}");
}

#[test]
fn nor_inside_of_what_is_secret_as_a_whole() {
    let schema = json!({"patternProperties": {"^auth$": {"writeOnly": true}}});
    let text = told::<Nested>(schema, json!({"auth": {"by": "hunter2"}}));
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn the_name_of_a_missing_field_is_told_beside_a_secret() {
    let schema = json!({"properties": {"secret": {"writeOnly": true}}});
    let text = told::<Login>(schema, json!({"secret": 7}));
    assert_eq!(text, "invalid arguments: missing field `user`");
}

/// However the mark is reached.
#[test]
fn nor_where_the_mark_is_found_by_another_way() {
    let marked = json!({"writeOnly": true});
    let anchored = json!({"$anchor": "p", "writeOnly": true});
    let old = json!({"$id": "#p", "writeOnly": true});
    for schema in [
        json!({"properties": {"secret": {"$ref": "#p"}}, "$defs": {"p": anchored}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"secret": {"$ref": "#p"}}, "definitions": {"p": old}}),
        json!({"properties": {"secret": {"$ref": "#/$defs/a%20b"}}, "$defs": {"a b": marked}}),
        json!({"properties": {"secret": {}}, "patternProperties": {"^s": marked}}),
        json!({"properties": {"user": {}}, "unevaluatedProperties": marked}),
        json!({"dependentSchemas": {"user": {"properties": {"secret": marked}}}}),
    ] {
        let text = told::<Login>(schema.clone(), json!({"user": 1, "secret": "hunter2"}));
        assert!(!text.contains("hunter2"), "{schema}: {text}");
    }
}

#[test]
fn nor_anything_in_a_registry_that_quotes_no_values() {
    use toolgate::{OutputSpec, ToolCall, ToolContext, ToolError, ToolRegistry, tool};
    let registry = ToolRegistry::builder().quote_values(false).build().expect("good limits");
    let reads = |_: ToolContext, _: Login| async { Ok::<_, ToolError>(json!(1)) };
    registry.register(tool("t").output(OutputSpec::any()).handler(reads)).expect("good");
    let sent = ToolCall::new("c", "t").with_arguments(json!({"user": "ada"}));
    let result = crate::paused(registry.execute(sent));
    assert_eq!(result.text(), "Error: invalid arguments: /user: does not fit; what was sent is not repeated here");
}

#[test]
fn nor_what_stands_in_text_that_cannot_be_read() {
    use toolgate::{OutputSpec, ToolCall, ToolRegistry, tool};
    let registry = ToolRegistry::new();
    let marked = json!({"properties": {"m": {"writeOnly": true}, "n": {}}});
    let one = tool("t").parameters(marked).output(OutputSpec::any()).body(|_| async { Ok(json!(1)) });
    registry.register(one).expect("good");
    let told = |text: &str| crate::paused(registry.execute(ToolCall::from_model("c", "t", text))).text();
    for text in [r#"{"m":{"hunter2":1,"hunter2":2}}"#, r#"{"m":{"hunter2":tru}}"#] {
        let told = told(text);
        assert!(!told.contains("hunter2") && told.contains("not repeated here at line 1 column"), "{told}");
    }
    let told = told(r#"{"n":{"hunter2":1,"hunter2":2}}"#);
    assert!(told.contains("/n: repeated key \"hunter2\""), "{told}");
}
