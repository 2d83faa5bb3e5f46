//! Turns that end in another way than with an answer: a refusal, a pause; and names that a model was not told.

use serde_json::{Value, json};
use toolgate::provider::{Format, Turn, TurnBuilder};

use super::{bodies::body, names, read, results};

#[test]
fn a_refusal_is_no_answer() {
    let chat = |message: Value| json!({"choices": [{"finish_reason": "stop", "message": message}]});
    let refused = json!({"role": "assistant", "content": null, "refusal": "I will not."});
    let item =
        json!({"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]});
    let responses = json!({"status": "completed", "output": [item]});
    let anthropic =
        json!({"role": "assistant", "stop_reason": "refusal", "content": [{"type": "text", "text": "I will not."}]});
    for (format, body) in
        [(Format::OpenAiChat, chat(refused)), (Format::OpenAiResponses, responses), (Format::Anthropic, anthropic)]
    {
        let turn = read(format, &body);
        assert_eq!((turn.stopped(), turn.text()), (Some("refusal"), "I will not."), "{format}");
        assert!(turn.calls().is_empty());
    }
    let mut stream = TurnBuilder::new(Format::OpenAiChat, &names());
    for (delta, reason) in [(json!({"refusal": "I will "}), None), (json!({"refusal": "not."}), Some("stop"))] {
        stream.push(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}));
    }
    let turn = stream.finish();
    assert_eq!((turn.stopped(), turn.text()), (Some("refusal"), "I will not."));
}

#[test]
fn a_pause_is_told_and_nothing_in_it_is_half() {
    let mut paused = body(Format::Anthropic, &[("c1", "purge", "{}")]);
    paused["stop_reason"] = json!("pause_turn");
    let turn = read(Format::Anthropic, &paused);
    assert_eq!(turn.stopped(), Some("pause_turn"));
    assert!(results(&turn)[0].is_success(), "the call is whole");
}

/// A model reads its own calls, and writes what it reads.
#[test]
fn a_tool_called_by_its_own_name_stands_in_the_history_by_its_wire_name() {
    let names = names();
    let wire = names.wire_name("fs.read").expect("in the table");
    for format in Format::ALL.iter().filter(|format| **format != Format::Mcp) {
        let first = read(*format, &body(*format, &[("c1", "fs.read", r#"{"path": "a"}"#)]));
        assert_eq!(first.calls()[0].name(), "fs.read", "{format}");
        assert!(first.message().to_string().contains(wire), "{format}: {}", first.message());
        let again = Turn::read(*format, first.message(), &names).expect("a turn");
        assert_eq!(again.calls()[0].name(), "fs.read", "{format}");
    }
}
