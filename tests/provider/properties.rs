//! What holds for every schema that registration admits.

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{TestCaseError, TestRunner},
};
use serde_json::{Value, json};
use toolgate::{
    ToolInfo,
    provider::{Budget, Export, Exporter, Format, Mode, Strict},
};

use super::{
    rules,
    samples::{Maker, choices, parameters as random_parameters},
    support::{narrowed, parameters, registered, validator},
};

const MODES: [Strict; 3] = [Strict::Never, Strict::WherePossible, Strict::Required];

/// Gemini's subset as JSON Schema.
fn json_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut out = serde_json::Map::new();
            for (key, value) in map {
                let value = match (key.as_str(), value) {
                    ("type", Value::String(kind)) => json!(kind.to_lowercase()),
                    ("enum" | "required" | "description", value) => value.clone(),
                    ("properties", Value::Object(all)) => {
                        Value::Object(all.iter().map(|(name, schema)| (name.clone(), json_schema(schema))).collect())
                    }
                    (_, value) => json_schema(value),
                };
                out.insert(key.clone(), value);
            }
            match out.shift_remove("nullable") {
                Some(_) => json!({"anyOf": [out, {"type": "null"}]}),
                None => Value::Object(out),
            }
        }
        Value::Array(all) => all.iter().map(json_schema).collect(),
        other => other.clone(),
    }
}

fn exported(export: &Export) -> Value {
    match export.format() {
        Format::Gemini if parameters(export).is_null() => json!({}),
        Format::Gemini => json_schema(&parameters(export)),
        _ => parameters(export),
    }
}

fn same_bytes_and_within_budget(
    tool: &ToolInfo,
    again: &ToolInfo,
    format: Format,
    strict: Strict,
) -> Result<Export, TestCaseError> {
    let exporter = Exporter::new(format).strict(strict);
    let export = exporter.export(std::slice::from_ref(tool));
    let other = exporter.export(std::slice::from_ref(again));
    prop_assert_eq!(export.to_json(), other.to_json());
    prop_assert_eq!(export.reports(), other.reports());
    let small = exporter.budget(Budget::of(format).tool_bytes(400)).export(std::slice::from_ref(tool));
    prop_assert!(small.to_json().len() < 450, "{}", small.to_json());
    prop_assert_eq!(small.names().len() + small.refused().count(), 1);
    Ok(export)
}

fn obeys(export: &Export) -> Result<(), TestCaseError> {
    if export.is_strict("t") {
        let own = match export.format() {
            Format::DeepSeek => rules::DEEPSEEK,
            Format::Anthropic => rules::ANTHROPIC,
            _ => rules::OPENAI,
        };
        let broken = rules::broken(&parameters(export), &own);
        prop_assert!(broken.is_empty(), "{}: {broken:?} in {:#}", export.format(), parameters(export));
    }
    if export.format() == Format::Gemini && !parameters(export).is_null() {
        let mut broken = Vec::new();
        rules::broken_gemini(&parameters(export), "", &mut broken);
        prop_assert!(broken.is_empty(), "{broken:?} in {:#}", parameters(export));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn exports_are_deterministic_and_keep_the_rules(schema in random_parameters()) {
        let Ok(tool) = registered("t", schema.clone()) else { return Err(TestCaseError::reject("not admitted")) };
        let again = registered("t", schema).map_err(|e| TestCaseError::fail(e.to_string()))?;
        for (format, strict) in Format::ALL.iter().flat_map(|format| MODES.map(|strict| (*format, strict))) {
            obeys(&same_bytes_and_within_budget(&tool, &again, format, strict)?)?;
        }
    }

    #[test]
    fn what_was_valid_stays_valid_unless_the_report_says_narrowed(
        schema in random_parameters(),
        many in prop::collection::vec(choices(), 6),
    ) {
        let Ok(tool) = registered("t", schema.clone()) else { return Err(TestCaseError::reject("not admitted")) };
        let own = validator(&schema);
        let values: Vec<Value> = many.iter().map(|choices| Maker { root: &schema, choices: choices.iter() }.value(&schema, 6))
            .filter(|value| value.is_object() && own.is_valid(value)).collect();
        for (format, strict) in Format::ALL.iter().map(|format| (*format, Strict::Never)).chain([(Format::Anthropic, Strict::WherePossible)]) {
            let export = Exporter::new(format).strict(strict).export(std::slice::from_ref(&tool));
            let report = &export.reports()[0];
            if matches!(report.mode, Mode::Refused(_)) || narrowed(report) {
                continue;
            }
            let out = exported(&export);
            let theirs = validator(&out);
            for value in &values {
                prop_assert!(theirs.is_valid(value), "{format}: {value} under {out:#}\nwhich was {schema:#}\n{:?}", report.losses);
            }
            if report.losses.is_empty() {
                // Nothing was lost: what is valid there is valid here.
                for choices in &many {
                    let value = Maker { root: &out, choices: choices.iter() }.value(&out, 6);
                    prop_assert!(!value.is_object() || !theirs.is_valid(&value) || own.is_valid(&value), "{format}: {value} is new under {out:#}\nwhich was {schema:#}");
                }
            }
        }
    }
}

/// Random samples that are all refused, or fit nothing, would prove nothing.
#[test]
fn the_samples_are_of_use() {
    let mut runner = TestRunner::deterministic();
    let (mut admitted, mut values, mut strict, mut lossless, mut checked) = (0, 0, 0, 0, 0);
    let all = (random_parameters(), prop::collection::vec(choices(), 6));
    for _ in 0..400 {
        let (schema, many) = all.new_tree(&mut runner).expect("a sample").current();
        let Ok(tool) = registered("t", schema.clone()) else { continue };
        admitted += 1;
        let own = validator(&schema);
        let made = many.iter().map(|choices| Maker { root: &schema, choices: choices.iter() }.value(&schema, 6));
        let fit = made.filter(|value| own.is_valid(value)).count();
        values += fit;
        let export =
            Exporter::new(Format::OpenAiChat).strict(Strict::WherePossible).export(std::slice::from_ref(&tool));
        strict += usize::from(export.is_strict("t"));
        for format in [Format::OpenAiChat, Format::Gemini] {
            let export = Exporter::new(format).export(std::slice::from_ref(&tool));
            let report = &export.reports()[0];
            if !matches!(report.mode, Mode::Refused(_)) && !narrowed(report) {
                checked += fit;
                lossless += usize::from(report.losses.is_empty());
            }
        }
    }
    let counts = [admitted, values, strict, lossless, checked];
    assert!(counts.iter().zip([200, 300, 10, 50, 200]).all(|(have, least)| *have >= least), "{counts:?}");
}
