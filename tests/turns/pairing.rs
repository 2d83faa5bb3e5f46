//! The rules by which providers pair calls and answers, restated.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolgate::provider::{Format, Turn};

use super::{bodies::body, read, results};

fn list<'v>(value: &'v Value, member: &str) -> Vec<&'v Value> {
    value[member].as_array().map(|items| items.iter().collect()).unwrap_or_default()
}

fn text<'v>(value: &'v Value, what: &str, bad: &mut Vec<String>) -> &'v str {
    let text = value.as_str().filter(|text| !text.is_empty());
    if text.is_none() {
        bad.push(format!("{what} is no text, or empty: {value}"));
    }
    text.unwrap_or_default()
}

/// What is wrong with `messages`, an assistant's message and what follows it.
pub(crate) fn wrong(format: Format, messages: &[Value]) -> Vec<String> {
    let mut bad = Vec::new();
    match format {
        Format::OpenAiChat | Format::DeepSeek => chat(messages, &mut bad),
        Format::OpenAiResponses => responses(messages, &mut bad),
        Format::Anthropic => blocks(messages, "id", "tool_use_id", &mut bad),
        Format::Bedrock => blocks(messages, "toolUseId", "toolUseId", &mut bad),
        Format::Gemini | Format::GeminiJsonSchema => gemini(messages, &mut bad),
        _ => {
            for result in messages {
                if list(result, "content").is_empty() || !result["isError"].is_boolean() {
                    bad.push(format!("no CallToolResult: {result}"));
                }
            }
        }
    }
    bad
}

fn chat(messages: &[Value], bad: &mut Vec<String>) {
    let (first, rest) = messages.split_first().expect("a message");
    let calls = list(first, "tool_calls");
    for call in &calls {
        let arguments = text(&call["function"]["arguments"], "arguments", bad);
        if call["type"] == "function" && !serde_json::from_str::<Value>(arguments).is_ok_and(|a| a.is_object()) {
            bad.push(format!("arguments are no object: {arguments}"));
        }
    }
    let expected: Vec<_> = calls.iter().map(|call| text(&call["id"], "id", bad)).collect();
    let answers: Vec<_> = rest.iter().take_while(|m| m["role"] == "tool").collect();
    let got: Vec<_> = answers.iter().map(|m| text(&m["tool_call_id"], "tool_call_id", bad)).collect();
    for answer in &answers {
        text(&answer["content"], "content", bad);
    }
    same(&expected, &got, bad);
    let after = &rest[answers.len()..];
    if after.len() > 1 || after.iter().any(|m| m["role"] != "user") {
        bad.push(format!("after the answers: {after:?}"));
    }
}

fn responses(items: &[Value], bad: &mut Vec<String>) {
    let of =
        |kind: &str| items.iter().filter(|item| item["type"] == kind).map(|item| &item["call_id"]).collect::<Vec<_>>();
    let calls: Vec<_> = of("function_call").into_iter().map(|id| text(id, "call_id", bad)).collect();
    let answers: Vec<_> = of("function_call_output").into_iter().map(|id| text(id, "call_id", bad)).collect();
    same(&calls, &answers, bad);
    for output in items.iter().filter(|item| item["type"] == "function_call_output").map(|item| &item["output"]) {
        if output.as_str().is_none_or(str::is_empty) && output.as_array().is_none_or(Vec::is_empty) {
            bad.push(format!("an output is {output}"));
        }
    }
}

/// Anthropic and Bedrock.
fn blocks(messages: &[Value], call_id: &str, result_id: &str, bad: &mut Vec<String>) {
    let inside = |block: &Value, anthropic: &str, bedrock: &str| {
        if block["type"] == anthropic { Some(block.clone()) } else { block.get(bedrock).cloned() }
    };
    let said = list(&messages[0], "content");
    if said.iter().any(|block| block["text"].as_str().is_some_and(|text| text.trim().is_empty())) || said.is_empty() {
        bad.push("a blank text block, or nothing at all".to_owned());
    }
    let calls: Vec<_> = said.into_iter().filter_map(|block| inside(block, "tool_use", "toolUse")).collect();
    if let Some(call) = calls.iter().find(|call| !call["input"].is_object()) {
        bad.push(format!("an input that is no object: {call}"));
    }
    if calls.is_empty() && messages.len() == 1 {
        return;
    }
    if messages.len() != 2 || messages[1]["role"] != "user" {
        bad.push("not answered in the very next message".to_owned());
        return;
    }
    let content = list(&messages[1], "content");
    let answers: Vec<_> = content.iter().filter_map(|block| inside(block, "tool_result", "toolResult")).collect();
    let leading = content.iter().take_while(|block| inside(block, "tool_result", "toolResult").is_some()).count();
    if leading != answers.len() {
        bad.push("something stands between results".to_owned());
    }
    for answer in &answers {
        let blocks = list(answer, "content");
        if blocks.is_empty() || blocks.iter().any(|b| b["text"].as_str().is_some_and(|text| text.trim().is_empty())) {
            bad.push(format!("an empty result: {answer}"));
        }
    }
    let calls: Vec<_> = calls.iter().map(|call| text(&call[call_id], call_id, bad)).collect();
    let answers: Vec<_> = answers.iter().map(|answer| text(&answer[result_id], result_id, bad)).collect();
    same(&calls, &answers, bad);
}

fn gemini(messages: &[Value], bad: &mut Vec<String>) {
    let parts = |message: &Value, member: &str| {
        list(message, "parts").into_iter().filter_map(|part| part.get(member)).cloned().collect::<Vec<Value>>()
    };
    let calls = parts(&messages[0], "functionCall");
    if calls.is_empty() && messages.len() == 1 {
        return;
    }
    if messages.len() != 2 {
        bad.push("not answered in the very next content".to_owned());
        return;
    }
    let answers = parts(&messages[1], "functionResponse");
    let pair = |part: &Value| format!("{} {}", part["id"], part["name"]);
    let (calls_of, answers_of): (Vec<_>, Vec<_>) =
        (calls.iter().map(pair).collect(), answers.iter().map(pair).collect());
    if calls_of != answers_of {
        bad.push(format!("{calls_of:?} are answered by {answers_of:?}"));
    }
    for answer in answers {
        let response = answer["response"].as_object();
        if response.is_none_or(|r| r.len() != 1 || !(r.contains_key("output") || r.contains_key("error"))) {
            bad.push(format!("a response of another form: {answer}"));
        }
    }
}

fn same(calls: &[&str], answers: &[&str], bad: &mut Vec<String>) {
    if calls != answers {
        bad.push(format!("{calls:?} are answered by {answers:?}"));
    }
    if calls.iter().collect::<BTreeSet<_>>().len() != calls.len() {
        bad.push(format!("an id is there twice: {calls:?}"));
    }
}

/// Fails if `messages` break a rule.
#[track_caller]
pub(crate) fn paired(turn: &Turn, messages: &[Value]) {
    let bad = wrong(turn.format(), messages);
    assert!(bad.is_empty(), "{}: {bad:#?}\n{}", turn.format(), json!(messages));
}

#[test]
fn every_call_of_every_format_is_answered_once_in_its_place() {
    let read_wire = super::names().wire_name("fs.read").expect("in the table").to_owned();
    let calls = [
        ("c1", read_wire.as_str(), r#"{"path": "a"}"#),
        ("c2", "photo", "{}"),
        ("c3", "no such.tool", "{}"),
        ("c4", "broken", "{}"),
        ("c5", "silent", "{}"),
        ("c6", "note", "{}"),
        ("c7", "purge", r#"{"older_than_days": 30,,}"#),
    ];
    for format in Format::ALL {
        let turn = read(*format, &body(*format, &calls));
        let results = results(&turn);
        assert_eq!(super::codes(&results)[..4], ["ok", "ok", "UNKNOWN_TOOL", "TOOL_FAILED"], "{format}");
        assert_eq!(super::codes(&results)[4..], ["ok", "ok", "INVALID_ARGS"], "{format}");
        paired(&turn, &turn.exchange(&results));
        // Whatever is missing.
        for some in 0..results.len() {
            let messages = turn.exchange(&results[..some]);
            paired(&turn, &messages);
            let untold = super::texts(&json!(messages)).matches("there is no result for this call").count();
            assert_eq!(untold, calls.len() - some, "{format}");
        }
    }
}

#[test]
fn the_rules_find_what_breaks_them() {
    let bad = |format, messages: Value| {
        assert!(!wrong(format, messages.as_array().expect("a list")).is_empty(), "{messages}");
    };
    let call = json!({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
    bad(Format::OpenAiChat, json!([call]));
    bad(
        Format::OpenAiChat,
        json!([call, {"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "c1", "content": "x"}]),
    );
    bad(Format::OpenAiResponses, json!([{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}]));
    let uses = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]});
    bad(Format::Anthropic, json!([uses]));
    bad(
        Format::Anthropic,
        json!([uses, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": [{}]}]}]),
    );
    let parts = json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]});
    bad(
        Format::Gemini,
        json!([parts, {"role": "user", "parts": [{"functionResponse": {"name": "g", "response": {"output": 1}}}]}]),
    );
    let uses = json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": "x"}}]});
    bad(
        Format::Bedrock,
        json!([uses, {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "x"}]}}]}]),
    );
}
