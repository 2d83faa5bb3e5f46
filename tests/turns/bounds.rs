//! Hostile bodies and streams end in an error or in a call that never runs, and soon.

use serde_json::{Map, Value, json};
use toolgate::provider::{Format, Turn, TurnBuilder, TurnError};

use super::{
    Call,
    bodies::{body, events},
    built, names,
    pairing::paired,
    results,
};

/// Built by hand: the macro would copy what it puts inside, level by level.
fn deep(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Object(Map::from_iter([("a".to_owned(), inner)])))
}

/// Drops a deep value without recursion.
fn let_go(value: Value) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Array(items) => todo.extend(items),
            Value::Object(map) => todo.extend(map.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

#[test]
fn a_body_of_any_depth_is_refused_without_walking_it() {
    for format in Format::ALL {
        let block = json!({"type": "tool_use", "id": "a", "name": "purge", "input": null});
        let mut hostile = json!({"content": [block], "output": [], "candidates": [], "name": "x", "arguments": null});
        hostile["arguments"] = deep(100_000);
        assert_eq!(Turn::read(*format, &hostile, &names()).err(), Some(TurnError::TooDeep { levels: 128 }));
        assert_eq!(built(*format, [&hostile]).stopped(), Some("an event is nested deeper than 128 levels"));
        let_go(hostile);
    }
}

#[test]
fn arguments_that_a_parser_lets_through_are_the_registrys_business() {
    let deep = deep(100).to_string();
    for format in Format::ALL {
        let turn = super::read(*format, &body(*format, &[("c1", "purge", &deep)]));
        let results = results(&turn);
        assert_eq!(super::codes(&results), ["INVALID_ARGS"], "{format}");
        paired(&turn, &turn.exchange(&results));
    }
}

#[test]
fn more_calls_than_a_message_may_hold_are_refused_together() {
    let many: Vec<Call<'_>> = vec![("c", "list", "{}"); 257];
    for format in Format::ALL {
        let error = Turn::read(*format, &body(*format, &many), &names()).err();
        assert_eq!(error, Some(TurnError::TooManyCalls { calls: 257, most: 256 }), "{format}");
        let turn = super::read(*format, &body(*format, &many[1..]));
        let ids: std::collections::BTreeSet<_> = super::ids(&turn).into_iter().collect();
        assert_eq!(ids.len(), 256, "{format}");
        let turn = built(*format, &events(*format, &many, &|text| vec![text.to_owned()]));
        assert_eq!(turn.stopped(), Some("more than 256 calls in one message"), "{format}");
        assert_eq!(turn.calls().len(), 256, "{format}");
        paired(&turn, &turn.exchange(&results(&turn)));
    }
}

#[test]
fn an_index_is_a_key_and_allocates_nothing() {
    for index in [1_000_000_000_u64, u64::MAX] {
        let mut chat = TurnBuilder::new(Format::OpenAiChat, &names());
        chat.push(&json!({"choices": [{"delta": {"tool_calls": [{"index": index, "id": "c1", "function": {"name": "list", "arguments": "{}"}}]}}]}));
        chat.push(&json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}));
        let mut anthropic = TurnBuilder::new(Format::Anthropic, &names());
        let block = json!({"type": "tool_use", "id": "c1", "name": "list", "input": {}});
        anthropic.push(&json!({"type": "content_block_start", "index": index, "content_block": block}));
        anthropic.push(&json!({"type": "content_block_stop", "index": index}));
        anthropic.push(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
        let mut responses = TurnBuilder::new(Format::OpenAiResponses, &names());
        let item = json!({"type": "function_call", "call_id": "c1", "name": "list", "arguments": "{}"});
        responses.push(&json!({"type": "response.output_item.done", "output_index": index, "item": item}));
        responses.push(&json!({"type": "response.completed", "response": {"status": "completed", "output": []}}));
        for builder in [chat, anthropic, responses] {
            let turn = builder.finish();
            assert_eq!((turn.calls().len(), turn.stopped()), (1, None));
            assert_eq!(super::codes(&results(&turn)), ["ok"]);
        }
    }
    for index in [json!(-1), json!(1.5), json!("0"), json!(null)] {
        let mut builder = TurnBuilder::new(Format::Anthropic, &names());
        builder.push(&json!({"type": "content_block_start", "index": index, "content_block": {}}));
        assert_eq!(builder.finish().stopped(), Some("an event does not say which block it is about"));
    }
}

type Event = fn(&str) -> Value;

#[test]
fn an_endless_stream_ends() {
    let piece = "x".repeat(1 << 20);
    let events: [(Format, Event); 4] = [
        (
            Format::OpenAiChat,
            |text| json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "list", "arguments": text}}]}}]}),
        ),
        (
            Format::Anthropic,
            |text| json!({"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta", "partial_json": text}}),
        ),
        (Format::Gemini, |text| json!({"candidates": [{"content": {"parts": [{"text": text}]}}]})),
        (
            Format::Bedrock,
            |text| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": text}}}}),
        ),
    ];
    for (format, event) in events {
        let turn = built(format, std::iter::repeat_n(&event(&piece), 64));
        assert_eq!(turn.stopped(), Some("the stream is longer than 16777216 bytes"), "{format}");
        assert!(turn.message().to_string().len() < 17 << 20);
        paired(&turn, &turn.exchange(&results(&turn)));
    }
}

#[test]
fn a_block_that_goes_on_after_its_end_has_not_ended() {
    let block = json!({"type": "tool_use", "id": "c1", "name": "purge", "input": {}});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let stop = json!({"type": "content_block_stop", "index": 0});
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}});
    for after in [&delta, &start] {
        let turn = built(Format::Anthropic, [&start, &stop, after]);
        assert!(turn.stopped().is_some());
        assert_eq!(super::codes(&results(&turn)), ["INVALID_ARGS"]);
    }
}

#[test]
fn a_stream_without_any_message_says_why_and_leaves_no_history() {
    let body = json!({"status": "completed", "output": [{"role": 3}, {}]});
    let turn = built(Format::OpenAiResponses, [&json!({"type": "response.completed", "response": body})]);
    assert!(turn.stopped().is_some_and(|why| why.contains("has no `type`")), "{turn:?}");
    assert!(turn.calls().is_empty() && turn.exchange(&[]).is_empty());
}
