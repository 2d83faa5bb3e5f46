//! Thousands of schemas within one another: refused, and nothing overflows.

use serde_json::{Value, json};
use toolgate::{OutputSpec, Schema, ToolRegistry, tool};

const LEVELS: usize = 5_000;

fn nested(wrap: impl Fn(Schema) -> Schema) -> Schema {
    (0..LEVELS).fold(Schema::string(), |schema, _| wrap(schema))
}

fn kinds() -> [Schema; 4] {
    [
        nested(|inner| Schema::array(inner).description("in")),
        nested(|inner| Schema::object().required("in", inner).optional("other", Schema::any())),
        nested(|inner| Schema::one_of([inner, Schema::null()])),
        nested(|inner| Schema::object().additional_properties(inner).default(json!({}))),
    ]
}

#[test]
fn they_can_be_built_copied_printed_and_dropped() {
    drop(kinds());
    for schema in kinds() {
        let copy = schema.clone();
        assert!(format!("{schema:?}").contains("too deep"));
        let error = schema.build().expect_err("too deep");
        assert!(error.to_string().contains("nested deeper than 128 levels"), "{error}");
        assert!(copy.build().is_err(), "a copy is no way around it");
    }
}

#[test]
fn registration_refuses_them() {
    for schema in kinds() {
        let output = OutputSpec::json(schema.clone());
        let definition = tool("t").parameters(schema).output(output).body(|_| async { Ok(json!(null)) });
        let error = ToolRegistry::new().register(definition).expect_err("too deep").to_string();
        assert!(error.contains("parameters: nested deeper"), "{error}");
    }
}

#[test]
fn a_mistake_far_in_is_named_all_the_same() {
    let schema = (0..LEVELS).fold(Schema::string().minimum(1), |inner, _| Schema::array(inner));
    let error = schema.build().expect_err("too deep, and wrong");
    let path = error.mistakes()[0].path();
    assert!(path.ends_with("/items/minimum") && path.len() == LEVELS * "/items".len() + "/minimum".len());
}

#[test]
fn values_of_any_depth_are_let_go_of() {
    let deep = || (0..LEVELS * 40).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    drop(Schema::any().default(deep()).default(deep()));
    drop(Schema::integer().minimum(deep()));
    drop(Schema::from(false).constant(deep()));
    drop(Schema::string().additional_properties(deep()));
    assert!(Schema::any().constant(deep()).build().is_err());
    assert!(Schema::from(deep()).build().is_err());
}
