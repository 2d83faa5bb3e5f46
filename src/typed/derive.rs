//! Schemas from Rust types, as models should read them.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

/// Names of Rust's number types, which are formats nowhere else.
const NUMBERS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64", "uint128", "uint",
    "float", "double",
];

/// The bounds that a type has and its schema does not say. Those of 64 bits have them by being read.
fn unsaid_bounds(number: &str) -> Option<[Value; 2]> {
    match number {
        "int32" => Some([json!(i32::MIN), json!(i32::MAX)]),
        "uint32" => Some([json!(0), json!(u32::MAX)]),
        // Beyond them a number would silently be read as infinite.
        "float" => Some([json!(f32::MIN), json!(f32::MAX)]),
        _ => None,
    }
}

/// The schema of `T` as a tool's parameters: whole, with no references but for recursive types, and of an object.
pub(crate) fn parameters_schema<T: JsonSchema>() -> Value {
    let Value::Object(schema) = generate::<T>(SchemaSettings::draft2020_12().for_deserialize()) else {
        // Anything goes; arguments are an object all the same.
        return json!({ "type": "object" });
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("null") => {
            let mut empty =
                Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))]);
            empty.extend(schema.into_iter().filter(|(key, _)| key == "description"));
            Value::Object(empty)
        }
        // Where the type holds itself, what is said of the root is said of what it holds too.
        None if !schema.contains_key("type") && !schema.values().any(refers_to_root) => {
            Value::Object([("type".to_owned(), json!("object"))].into_iter().chain(schema).collect())
        }
        _ => Value::Object(schema),
    }
}

fn refers_to_root(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.get("$ref").is_some_and(|r| r == "#") || map.values().any(refers_to_root),
        Value::Array(items) => items.iter().any(refers_to_root),
        _ => false,
    }
}

/// The schema of `T` as it serialises.
pub(crate) fn output_schema<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with_transform(RecursiveTransform(without_names_of_numbers)).with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

fn without_names_of_numbers(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    let Some(number) = NUMBERS.into_iter().find(|name| Some(*name) == format) else { return };
    schema.remove("format");
    let Some([least, most]) = unsaid_bounds(number) else { return };
    for (keyword, other, bound) in [("minimum", "exclusiveMinimum", least), ("maximum", "exclusiveMaximum", most)] {
        if schema.get(keyword).is_none() && schema.get(other).is_none() {
            schema.insert(keyword.to_owned(), bound);
        }
    }
}
