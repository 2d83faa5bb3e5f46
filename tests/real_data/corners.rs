//! Corner cases of JSON Schema, with the verdicts of two oracles.

use serde_json::{Value, json};
use toolgate::ToolCall;

use super::{folder, lines, registry_of, run, text, verdict};

/// Topics whose schemas are refused although the project would have liked to take them, or the other way round.
const REGISTERED_OTHERWISE: [(&str, &str); 0] = [];

/// Lines on which the verdict is another one, each with the reason.
const DISAGREEMENTS: [(&str, &str); 4] = [
    ("dependencies-in-2020/0", "the keyword of draft 7 is asserted in every draft: whoever writes it means it"),
    ("empty-schema/2", "a text: arguments are an object, whatever the schema says"),
    ("deep-instance/0", "100 levels, where the registry's limit is 64 by default"),
    ("root-not-object/2", "`null` from a model is no arguments, which is an empty object"),
];

fn arguments(case: &Value) -> String {
    if let Some(text) = case.get("instance_text").and_then(Value::as_str) {
        return text.to_owned();
    }
    let made = &case["instance_generated"];
    let times = usize::try_from(made["times"].as_u64().expect("a number")).expect("a size");
    let long = format!("{}{}{}", text(made, "/prefix"), text(made, "/repeat").repeat(times), text(made, "/suffix"));
    let mut object = json!({});
    object[text(made, "/member")] = Value::String(long);
    object.to_string()
}

/// The verdict in the order of trust; none where either is right.
fn wanted(case: &Value) -> Option<bool> {
    if case.get("free").is_some() {
        return None;
    }
    case.get("expected").or_else(|| case.get("valid")).and_then(Value::as_bool)
}

#[test]
fn every_corner_has_its_verdict_or_is_refused_at_registration() {
    let cases = lines(&folder("schema-corners"), "cases.jsonl");
    assert_eq!(cases.len(), 235);
    let mut differ = Vec::new();
    for case in &cases {
        let id = text(case, "/id");
        let wish = case["register"].as_str().unwrap_or("accept");
        let registry = registry_of(&case["schema"]);
        let as_wished = !matches!((&registry, wish), (Ok(_), "refuse") | (Err(_), "accept"));
        let known = REGISTERED_OTHERWISE.iter().any(|(topic, _)| id.starts_with(topic));
        if as_wished == known {
            let outcome = registry.as_ref().map(|_| "accepted").map_err(ToString::to_string);
            differ.push(format!("{id}: registration, wish {wish:?}: {outcome:?}"));
        }
        let Ok(registry) = registry else { continue };
        let (valid, _) = verdict(&run(&registry, ToolCall::from_model("c", "t", arguments(case))));
        let agrees = wanted(case).is_none_or(|w| w == valid);
        let known = DISAGREEMENTS.iter().any(|(known, _)| *known == id);
        if agrees == known {
            differ.push(format!("{id}: valid is {valid}, note: {}", case["note"]));
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}
