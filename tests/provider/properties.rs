//! What holds for every schema that registration admits.

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{TestCaseError, TestRunner},
};
use serde_json::{Value, json};
use toolgate::{
    OutputSpec, ToolCall, ToolInfo, ToolRegistry,
    provider::{Budget, Export, Exporter, Format, Mode, Strict},
    tool,
};

use super::{
    rules,
    samples::{Maker, choices, parameters as random_parameters, unions},
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

/// What the report of a tool with these parameters does not call narrowed is true of values made by `many`.
fn valid_stays_valid(schema: &Value, many: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let Ok(tool) = registered("t", schema.clone()) else { return Err(TestCaseError::reject("not admitted")) };
    let own = validator(schema);
    let values: Vec<Value> = many
        .iter()
        .map(|choices| Maker { root: schema, choices: choices.iter() }.value(schema, 6))
        .filter(|value| value.is_object() && own.is_valid(value))
        .collect();
    for (format, strict) in
        Format::ALL.iter().map(|format| (*format, Strict::Never)).chain([(Format::Anthropic, Strict::WherePossible)])
    {
        let export = Exporter::new(format).strict(strict).export(std::slice::from_ref(&tool));
        let report = &export.reports()[0];
        if matches!(report.mode, Mode::Refused(_)) || narrowed(report) {
            continue;
        }
        let out = exported(&export);
        let theirs = validator(&out);
        for value in &values {
            prop_assert!(
                theirs.is_valid(value),
                "{format}: {value} under {out:#}\nwhich was {schema:#}\n{:?}",
                report.losses
            );
        }
        if report.losses.is_empty() {
            // Nothing was lost: what is valid there is valid here.
            for choices in many {
                let value = Maker { root: &out, choices: choices.iter() }.value(&out, 6);
                prop_assert!(
                    !value.is_object() || !theirs.is_valid(&value) || own.is_valid(&value),
                    "{format}: {value} is new under {out:#}\nwhich was {schema:#}"
                );
            }
        }
    }
    Ok(())
}

/// What a model writes for `value` under a strict schema: null for what is not there.
fn written(root: &Value, schema: &Value, value: &Value) -> Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|to| root.pointer(&to[1..]));
    if let Some(target) = target {
        return written(root, target, value);
    }
    if let Some(Value::Array(branches)) = schema.get("anyOf") {
        let fits = |branch: &Value| {
            let text = written(root, branch, value);
            let alone = json!({"allOf": [branch], "$defs": root.get("$defs").cloned().unwrap_or(json!({}))});
            validator(&alone).is_valid(&text).then_some(text)
        };
        return branches.iter().find_map(fits).unwrap_or_else(|| value.clone());
    }
    match (value, schema.get("properties"), schema.get("items")) {
        (Value::Object(members), Some(Value::Object(properties)), _) => {
            let mut out = members.clone();
            for (name, schema) in properties {
                let own = members.get(name).map_or(Value::Null, |value| written(root, schema, value));
                out.insert(name.clone(), own);
            }
            Value::Object(out)
        }
        (Value::Array(items), _, Some(schema)) => items.iter().map(|item| written(root, schema, item)).collect(),
        _ => value.clone(),
    }
}

/// What is valid can be written under a strict export, and is valid when it was received.
fn can_be_sent(schema: &Value, many: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let registry = ToolRegistry::new();
    let definition =
        tool("t").parameters(schema.clone()).output(OutputSpec::any()).body(|_cx| async { Ok(json!(null)) });
    if registry.register(definition).is_err() {
        return Err(TestCaseError::reject("not admitted"));
    }
    let own = validator(schema);
    let made = many.iter().map(|choices| Maker { root: schema, choices: choices.iter() }.value(schema, 6));
    let values: Vec<Value> = made.filter(|value| value.is_object() && own.is_valid(value)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|e| TestCaseError::fail(e.to_string()))?;
    for format in [Format::OpenAiChat, Format::DeepSeek] {
        let export = Exporter::new(format).strict(Strict::Required).export(&registry.tools());
        let report = &export.reports()[0];
        if report.mode != Mode::Strict || narrowed(report) {
            continue;
        }
        let out = parameters(&export);
        let theirs = validator(&out);
        for value in &values {
            let sent = written(&out, &out, value);
            prop_assert!(theirs.is_valid(&sent), "{format}: {sent} for {value} under {out:#}\nwhich was {schema:#}");
            let call = export.receive(&registry, ToolCall::from_model("1", "t", sent.to_string()));
            let result = runtime.block_on(registry.execute(call));
            prop_assert!(
                result.is_success(),
                "{format}: {sent} for {value}: {}\n{schema:#}\nwhich is {out:#}",
                result.text()
            );
        }
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
        valid_stays_valid(&schema, &many)?;
    }

    #[test]
    fn what_was_valid_stays_valid_in_unions_at_the_root(
        schema in unions(),
        many in prop::collection::vec(choices(), 12),
    ) {
        valid_stays_valid(&schema, &many)?;
    }

    #[test]
    fn a_strict_export_can_say_what_was_valid(
        schema in prop_oneof![random_parameters(), unions()],
        many in prop::collection::vec(choices(), 12),
    ) {
        can_be_sent(&schema, &many)?;
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

/// The same of unions: most of what is made for them has to be looked at.
#[test]
fn the_unions_are_of_use() {
    let mut runner = TestRunner::deterministic();
    let (mut admitted, mut whole, mut strict, mut kept) = (0, 0, 0, 0);
    let all = (unions(), prop::collection::vec(choices(), 12));
    for _ in 0..400 {
        let (schema, many) = all.new_tree(&mut runner).expect("a sample").current();
        let Ok(tool) = registered("t", schema.clone()) else { continue };
        admitted += 1;
        let own = validator(&schema);
        let made = many.iter().map(|choices| Maker { root: &schema, choices: choices.iter() }.value(&schema, 6));
        let fit = made.filter(|value| own.is_valid(value)).count();
        for mode in [Strict::Never, Strict::WherePossible] {
            let export = Exporter::new(Format::OpenAiChat).strict(mode).export(std::slice::from_ref(&tool));
            let report = &export.reports()[0];
            match report.mode {
                Mode::Strict if !narrowed(report) => strict += fit,
                Mode::NotStrict if mode == Strict::Never && !narrowed(report) => whole += fit,
                _ => {}
            }
            kept += usize::from(parameters(&export).get("unevaluatedProperties").is_some());
        }
    }
    let counts = [admitted, whole, strict, kept];
    assert!(counts.iter().zip([300, 400, 50, 20]).all(|(have, least)| *have >= least), "{counts:?}");
}
