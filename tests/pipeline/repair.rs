//! Repairs at the door: asked for, without loss, before the call is made, and on record.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::{OutputSpec, RepairKind, Repairs, ToolCall, ToolRegistry, observer_fn, tool};

use crate::support::{Count, paused};

fn edit_files(count: &Count) -> ToolRegistry {
    let registry = ToolRegistry::new();
    let parameters = json!({
        "type": "object",
        "required": ["files"],
        "properties": {
            "files": {"type": "array", "items": {"$ref": "#/$defs/File"}},
            "note": {"type": "string"},
            "mode": {"enum": ["fast", "safe"]},
            "limit": {"type": ["integer", "null"]},
        },
        "$defs": {"File": {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}}},
    });
    let count = count.clone();
    let edit = tool("edit_files").parameters(parameters).output(OutputSpec::any()).body(move |cx| {
        count.up();
        async move { Ok(cx.arguments().clone()) }
    });
    registry.register(edit).expect("good");
    registry
}

fn sent(text: &str) -> ToolCall {
    ToolCall::from_model("c", "edit_files", text)
}

/// What was done, as text, and what the body got.
fn outcome(registry: &ToolRegistry, call: ToolCall) -> (String, Option<Value>) {
    let done = call.repaired().map(ToString::to_string).unwrap_or_default();
    let (result, _) = paused(registry.execute(call));
    (done, result.value().cloned())
}

#[test]
fn o_39_a_list_that_arrives_as_a_string_is_refused_and_only_repaired_on_request() {
    let count = Count::default();
    let registry = edit_files(&count);
    let list = r#"{"files":"[{\"path\":\"a\"}]"}"#;
    let twice = r#""{\"files\":[]}""#;

    let (result, _) = paused(registry.execute(sent(list)));
    assert_eq!(
        result.text(),
        "Error: invalid arguments: /files: expected array, got a string; send the JSON directly, not inside a string"
    );
    let (result, _) = paused(registry.execute(sent(twice)));
    assert!(result.text().contains("expected an object, got a string that holds JSON"), "{}", result.text());
    assert_eq!(count.get(), 0);

    let call = registry.repair(sent(list), Repairs::all());
    assert_eq!(
        outcome(&registry, call),
        ("/files: was JSON inside a string".to_owned(), Some(json!({"files": [{"path": "a"}]})))
    );
    let call = registry.repair(sent(twice), Repairs::all());
    let repaired = call.repaired().expect("it was");
    assert_eq!((repaired.repairs().len(), repaired.repairs()[0].kind()), (1, RepairKind::ObjectInString));
    assert_eq!(repaired.original(), twice, "what the model sent is kept");
    assert_eq!(outcome(&registry, call).1, Some(json!({"files": []})));
}

#[test]
fn every_participant_sees_the_repaired_arguments_and_what_was_done() {
    let registry = edit_files(&Count::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let observer = observer_fn("log", move |cx, _| {
        let done = cx.repaired().map(|r| (r.original().to_owned(), r.to_string()));
        kept.lock().expect("sound").push((cx.arguments().clone(), done));
    });
    registry.observer(observer).expect("good");
    let text = r#"{"files": [{"path": "a", "lines": null}], "note": null, "limit": null}"#;
    let call = registry.repair(sent(text), Repairs::none().null_for_absent(true));
    paused(registry.execute(call.clone()));
    paused(registry.execute(sent("{}")));
    let done = (text.to_owned(), "/files/0/lines: was null, left out; /note: was null, left out".to_owned());
    let repaired = json!({"files": [{"path": "a"}], "limit": null});
    assert_eq!(*seen.lock().expect("sound"), [(repaired, Some(done)), (json!({}), None)], "limit may be null");
}

#[test]
fn what_cannot_be_made_valid_without_loss_stays_as_it_is() {
    let registry = edit_files(&Count::default());
    for text in [
        r#"{"files": "not a list"}"#,
        r#"{"files": "[1, 1,]"}"#,
        r#"{"files": "[{\"path\": 1}]"}"#,
        r#"{"files": "{\"path\": \"a\"}"}"#,
        r#"{"files": "[{\"path\": \"a\", \"path\": \"b\"}]"}"#,
        r#"{"files": "[12345678901234567890123]"}"#,
        r#"{"files": null}"#,
        r#"{"files": [], "mode": "quick"}"#,
        r#""[]""#,
        r#""{\"files\": [], \"files\": []}""#,
        "{,}",
        "",
    ] {
        let call = registry.repair(sent(text), Repairs::all());
        assert_eq!(call.repaired(), None, "{text}");
        let (result, _) = paused(registry.execute(call));
        assert_eq!(result.code().map(ToString::to_string).as_deref(), Some("INVALID_ARGS"), "{text}");
    }
    let cut_off = ToolCall::cut_off("c", "edit_files", r#""{\"files\": []}""#);
    assert_eq!(registry.repair(cut_off, Repairs::all()).repaired(), None, "what was cut off is not whole");
    let unknown = ToolCall::from_model("c", "nobody", r#""{}""#);
    assert_eq!(registry.repair(unknown, Repairs::all()).repaired(), None);
}

#[test]
fn only_what_is_asked_for_is_repaired() {
    let registry = edit_files(&Count::default());
    let cases = [
        (r#""{\"files\": []}""#, Repairs::none().object_in_string(true)),
        (r#"{"files": "[]"}"#, Repairs::none().json_in_strings(true)),
        (r#"{"files": [], "mode": null}"#, Repairs::none().null_for_absent(true)),
    ];
    for (i, (text, _)) in cases.iter().enumerate() {
        for (j, (_, allowed)) in cases.iter().enumerate() {
            assert_eq!(registry.repair(sent(text), *allowed).repaired().is_some(), i == j, "{text} {allowed:?}");
        }
        assert_eq!(registry.repair(sent(text), Repairs::none()).repaired(), None);
    }
}

#[test]
fn valid_arguments_are_never_touched() {
    let registry = edit_files(&Count::default());
    let text = r#"{"files": [], "note": "[1]", "limit": null}"#;
    let call = registry.repair(sent(text), Repairs::all());
    assert_eq!(call.repaired(), None);
    assert_eq!(outcome(&registry, call).1, Some(json!({"files": [], "note": "[1]", "limit": null})));
    // A value built in a program is repaired like text.
    let value = ToolCall::new("c", "edit_files").with_arguments(json!({"files": "[]"}));
    let call = registry.repair(value, Repairs::all());
    assert_eq!(call.repaired().map(toolgate::Repaired::original), Some(r#"{"files":"[]"}"#));
}

#[test]
fn what_strings_hold_counts_towards_the_limits() {
    let registry = ToolRegistry::builder().argument_nodes(10).build().expect("good limits");
    let files = json!({"type": "object", "properties": {"files": {"type": "array"}}});
    registry
        .register(tool("edit_files").parameters(files).output(OutputSpec::any()).body(|_| async { Ok(json!(1)) }))
        .expect("good");
    let holding = |n: usize| format!(r#"{{"files": "[{}]"}}"#, vec!["1"; n].join(","));
    assert!(registry.repair(sent(&holding(8)), Repairs::all()).repaired().is_some());
    assert!(registry.repair(sent(&holding(9)), Repairs::all()).repaired().is_none(), "eleven values in all");
    let deep = format!(r#"{{"files": "{}{}"}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(registry.repair(sent(&deep), Repairs::all()).repaired().is_none());
}

/// A strict export makes a model write null for what it leaves out: it must not be told that null is wrong.
#[test]
fn nulls_for_nothing_go_even_where_something_else_is_wrong() {
    let registry = edit_files(&Count::default());
    let text = r#"{"files": "no list", "note": null, "mode": "quick"}"#;
    let call = registry.repair(sent(text), Repairs::all());
    assert_eq!(call.repaired().map(ToString::to_string).as_deref(), Some("/note: was null, left out"));
    let (result, _) = paused(registry.execute(call));
    let told = result.text();
    assert!(told.contains("/files") && told.contains("/mode") && !told.contains("/note"), "{told}");
}
