//! Every mistake is named with its path, and none hides another.

use serde_json::json;
use toolgate::Schema;

use crate::{where_wrong, wrong};

#[test]
fn a_property_that_is_declared_twice() {
    let schema = Schema::object().required("a/b", Schema::string()).optional("a/b", Schema::null());
    assert_eq!(wrong(schema), ["/properties/a~1b: declared twice"]);
    let raw = Schema::from(json!({"properties": {"x": {}}})).required("x", true);
    assert_eq!(wrong(raw), ["/properties/x: declared twice"]);
}

#[test]
fn values_of_the_wrong_kind() {
    assert_eq!(where_wrong(Schema::string().enum_values([json!("a"), json!(1)])), ["/enum/1"]);
    assert_eq!(where_wrong(Schema::integer().constant("x")), ["/const"]);
    assert_eq!(where_wrong(Schema::boolean().default(1)), ["/default"]);
    let looked_into = wrong(Schema::object().required("a", true).default(json!({})));
    assert!(looked_into.len() == 1 && looked_into[0].contains("missing"), "{looked_into:?}");
    assert_eq!(where_wrong(Schema::array(Schema::integer()).default(json!([1, "x"]))), ["/default"]);
}

#[test]
fn values_that_do_not_fit_the_rest() {
    assert_eq!(where_wrong(Schema::integer().maximum(9).enum_values([1, 10])), ["/enum/1"]);
    assert_eq!(where_wrong(Schema::string().enum_values(["a", "b"]).default("c")), ["/default"]);
    assert_eq!(
        wrong(Schema::string().enum_values(["a"]).constant("b")),
        ["/const: is none of the values that enum lists"]
    );
}

#[test]
fn examples_are_held_to_the_schema_too() {
    assert!(Schema::integer().examples([1, 2]).build().is_ok());
    assert_eq!(
        where_wrong(Schema::string().enum_values(["a"]).examples([json!("a"), json!("b"), json!(1)])),
        ["/examples/1", "/examples/2"]
    );
    let raw =
        Schema::from(json!({"type": "integer", "default": "none", "examples": ["x"], "minimum": 2, "maximum": 1}));
    assert!(raw.build().is_ok(), "what is written as JSON is its author's");
}

#[test]
fn enums_of_nothing_and_of_the_same() {
    let none: [&str; 0] = [];
    assert_eq!(wrong(Schema::string().enum_values(none)), ["/enum: lists no values: nothing would fit"]);
    assert_eq!(wrong(Schema::string().enum_values(["a", "b", "a"])), ["/enum/2: is listed twice"]);
}

#[test]
fn bounds_that_nothing_is_within() {
    assert_eq!(wrong(Schema::integer().minimum(2).maximum(1)), ["/minimum: 2 is more than maximum, 1"]);
    assert_eq!(
        wrong(Schema::number().exclusive_minimum(1).maximum(1.0)),
        ["/exclusiveMinimum: 1 is no less than maximum, 1.0"]
    );
    assert_eq!(wrong(Schema::string().min_length(3).max_length(2)), ["/minLength: 3 is more than maxLength, 2"]);
    assert_eq!(wrong(Schema::array(true).min_items(3).max_items(2)), ["/minItems: 3 is more than maxItems, 2"]);
    assert_eq!(
        wrong(Schema::integer().minimum(u64::MAX).maximum(u64::MAX - 1)),
        ["/minimum: 18446744073709551615 is more than maximum, 18446744073709551614"],
        "exact for large integers"
    );
    assert!(Schema::integer().minimum(1).maximum(1).build().is_ok());
}

#[test]
fn bounds_with_no_integer_between_them() {
    for none in [
        Schema::integer().minimum(0.2).maximum(0.8),
        Schema::integer().minimum(6).exclusive_maximum(6.5).exclusive_minimum(6),
    ] {
        assert_eq!(wrong(none), ["/minimum: there is no integer between the bounds"]);
    }
    let open = Schema::integer().exclusive_minimum(5).exclusive_maximum(6);
    assert_eq!(wrong(open), ["/exclusiveMinimum: there is no integer between the bounds"]);
    assert!(Schema::number().minimum(0.2).maximum(0.8).build().is_ok());
    assert!(Schema::integer().exclusive_minimum(5).exclusive_maximum(7).build().is_ok());
    assert!(Schema::integer().minimum(-0.5).maximum(0.5).build().is_ok());
}

#[test]
fn branches_of_one_of_that_are_the_same() {
    let twice = Schema::one_of([Schema::string(), Schema::null(), Schema::string()]);
    let why = "/oneOf/2: is the same as another branch: with oneOf nothing would fit either";
    assert_eq!(wrong(twice), [why]);
    assert!(Schema::any_of([Schema::string(), Schema::string()]).build().is_ok(), "any_of does not mind");
}

#[test]
fn bounds_that_are_no_numbers() {
    for bound in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(wrong(Schema::number().maximum(bound)), ["/maximum: must be a finite number"]);
    }
    assert_eq!(wrong(Schema::number().minimum("1")), ["/minimum: must be a number"]);
    assert_eq!(wrong(Schema::number().multiple_of(0)), ["/multipleOf: must be more than zero"]);
}

#[test]
fn keywords_on_what_they_say_nothing_about() {
    assert_eq!(wrong(Schema::integer().min_length(1)), ["/minLength: is for strings, and this is an integer"]);
    assert_eq!(wrong(Schema::string().minimum(1)), ["/minimum: is for numbers and integers, and this is a string"]);
    assert_eq!(wrong(Schema::object().max_items(1)), ["/maxItems: is for arrays, and this is an object"]);
    assert_eq!(
        wrong(Schema::any().additional_properties(false)),
        ["/additionalProperties: is for objects, and this is any JSON"]
    );
    assert_eq!(
        wrong(Schema::array(true).required("a", true)),
        ["/properties/a: only an object has properties, and this is an array"]
    );
    assert_eq!(
        wrong(Schema::one_of([Schema::string(), Schema::null()]).pattern("a")),
        ["/pattern: is for strings, and this is a choice: say it of its branches"]
    );
    assert_eq!(
        wrong(Schema::from(false).title("t")),
        [": title was added to a schema that is no object"].map(|t| &t[2..])
    );
}

#[test]
fn choices_of_less_than_two() {
    let none: [Schema; 0] = [];
    assert_eq!(wrong(Schema::one_of(none)), ["/oneOf: at least two branches are needed"]);
    assert_eq!(wrong(Schema::any_of([Schema::null()])), ["/anyOf: at least two branches are needed"]);
}

#[test]
fn what_only_the_compiler_knows() {
    let patterns = wrong(Schema::object().optional("p", Schema::string().pattern("(")));
    assert!(patterns[0].starts_with("/properties/p"), "{patterns:?}");
    let look_around = wrong(Schema::string().pattern("(?=a)"));
    assert!(look_around[0].contains("look-around"), "{look_around:?}");
    let remote = wrong(Schema::array(json!({"$ref": "https://example.com/schema"})));
    assert!(remote[0].starts_with("/items: $ref"), "{remote:?}");
    assert_eq!(wrong(Schema::from(json!({"type": "strin"}))).len(), 1);
}

#[test]
fn what_the_compiler_knows_is_told_beside_what_the_builder_does_and_nothing_twice() {
    let schema = Schema::object()
        .optional("a", Schema::integer().multiple_of(0))
        .optional("b", json!({"$ref": "#/$defs/nowhere"}))
        .optional("c", json!({"$ref": "https://example.com/schema"}));
    assert_eq!(where_wrong(schema), ["/properties/a/multipleOf", "/properties/c", "/properties/b"]);
    let none: [Schema; 0] = [];
    assert_eq!(where_wrong(Schema::array(Schema::one_of(none))), ["/items/oneOf"]);
}

#[test]
fn all_of_them_at_once_with_their_paths() {
    let schema = Schema::object()
        .required("limit", Schema::integer().minimum(5).maximum(1).min_length(2).default("x"))
        .optional("limit", Schema::null())
        .optional("list", Schema::array(Schema::object().required("mode", Schema::string().enum_values([1]))))
        .optional("either", Schema::one_of([Schema::array(Schema::number().maximum(f64::NAN)), Schema::null()]))
        .additional_properties(Schema::boolean().constant(0));
    assert_eq!(
        where_wrong(schema),
        [
            "/properties/limit/minLength",
            "/properties/limit/minimum",
            "/properties/limit/default",
            "/properties/limit",
            "/properties/list/items/properties/mode/enum/0",
            "/properties/either/oneOf/0/items/maximum",
            "/additionalProperties/const",
        ]
    );
}
