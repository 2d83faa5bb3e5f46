//! Streams: any split gives the same turn, and what is broken off never runs.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate::provider::{Format, SseDecoder, Turn, TurnBuilder};

use super::{
    Call,
    bodies::{body, events},
    built, codes, names,
    pairing::paired,
    read, results, run, world,
};

fn whole(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

/// Two turns that mean the same: calls with the same results, and the same history.
fn same(one: &Turn, other: &Turn) {
    let (of_one, of_other) = (results(one), results(other));
    assert_eq!(json!(one.exchange(&of_one)), json!(other.exchange(&of_other)), "{}", one.format());
    assert_eq!((one.text(), one.stopped()), (other.text(), other.stopped()), "{}", one.format());
    let told = |results: &[std::sync::Arc<toolgate::ToolResult>]| results.iter().map(|r| r.text()).collect::<Vec<_>>();
    assert_eq!(told(&of_one), told(&of_other), "{}", one.format());
}

const CALLS: [Call<'static>; 3] =
    [("c1", "photo", "{}"), ("c2", "purge", r#"{"older_than_days": 30, "é\n": "ü"}"#), ("c3", "weather", "{ }")];

#[test]
fn a_stream_gives_what_the_whole_response_gives() {
    for format in Format::ALL {
        same(&built(*format, &events(*format, &CALLS, &whole)), &read(*format, &body(*format, &CALLS)));
    }
}

/// `text`, taken apart before the characters with these numbers.
fn split(text: &str, at: &[usize]) -> Vec<String> {
    let mut out = vec![String::new()];
    for (i, c) in text.chars().enumerate() {
        if at.contains(&i) {
            out.push(String::new());
        }
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_split_of_the_texts_gives_the_same_turn(
        at in prop::collection::vec(0_usize..40, 0..12),
        text in prop_oneof![
            Just(CALLS[1].2.to_owned()),
            Just(r#"{"older_than_days": 1, "older_than_days": 2}"#.to_owned()),
            Just(r#"{"older_than_days": 30,,}"#.to_owned()),
            "\\PC{0,40}",
        ],
        format in prop::sample::select(Format::ALL),
    ) {
        let calls = [CALLS[0], ("c2", "purge", text.as_str()), CALLS[2]];
        let one = built(format, &events(format, &calls, &whole));
        let other = built(format, &events(format, &calls, &|text| split(text, &at)));
        same(&one, &other);
        prop_assert_eq!(one.stopped(), None);
        paired(&other, &other.exchange(&results(&other)));
    }
}

#[test]
fn a_stream_that_breaks_off_anywhere_runs_no_call_whose_end_it_has_not_shown() {
    let calls = [("c1", "purge", "{}"), ("c2", "purge", r#"{"older_than_days": 1}"#)];
    for format in Format::ALL.iter().filter(|format| **format != Format::Mcp) {
        let events = events(*format, &calls, &|text| split(text, &[2, 7]));
        let finished = events.iter().position(is_end).expect("an end");
        let mut most = 0;
        for upto in 0..events.len() {
            let (registry, count) = world::counting();
            let turn = built(*format, &events[..upto]);
            let results = run(&registry, &turn);
            let ran = count.load(std::sync::atomic::Ordering::SeqCst);
            assert!(
                upto > finished || ran < turn.calls().len().max(1),
                "{format}: the last call ran after {upto} events"
            );
            assert_eq!(turn.stopped().is_some(), upto <= finished, "{format}: {upto} of {}", events.len());
            paired(&turn, &turn.exchange(&results));
            most = most.max(turn.calls().len());
        }
        assert_eq!(most, 2, "{format}");
    }
}

/// Whether the event says that the message is at its end.
fn is_end(event: &Value) -> bool {
    let candidate = &event["candidates"][0]["finishReason"];
    event["choices"][0]["finish_reason"].is_string()
        || event["type"] == "response.completed"
        || event["type"] == "message_delta"
        || event.get("messageStop").is_some()
        || candidate.is_string()
}

#[test]
fn a_limit_on_tokens_cuts_off_the_last_call_of_a_stream() {
    let mut all = events(Format::Anthropic, &CALLS, &whole);
    let at = all.len() - 2;
    all[at]["delta"]["stop_reason"] = json!("max_tokens");
    let turn = built(Format::Anthropic, &all);
    assert_eq!((codes(&results(&turn)), turn.stopped()), (vec!["ok", "ok", "INVALID_ARGS"], Some("max_tokens")));
}

#[test]
fn an_error_in_a_stream_is_told_and_ends_it() {
    for (format, error) in [
        (Format::Anthropic, json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})),
        (Format::OpenAiChat, json!({"error": {"message": "Overloaded"}})),
        (Format::OpenAiResponses, json!({"type": "error", "message": "Overloaded"})),
        (Format::OpenAiResponses, json!({"type": "response.failed", "response": {"error": {"message": "Overloaded"}}})),
        (Format::Gemini, json!({"error": {"message": "Overloaded", "code": 503}})),
        (Format::Bedrock, json!({"throttlingException": {"message": "Overloaded"}})),
    ] {
        let mut all = events(format, &CALLS, &whole);
        all.insert(all.len() / 2, error);
        let turn = built(format, &all);
        let why = turn.stopped().unwrap_or_default();
        assert!(why.contains("Overloaded") || why.contains("throttlingException"), "{format}: {why}");
        paired(&turn, &turn.exchange(&results(&turn)));
    }
}

#[test]
fn servers_that_give_every_call_the_index_0_or_none_send_two_calls() {
    for index in [json!({"index": 0}), json!({})] {
        let piece = |id: &str, name: &str, text: &str| {
            let mut call = index.clone();
            call["id"] = json!(id);
            call["function"] = json!({"name": name, "arguments": text});
            json!({"choices": [{"delta": {"tool_calls": [call]}}]})
        };
        // The second piece repeats id and name, as some do.
        let all = [
            piece("a", "purge", "{\"older_than"),
            piece("a", "purge", "_days\": 1}"),
            piece("b", "weather", "{}"),
            json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        ];
        let turn = built(Format::OpenAiChat, &all);
        assert_eq!(super::ids(&turn), ["a", "b"]);
        assert_eq!(codes(&results(&turn)), ["ok", "ok"]);
    }
}

#[test]
fn signed_thoughts_are_kept_whole_or_not_at_all() {
    let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let all = [
        start,
        delta(json!({"type": "thinking_delta", "thinking": "h"})),
        delta(json!({"type": "thinking_delta", "thinking": "m"})),
        delta(json!({"type": "signature_delta", "signature": "sig"})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
    ];
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "sig"});
    assert_eq!(built(Format::Anthropic, &all).message()["content"], json!([thought]));
    assert_eq!(built(Format::Anthropic, &all[..4]).message()["content"][0]["text"], "(nothing)");
    let signed = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"text": "a"}, {"text": "b", "thoughtSignature": "s"}, {"text": "c"}]}}]});
    let turn = built(Format::Gemini, &[signed]);
    assert_eq!(turn.message()["parts"].as_array().map(Vec::len), Some(3), "a signature holds for its own part");
    assert_eq!(turn.text(), "abc");
}

#[test]
fn the_same_over_server_sent_events() {
    let all = events(Format::OpenAiChat, &CALLS, &|text| split(text, &[3]));
    let mut bytes: Vec<u8> = all.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect();
    bytes.extend(b"data: [DONE]\n\n");
    for size in [1, 7, 4096] {
        let (mut decoder, mut builder) = (SseDecoder::new(), TurnBuilder::new(Format::OpenAiChat, &names()));
        for piece in bytes.chunks(size) {
            for data in decoder.push(piece).expect("short") {
                builder.push_text(&data);
            }
        }
        same(&builder.finish(), &read(Format::OpenAiChat, &body(Format::OpenAiChat, &CALLS)));
    }
    let mut builder = TurnBuilder::new(Format::OpenAiChat, &names());
    builder.push_text("{\"choices\": ");
    assert_eq!(builder.finish().stopped(), Some("an event is no JSON"));
}

/// Chunks with these deltas, and the reason to finish in the last one, if it is given.
fn chunks(deltas: &[Value], finish: Option<&str>) -> Turn {
    let mut builder = TurnBuilder::new(Format::OpenAiChat, &names());
    for (i, delta) in deltas.iter().enumerate() {
        let reason = finish.filter(|_| i + 1 == deltas.len());
        builder.push(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}));
    }
    builder.finish()
}

fn piece(index: Option<u64>, id: &str, name: &str, arguments: &Value) -> Value {
    let mut piece = json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    if let Some(index) = index {
        piece["index"] = json!(index);
    }
    json!({"tool_calls": [piece]})
}

#[test]
fn an_empty_reason_to_finish_ends_nothing() {
    let mut builder = TurnBuilder::new(Format::OpenAiChat, &names());
    let delta = piece(Some(0), "c1", "purge", &json!(""));
    builder.push(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": ""}]}));
    let turn = builder.finish();
    assert!(turn.stopped().is_some());
    assert_eq!(codes(&results(&turn)), ["INVALID_ARGS"], "it is not known to be whole");
}

#[test]
fn a_further_name_begins_a_further_call() {
    let empty = json!("");
    let second = json!(r#"{"path": "b"}"#);
    let wire = names().wire_name("fs.read").expect("in the table").to_owned();
    let together = json!({"tool_calls": [
        {"function": {"name": "purge", "arguments": ""}},
        {"function": {"name": wire, "arguments": r#"{"path": "b"}"#}},
    ]});
    for deltas in [
        vec![piece(Some(0), "", "purge", &empty), piece(Some(0), "", &wire, &second)],
        vec![piece(None, "", "purge", &empty), piece(None, "", &wire, &second)],
        vec![together],
    ] {
        let turn = chunks(&deltas, Some("tool_calls"));
        let called: Vec<_> = turn.calls().iter().map(toolgate::ToolCall::name).collect();
        assert_eq!(called, ["purge", "fs.read"], "{deltas:?}");
        let results = results(&turn);
        assert_eq!(results[1].text(), "content of b");
        paired(&turn, &turn.exchange(&results));
    }
    // A name that is said again is the same call's.
    let again = [piece(Some(0), "c1", &wire, &json!(r#"{"path":"#)), piece(Some(0), "c1", &wire, &json!(r#" "a"}"#))];
    assert_eq!(results(&chunks(&again, Some("tool_calls")))[0].text(), "content of a");
}

#[test]
fn arguments_that_came_twice_are_nobodys() {
    let twice = [piece(Some(0), "c1", "purge", &json!({"older_than_days": 1})), piece(Some(0), "c1", "", &json!({}))];
    assert_eq!(codes(&results(&chunks(&twice, Some("tool_calls")))), ["INVALID_ARGS"]);
    let once = [piece(Some(0), "c1", "purge", &json!({"older_than_days": 1}))];
    assert_eq!(codes(&results(&chunks(&once, Some("tool_calls")))), ["ok"]);
}
