//! The runner can fail.

use serde_json::{Value, json};

use crate::{load, verdict::Verdict};

/// A scenario that passes.
fn sound() -> Value {
    json!({
        "name": "sound",
        "why": "To be broken.",
        "tools": [{ "name": "t", "body": [{ "defer_context": "d" }, { "sleep_ms": 5 }, { "return": { "b": 1, "a": 2 } }] }],
        "observers": [{ "name": "o" }],
        "calls": [{ "id": "c1", "name": "t" }],
        "expect": {
            "results": [{ "id": "c1", "ok": true, "value": { "b": 1, "a": 2 }, "contexts": ["d"], "text_contains": "\"b\"" }],
            "trace": ["body:t:c1", "observe:o:c1"],
            "trace_contains": ["observe:o:c1"],
            "schemas": { "": ["t"] },
            "elapsed_ms": 5
        }
    })
}

/// [`sound`] with `value` at `pointer`, whose last part may be a key that is not there yet.
fn with(pointer: &str, value: Value) -> Value {
    let mut scenario = sound();
    let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
    match scenario.pointer_mut(parent) {
        Some(Value::Object(map)) => _ = map.insert(key.to_owned(), value),
        Some(Value::Array(list)) => list.push(value),
        _ => panic!("{pointer} leads nowhere"),
    }
    scenario
}

fn failures(scenario: Value) -> Vec<String> {
    Verdict::of(vec![load::read("test", scenario)]).failures
}

#[test]
fn a_sound_scenario_passes() {
    assert_eq!(failures(sound()), Vec::<String>::new());
}

#[test]
fn each_wrong_expectation_is_reported() {
    let result = "/expect/results/0";
    let wrong = [
        (format!("{result}/id"), json!("c2"), "c2.id: expected \"c2\", got \"c1\""),
        (format!("{result}/ok"), json!(false), "c1.ok: expected false, got true"),
        (format!("{result}/value"), json!({ "a": 2, "b": 1 }), "c1.value: expected"),
        (format!("{result}/value"), Value::Null, "c1.value: expected null"),
        (format!("{result}/meta"), json!(1), "c1.meta: expected 1, got null"),
        (format!("{result}/code"), json!("DENIED"), "c1.code: expected \"DENIED\", got null"),
        (format!("{result}/text"), json!("d"), "c1.text: expected"),
        (format!("{result}/text_contains"), json!("zz"), "c1.text_contains: expected"),
        (format!("{result}/message_contains"), json!(""), "c1.message_contains: expected"),
        (format!("{result}/contexts"), json!([]), "c1.contexts: expected [], got [\"d\"]"),
        (format!("{result}/concludes"), json!(true), "c1.concludes: expected true"),
        (format!("{result}/effects"), json!("none"), "c1.effects: expected \"none\", got null"),
        (format!("{result}/source"), json!("p"), "c1.source: expected \"p\""),
        (format!("{result}/dropped"), json!(true), "c1.dropped: expected true"),
        ("/expect/results/1".into(), json!({ "id": "c2" }), "results: expected 2, got 1"),
        ("/expect/trace".into(), json!(["body:t:c1"]), "trace:"),
        ("/expect/trace_contains".into(), json!(["observe:o:c1", "body:t:c1"]), "trace_contains:"),
        ("/expect/schemas".into(), json!({ "": ["u"] }), "schemas[\"\"]:"),
        ("/expect/elapsed_ms".into(), json!(6), "elapsed_ms: expected 6, got 5"),
        ("/expect/register_errors".into(), json!(["t"]), "register_errors:"),
    ];
    for (pointer, value, told) in wrong {
        let failures = failures(with(&pointer, value));
        assert!(failures.len() == 1 && failures[0].contains(told), "{pointer}: {failures:?}");
    }
}

#[test]
fn all_that_is_wrong_is_reported_not_the_first_alone() {
    let mut scenario = with("/expect/elapsed_ms", json!(6));
    scenario["expect"]["trace"] = json!([]);
    let all = Verdict::of(vec![load::read("test", scenario), load::read("test", with("/more", json!(1)))]).failures;
    assert!(all.len() == 2 && all[0].contains("elapsed_ms") && all[0].contains("trace"), "{all:?}");
}

#[test]
fn an_unknown_key_is_an_error_everywhere() {
    let unknown = [
        "/more",
        "/tools/0/more",
        "/tools/0/finalize",
        "/tools/0/body/0/more",
        "/calls/0/more",
        "/calls/0/cancel",
        "/observers/0/more",
        "/expect/more",
        "/expect/results/0/more",
        "/approval",
        "/batch",
    ];
    for pointer in unknown {
        let read = load::read("test", with(pointer, json!({ "more": 1 })));
        assert!(read.is_err(), "{pointer} was let through");
    }
    for list in ["pre", "guards", "wrap", "post", "restrict", "scopes"] {
        let entry = json!({ "name": "x", "id": "x", "do": "next", "more": 1 });
        let read = load::read("test", with(&format!("/{list}"), json!([entry])));
        assert!(read.is_err(), "an unknown key in {list} was let through");
    }
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let senseless = [
        ("/pre", json!([{ "name": "p", "do": "retry" }])),
        ("/pre", json!([{ "name": "p", "do": "override" }])),
        ("/wrap", json!([{ "name": "w", "do": "value" }])),
        ("/wrap", json!([{ "name": "w", "do": "retry" }])),
        ("/wrap", json!([{ "name": "w", "do": "deadline" }])),
        ("/post", json!([{ "name": "q", "do": "block" }])),
        ("/guards", json!([{ "name": "g", "do": "abstain", "scope": "nowhere" }])),
        ("/tools/0/body", json!([{ "conclude": false }])),
        ("/tools/0/body", json!([{ "sleep_ms": 1, "panic": "x" }])),
        ("/expect/results/0/ok", Value::Null),
    ];
    for (pointer, value) in senseless {
        assert!(load::read("test", with(pointer, value.clone())).is_err(), "{pointer}: {value} was let through");
    }
}

#[test]
fn a_call_that_never_ends_is_reported() {
    let failures = failures(with("/tools/0/body", json!([{ "wait_cancel": true }])));
    assert!(failures.len() == 1 && failures[0].contains("does not end"), "{failures:?}");
}
