//! The slips of models that the typed layer forgives, and those that it does not.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use toolgate::{Effects, OutputSpec, Schema, ToolCall, ToolContext, ToolError, tool};

use crate::{call, loose, only, paused, read};

#[derive(Debug, Deserialize, PartialEq)]
struct Range {
    from: u64,
    #[serde(default)]
    to: u64,
}

fn range() -> Schema {
    Schema::object()
        .required("from", Schema::integer())
        .optional("to", Schema::any_of([Schema::integer(), Schema::null()]))
}

#[test]
fn a_whole_number_is_an_integer_where_the_schema_says_so() {
    assert_eq!(read(range(), json!({"from": 5.0, "to": 1e3})), Ok(Range { from: 5, to: 1000 }));
    let loose = read::<Range>(loose(), json!({"from": 5.0})).expect_err("nothing says integer");
    assert!(loose.starts_with("invalid arguments: /from: "), "{loose}");
    let no_integer = read::<Range>(Schema::object().required("from", Schema::number()), json!({"from": 5.0}));
    assert!(no_integer.is_err());
}

#[test]
fn a_zero_with_a_sign_is_an_integer_as_it_is_written() {
    let sent = |text: &str| {
        let schema = Schema::object().required("n", Schema::integer());
        let registry = only(tool("t").parameters(schema).output(OutputSpec::any()).handler(
            |_: ToolContext, arguments: BTreeMap<String, i64>| async move { Ok::<_, ToolError>(json!(arguments["n"])) },
        ));
        let result = paused(registry.execute(ToolCall::from_model("c", "t", text)));
        result.value().cloned()
    };
    assert_eq!(sent("{\"n\":-0}"), Some(json!(0)));
    assert_eq!(sent("{\"n\":-0.0}"), Some(json!(0)), "the schema says integer");
    // Without a word of the schema, too: it is an integer that 64 bits hold.
    let registry = only(tool("t").parameters(loose()).output(OutputSpec::any()).handler(
        |_: ToolContext, arguments: BTreeMap<String, i64>| async move { Ok::<_, ToolError>(json!(arguments["n"])) },
    ));
    let result = paused(registry.execute(ToolCall::from_model("c", "t", "{\"n\":-0}")));
    assert_eq!(result.value(), Some(&json!(0)));
}

#[test]
fn floats_stay_floats_and_fractions_stay_fractions() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Both {
        x: Value,
        n: u8,
    }
    let schema = Schema::object().required("x", Schema::number()).required("n", Schema::integer());
    // The retry happens because of `n`, and leaves `x` alone.
    assert_eq!(read(schema, json!({"x": 2.0, "n": 2.0})), Ok(Both { x: json!(2.0), n: 2 }));
    let beyond = read::<Both>(json!({"properties": {"n": {"type": "integer"}}}), json!({"x": 1, "n": 256.0}));
    assert!(beyond.expect_err("no u8").starts_with("invalid arguments: /n: "));
}

#[test]
fn null_is_absent_where_the_property_may_be_left_out() {
    assert_eq!(read(range(), json!({"from": 1, "to": null})), Ok(Range { from: 1, to: 0 }));
    assert_eq!(read(range(), json!({"from": 1.0, "to": null})), Ok(Range { from: 1, to: 0 }), "both at once");
    let schema = json!({"properties": {"from": {}, "to": {}}, "required": ["from"]});
    let required = read::<Range>(schema.clone(), json!({"from": null, "to": 1})).expect_err("it is required");
    assert!(required.starts_with("invalid arguments: /from: "), "{required}");
    let undeclared = read::<Range>(loose(), json!({"from": 1, "to": null})).expect_err("it is not declared");
    assert!(undeclared.starts_with("invalid arguments: /to: "), "{undeclared}");
}

/// To a property of this type `null` is a value.
#[derive(Debug, Default, PartialEq)]
enum Owner {
    #[default]
    Unsaid,
    Nobody,
    Somebody(String),
}

fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Owner, D::Error> {
    Ok(Option::deserialize(deserializer)?.map_or(Owner::Nobody, Owner::Somebody))
}

#[derive(Debug, Deserialize, PartialEq)]
struct Patch {
    #[serde(default, deserialize_with = "said")]
    owner: Owner,
    #[serde(default)]
    limit: u32,
    #[serde(default)]
    page: u32,
}

#[test]
fn a_null_that_means_something_stays_when_another_one_is_in_the_way() {
    let schema = json!({"properties": {"owner": {}, "limit": {}, "page": {}}});
    assert_eq!(read::<Patch>(schema.clone(), json!({"limit": null})).map(|patch| patch.owner), Ok(Owner::Unsaid));
    let got = read(schema, json!({"owner": null, "limit": null, "page": null}));
    assert_eq!(got, Ok(Patch { owner: Owner::Nobody, limit: 0, page: 0 }));
}

/// A flattened type loses the way to what it refuses: the nulls around it are no suspects for that.
#[test]
fn a_null_that_means_something_stays_where_a_flattened_part_refuses_another() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Page {
        #[serde(default)]
        limit: u32,
        #[serde(default)]
        offset: u32,
    }
    #[derive(Debug, Deserialize, PartialEq)]
    struct Flat {
        #[serde(default, deserialize_with = "said")]
        owner: Owner,
        #[serde(flatten)]
        page: Page,
    }
    let schema = json!({"properties": {"owner": {}, "limit": {}, "offset": {}}});
    let got = read::<Flat>(schema, json!({"owner": null, "limit": null, "offset": null}));
    assert_eq!(got, Ok(Flat { owner: Owner::Nobody, page: Page { limit: 0, offset: 0 } }));
}

#[test]
fn what_fails_again_is_told_as_it_failed_first() {
    let schema = json!({"properties": {"from": {"type": ["integer", "string"]}, "to": {"type": "integer"}}});
    let told = read::<Range>(schema, json!({"to": 1.0, "from": "x"})).expect_err("from is no number");
    assert!(told.starts_with("invalid arguments: /to: "), "{told}");
}

#[test]
fn references_and_alternatives_are_followed() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Tree {
        n: u8,
        #[serde(default)]
        children: Vec<Tree>,
    }
    let schema = json!({
        "$ref": "#/$defs/tree",
        "$defs": {"tree": {
            "type": "object",
            "properties": {"n": {"oneOf": [{"type": "integer"}, {"type": "null"}]}, "children": {"items": {"$ref": "#/$defs/tree"}}},
            "required": ["n"],
        }},
    });
    let got: Tree = read(schema, json!({"n": 1.0, "children": [{"n": 2}, {"n": 3.0, "children": [{"n": 4.0}]}]}))
        .expect("all of them are mended");
    assert_eq!(got.children[1].children[0].n, 4);
}

#[test]
fn inside_of_tagged_and_flattened_types_too() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Shape {
        Circle { radius: u32 },
        Label { text: String },
    }
    #[derive(Debug, Deserialize, PartialEq)]
    struct Draw {
        shape: Shape,
        #[serde(flatten)]
        more: BTreeMap<String, u32>,
    }
    let schema = json!({
        "type": "object",
        "properties": {"shape": {"oneOf": [
            {"properties": {"kind": {"const": "circle"}, "radius": {"type": "integer"}}},
            {"properties": {"kind": {"const": "label"}, "text": {"type": "string"}}},
        ]}},
        "additionalProperties": {"type": "integer"},
    });
    let got = read(schema, json!({"shape": {"kind": "circle", "radius": 2.0}, "z": 3.0}));
    let more = BTreeMap::from([("z".to_owned(), 3)]);
    assert_eq!(got, Ok(Draw { shape: Shape::Circle { radius: 2 }, more }));
}

#[test]
fn the_name_of_a_variant_is_part_of_the_pointer() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read matters")]
    enum Shape {
        Circle { radius: u32 },
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read matters")]
    struct Draw {
        shapes: Vec<Shape>,
    }
    let told = read::<Draw>(loose(), json!({"shapes": [{"Circle": {"radius": "x"}}]})).expect_err("no number");
    assert!(told.starts_with("invalid arguments: /shapes/0/Circle/radius: "), "{told}");
}

#[test]
fn a_type_without_fields_takes_any_object() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Nothing;
    #[derive(Debug, Deserialize, PartialEq)]
    struct Wrapped(Nothing);
    for arguments in [json!({}), json!({"surplus": 1})] {
        assert_eq!(read(loose(), arguments.clone()), Ok(()));
        assert_eq!(read(loose(), arguments.clone()), Ok(Nothing));
        assert_eq!(read(loose(), arguments), Ok(Wrapped(Nothing)));
    }
    assert!(read::<Option<Range>>(loose(), json!({"from": "x"})).is_err(), "a wrong struct is not an absent one");
}

#[test]
fn bodies_that_read_by_themselves_read_as_leniently() {
    let body = |cx: ToolContext| async move {
        let range: Range = cx.arguments_as()?;
        Ok(json!({"read": range.from, "sent": cx.arguments()["from"]}))
    };
    let registry = only(tool("t").parameters(range()).output(OutputSpec::any()).body(body));
    let result = call(&registry, "t", json!({"from": 5.0, "to": null}));
    assert_eq!(result.value(), Some(&json!({"read": 5, "sent": 5.0})));

    let registry = only(tool("t").output(OutputSpec::any()).body(body));
    let result = call(&registry, "t", json!({"from": "x"}));
    let failure = result.error().expect("it does not fit");
    assert_eq!(failure.code, "INVALID_ARGS");
    assert!(failure.message.starts_with("invalid arguments: /from: "), "{}", failure.message);
    assert_eq!(failure.effects, Effects::Settled, "the body had been entered");
}

#[test]
fn large_and_deep_arguments_are_mended_within_bounds() {
    #[derive(Debug, Deserialize)]
    struct Many {
        numbers: Vec<u32>,
    }
    let schema = Schema::object().required("numbers", Schema::array(Schema::integer()));
    let numbers: Vec<f64> = (0..20_000).map(f64::from).collect();
    let got: Many = read(schema, json!({"numbers": numbers})).expect("all of them are whole");
    assert_eq!(got.numbers.last(), Some(&19_999));

    let mut deep = json!(1.0);
    for _ in 0..60 {
        deep = json!({ "in": deep });
    }
    let told = read::<Range>(json!({"properties": {"in": {"$ref": "#"}, "from": {"type": "integer"}}}), deep);
    assert_eq!(told.expect_err("no from"), "invalid arguments: missing field `from`");
}

#[test]
fn a_handler_may_still_take_json() {
    let handler = |_: ToolContext, all: Value| async move { Ok::<_, ToolError>(all) };
    let registry = only(tool("t").output(OutputSpec::any()).handler(handler));
    assert_eq!(call(&registry, "t", json!({"a": 5.0})).value(), Some(&json!({"a": 5.0})));
}
