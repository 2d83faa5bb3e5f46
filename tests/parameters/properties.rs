//! Random schemas: building never panics, and the required ones are those that were said to be.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate::Schema;

fn schema() -> impl Strategy<Value = Schema> {
    let leaf = prop_oneof![
        Just(Schema::string()).boxed(),
        Just(Schema::boolean()).boxed(),
        Just(Schema::null()).boxed(),
        Just(Schema::any()).boxed(),
        any::<(i64, i64)>().prop_map(|(a, b)| Schema::integer().minimum(a).maximum(b)).boxed(),
        any::<f64>().prop_map(|bound| Schema::number().minimum(bound)).boxed(),
        prop::collection::vec("[a-c]", 0..4).prop_map(|names| Schema::string().enum_values(names)).boxed(),
        any::<bool>().prop_map(|yes| Schema::boolean().default(yes)).boxed(),
        (0..4_usize, 0..4_usize).prop_map(|(a, b)| Schema::string().min_length(a).max_length(b)).boxed(),
        Just(Schema::string().minimum(1)).boxed(),
        "\\PC{0,4}".prop_map(|pattern| Schema::string().pattern(pattern)).boxed(),
    ];
    leaf.prop_recursive(4, 24, 4, |part| {
        prop_oneof![
            part.clone().prop_map(Schema::array),
            prop::collection::vec(part.clone(), 0..4).prop_map(Schema::one_of),
            prop::collection::vec(("[a-e/~]", any::<bool>(), part), 0..4).prop_map(|properties| {
                properties.into_iter().fold(Schema::object(), |object, (name, required, schema)| {
                    if required { object.required(name, schema) } else { object.optional(name, schema) }
                })
            }),
        ]
    })
}

fn required_are_declared(schema: &Value) -> bool {
    let own = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .all(|name| schema["properties"].get(name.as_str().unwrap_or_default()).is_some());
    let below = match schema {
        Value::Object(map) => map.values().all(required_are_declared),
        Value::Array(items) => items.iter().all(required_are_declared),
        _ => true,
    };
    own && below
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn building_never_panics_and_each_path_leads_into_the_schema(schema in schema()) {
        match schema.build() {
            Ok(value) => prop_assert!(required_are_declared(&value), "{value}"),
            Err(error) => {
                prop_assert!(!error.mistakes().is_empty());
                for mistake in error.mistakes() {
                    prop_assert!(mistake.path().is_empty() || mistake.path().starts_with('/'), "{mistake}");
                    prop_assert!(!mistake.message().is_empty());
                }
            }
        }
    }

    #[test]
    fn the_required_ones_are_those_that_were_said_to_be(flags in prop::collection::vec(any::<bool>(), 0..12)) {
        let object = flags.iter().enumerate().fold(Schema::object(), |object, (i, required)| {
            let name = format!("p{i}");
            if *required { object.required(name, Schema::any()) } else { object.optional(name, Schema::any()) }
        });
        let built = object.build().expect("no name twice");
        let expected: Vec<_> = flags.iter().enumerate().filter(|(_, r)| **r).map(|(i, _)| format!("p{i}")).collect();
        let got = built.get("required").cloned();
        prop_assert_eq!(got, (!expected.is_empty()).then(|| json!(expected)));
    }
}
