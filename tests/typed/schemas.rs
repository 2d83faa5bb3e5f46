//! What models read of a type: one attribute at a time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use toolgate::{ContentBlock, OutputSpec, ToolContext, ToolError, ToolRegistry, ToolSchema, tool};

use crate::{call, only};

macro_rules! types {
    ($($item:item)*) => {
        $(#[derive(Debug, Deserialize, Serialize, JsonSchema)]
        $item)*
    };
}

fn manual<T: JsonSchema>() -> ToolSchema {
    let body = |_: ToolContext| async { Ok(json!(null)) };
    only(tool("t").parameters_of::<T>().output(OutputSpec::any()).body(body)).schemas()[0].clone()
}

/// As text: the order counts.
fn text<T: JsonSchema>() -> String {
    manual::<T>().parameters().to_string()
}

fn properties<T: JsonSchema>() -> String {
    let manual = manual::<T>();
    let parameters = manual.parameters();
    assert_eq!(parameters["type"], "object", "a provider wants it said");
    parameters["properties"].to_string()
}

types! {
    struct Ordered {
        zebra: String,
        /// The first letter,
        /// in Latin.
        alpha: bool,
        mike: Option<String>,
    }
}

#[test]
fn fields_keep_their_order_and_comments_are_descriptions() {
    assert_eq!(
        text::<Ordered>(),
        concat!(
            r#"{"type":"object","properties":{"zebra":{"type":"string"},"#,
            r#""alpha":{"type":"boolean","description":"The first letter,\nin Latin."},"#,
            r#""mike":{"type":["string","null"]}},"required":["zebra","alpha"]}"#
        ),
        "no title, no $schema"
    );
}

types! {
    struct Numbers { a: u8, b: u32, c: i32, d: u64, e: i64, f: usize, g: f32, h: f64, i: Option<u32> }
    struct Bounded {
        #[schemars(range(min = 1, max = 50))]
        limit: u32,
        #[schemars(extend("format" = "date-time"))]
        at: String,
    }
}

#[test]
fn numbers_have_bounds_and_no_names_of_rust() {
    let expected = json!({
        "a": {"type": "integer", "minimum": 0, "maximum": 255},
        "b": {"type": "integer", "minimum": 0, "maximum": u32::MAX},
        "c": {"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX},
        "d": {"type": "integer", "minimum": 0},
        "e": {"type": "integer"},
        "f": {"type": "integer", "minimum": 0},
        "g": {"type": "number", "minimum": f32::MIN, "maximum": f32::MAX},
        "h": {"type": "number"},
        "i": {"type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX},
    });
    assert_eq!(manual::<Numbers>().parameters()["properties"], expected);
    let expected = json!({
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "at": {"type": "string", "format": "date-time"},
    });
    assert_eq!(manual::<Bounded>().parameters()["properties"], expected, "what the author says stays");
}

types! {
    struct Unit;
    struct Empty {}
}

#[test]
fn types_without_fields_are_objects_without_properties() {
    for text in [text::<()>(), text::<Unit>()] {
        assert_eq!(text, r#"{"type":"object","properties":{}}"#);
    }
    assert_eq!(manual::<Empty>().parameters()["type"], "object");
    let registry = only(tool("t").typed(|_: ToolContext, (): ()| async { Ok::<_, ToolError>(()) }));
    let result = call(&registry, "t", json!({}));
    assert_eq!(result.value(), Some(&Value::Null));
    let registry = only(tool("t").typed(|_: ToolContext, _: Unit| async { Ok::<_, ToolError>(7) }));
    assert_eq!(call(&registry, "t", json!({"surplus": true})).text(), "7");
}

types! {
    enum External { Nothing, New(u8), Fields { x: bool } }
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Internal {
        /// With an x.
        OneThing { x: bool },
        Two,
    }
    #[serde(tag = "t", content = "c")]
    enum Adjacent { Nothing, New(bool) }
    #[serde(untagged)]
    enum Untagged { Text(String), Flag(bool) }
    enum Choice { #[serde(rename = "one")] One, Two }
    struct Enums { external: External, adjacent: Adjacent, untagged: Untagged, choice: Choice }
}

#[test]
fn enums_are_alternatives() {
    let expected = json!({
        "external": {"oneOf": [
            {"type": "string", "enum": ["Nothing"]},
            {"type": "object", "properties": {"New": {"type": "integer", "minimum": 0, "maximum": 255}}, "required": ["New"], "additionalProperties": false},
            {
                "type": "object",
                "properties": {"Fields": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}},
                "required": ["Fields"],
                "additionalProperties": false,
            },
        ]},
        "adjacent": {"oneOf": [
            {"type": "object", "properties": {"t": {"type": "string", "const": "Nothing"}}, "required": ["t"]},
            {"type": "object", "properties": {"t": {"type": "string", "const": "New"}, "c": {"type": "boolean"}}, "required": ["t", "c"]},
        ]},
        "untagged": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        "choice": {"type": "string", "enum": ["one", "Two"]},
    });
    assert_eq!(manual::<Enums>().parameters()["properties"], expected);
}

#[test]
fn an_enum_at_the_root_is_an_object_first() {
    assert_eq!(
        *manual::<Internal>().parameters(),
        json!({"type": "object", "oneOf": [
            {
                "type": "object",
                "description": "With an x.",
                "properties": {"kind": {"type": "string", "const": "one_thing"}, "x": {"type": "boolean"}},
                "required": ["kind", "x"],
            },
            {"type": "object", "properties": {"kind": {"type": "string", "const": "two"}}, "required": ["kind"]},
        ]})
    );
}

types! {
    struct Tree { name: String, children: Vec<Tree> }
    struct Chain { count: u32, next: Option<Box<Chain>> }
    struct Holds { chain: Chain }
    struct Forest { tree: Tree }
    enum Expression { Zero, Not(Box<Expression>) }
}

#[test]
fn recursive_types_refer_to_themselves() {
    assert_eq!(
        properties::<Tree>(),
        r##"{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}}"##
    );
    let forest = manual::<Forest>();
    assert_eq!(forest.parameters()["$defs"]["Tree"]["properties"]["children"]["items"]["$ref"], "#/$defs/Tree");
}

#[test]
fn definitions_are_told_as_everything_else_is() {
    let holds = manual::<Holds>();
    let expected = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
    assert_eq!(holds.parameters()["$defs"]["Chain"]["properties"]["count"], expected);
}

#[test]
fn what_is_shown_of_a_typed_answer_may_be_its_own() {
    let spec =
        || OutputSpec::of::<Inner>().render_for(|inner: &Inner| vec![ContentBlock::text(format!("c: {}", inner.c))]);
    let registry =
        only(tool("t").output(spec()).typed(|_: ToolContext, (): ()| async { Ok::<_, ToolError>(Inner { c: 7 }) }));
    assert_eq!(call(&registry, "t", json!({})).text(), "c: 7");
    let other = OutputSpec::any().render_for(|inner: &Inner| vec![ContentBlock::text(format!("c: {}", inner.c))]);
    let registry = only(tool("t").output(other).handler(|_: ToolContext, (): ()| async { Ok::<_, ToolError>([1, 2]) }));
    assert_eq!(call(&registry, "t", json!({})).text(), "[1,2]", "what does not fit is shown plainly");
}

#[test]
fn a_recursive_enum_takes_inside_what_is_no_argument_by_itself() {
    let registry = only(tool("t").typed(|_: ToolContext, e: Expression| async { Ok::<_, ToolError>(e) }));
    let result = call(&registry, "t", json!({"Not": {"Not": "Zero"}}));
    assert_eq!(result.value(), Some(&json!({"Not": {"Not": "Zero"}})));
}

types! {
    struct Flat { own: bool, #[serde(flatten)] inner: Inner }
    struct Inner { #[serde(default)] c: u8 }
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Strict { first_name: String, #[serde(default = "ten")] max_count: u8 }
    struct Containers { map: BTreeMap<String, bool>, pair: (bool, String), any: Value, list: Vec<Inner>, fixed: [bool; 2] }
}

fn ten() -> u8 {
    10
}

#[test]
fn attributes_of_serde_are_in_the_schema() {
    assert_eq!(
        manual::<Flat>().parameters()["properties"],
        json!({"own": {"type": "boolean"}, "c": {"type": "integer", "default": 0, "minimum": 0, "maximum": 255}})
    );
    assert_eq!(
        *manual::<Strict>().parameters(),
        json!({
            "type": "object",
            "properties": {
                "firstName": {"type": "string"},
                "maxCount": {"type": "integer", "default": 10, "minimum": 0, "maximum": 255},
            },
            "required": ["firstName"],
            "additionalProperties": false,
        })
    );
    let inner =
        json!({"type": "object", "properties": {"c": {"type": "integer", "default": 0, "minimum": 0, "maximum": 255}}});
    assert_eq!(
        manual::<Containers>().parameters()["properties"],
        json!({
            "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "pair": {"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
            "any": true,
            "list": {"type": "array", "items": inner},
            "fixed": {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2},
        })
    );
}

#[test]
fn maps_and_any_json_are_open_objects_and_lists_are_none() {
    assert_eq!(text::<Value>(), r#"{"type":"object"}"#);
    assert_eq!(text::<BTreeMap<String, bool>>(), r#"{"type":"object","additionalProperties":{"type":"boolean"}}"#);
    let list = tool("t").typed(|_: ToolContext, all: Vec<u8>| async move { Ok::<_, ToolError>(all) });
    let refused = ToolRegistry::new().register(list).expect_err("arguments are an object");
    assert!(refused.to_string().contains("parameters: must be a JSON Schema for an object"), "{refused}");
}

/// What it says of itself.
#[derive(Deserialize, JsonSchema)]
struct Described {}

#[test]
fn a_comment_on_the_type_describes_the_tool_if_nothing_else_does() {
    let typed = |definition: toolgate::ToolDefinition| {
        let definition = definition.typed(|_: ToolContext, _: Described| async { Ok::<_, ToolError>(()) });
        only(definition).schemas()[0].clone()
    };
    let by_type = typed(tool("t"));
    assert_eq!(by_type.description(), "What it says of itself.");
    assert_eq!(by_type.parameters().get("description"), None, "said once");
    let by_author = typed(tool("t").description("By its author"));
    assert_eq!(by_author.description(), "By its author");
    assert_eq!(by_author.parameters()["description"], "What it says of itself.");
    let by_hand = tool("t").parameters(json!({"type": "object", "description": "raw"})).output(OutputSpec::any());
    let by_hand = only(by_hand.body(|_| async { Ok(json!(null)) })).schemas()[0].clone();
    assert_eq!((by_hand.description(), &by_hand.parameters()["description"]), ("", &json!("raw")));
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all(serialize = "UPPERCASE"))]
struct Both {
    count: u8,
}

#[test]
fn the_output_is_as_it_serialises_and_rendered_from_the_value() {
    let registry = only(tool("t").typed(|_: ToolContext, both: Both| async { Ok::<_, ToolError>(both) }));
    assert_eq!(registry.schemas()[0].parameters()["properties"]["count"]["type"], "integer");
    let result = call(&registry, "t", json!({"count": 0}));
    assert_eq!(result.text(), r#"{"COUNT":0}"#);
    let words = only(tool("t").typed(|_: ToolContext, (): ()| async { Ok::<_, ToolError>("as it is") }));
    assert_eq!(call(&words, "t", json!({})).text(), "as it is");
}

#[test]
fn what_the_author_set_before_or_after_stays() {
    let handler = |_: ToolContext, (): ()| async { Ok::<_, ToolError>(1) };
    let schema = json!({"type": "object", "title": "mine"});
    let before = only(tool("t").parameters(schema.clone()).output(OutputSpec::text()).typed(handler));
    let after = only(tool("t").typed(handler).parameters(schema.clone()).output(OutputSpec::text()));
    for registry in [before, after] {
        assert_eq!(*registry.schemas()[0].parameters(), schema);
        assert_eq!(
            call(&registry, "t", json!({})).code().map(toolgate::ErrorCode::as_str),
            Some("INVALID_TOOL_OUTPUT")
        );
    }
}

#[test]
fn a_value_that_fits_the_schema_and_not_the_type_is_invalid_with_its_pointer() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(try_from = "String")]
    struct Even(u32);
    impl TryFrom<String> for Even {
        type Error = String;
        fn try_from(text: String) -> Result<Self, String> {
            text.parse().ok().filter(|n| n % 2 == 0).map(Even).ok_or_else(|| "expected an even number".to_owned())
        }
    }
    #[derive(Deserialize, JsonSchema)]
    struct Pages {
        pages: Vec<Even>,
    }
    fn takes<T: DeserializeOwned + JsonSchema>() {}
    takes::<Pages>();
    let sum = |_: ToolContext, p: Pages| async move { Ok::<_, ToolError>(p.pages.iter().map(|e| e.0).sum::<u32>()) };
    let registry = only(tool("t").typed(sum));
    assert_eq!(call(&registry, "t", json!({"pages": ["2", "4"]})).text(), "6");
    let result = call(&registry, "t", json!({"pages": ["2", "3"]}));
    let failure = result.error().expect("3 is odd");
    assert_eq!(failure.code, "INVALID_ARGS");
    assert_eq!(failure.message, "invalid arguments: /pages/1: expected an even number");
}
