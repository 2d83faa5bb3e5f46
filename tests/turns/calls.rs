//! What becomes of the calls in a response: ids, names, arguments, and calls that were cut off.

use serde_json::{Value, json};
use toolgate::provider::{Format, NameTable, Turn};

use super::{bodies::body, codes, ids, names, pairing::paired, read, results, run, world};

/// Those whose histories state ids.
const WITH_IDS: [Format; 6] = [
    Format::OpenAiChat,
    Format::DeepSeek,
    Format::OpenAiResponses,
    Format::Anthropic,
    Format::Bedrock,
    Format::GeminiJsonSchema,
];

#[test]
fn a_wire_name_becomes_the_registry_name_and_stays_in_the_history() {
    let names = names();
    let wire = names.wire_name("fs.read").expect("in the table");
    for format in Format::ALL {
        let turn = read(*format, &body(*format, &[("c1", wire, r#"{"path": "a"}"#)]));
        assert_eq!(turn.calls()[0].name(), "fs.read", "{format}");
        assert!(turn.message().to_string().contains(wire), "{format}");
        let results = results(&turn);
        assert_eq!(results[0].text(), "content of a", "{format}");
        if *format != Format::Mcp {
            assert_eq!(turn.text(), "Let me see.", "{format}");
        }
    }
}

#[test]
fn o_35_calls_that_share_an_id_are_two_calls_with_two_answers() {
    let wire = names().wire_name("fs.read").expect("in the table").to_owned();
    for (first, second, expected) in [
        ("call_0", "call_0", ["call_0", "call_0_2"]),
        ("", "", ["call_1", "call_2"]),
        ("", "call_1", ["call_2", "call_1"]),
    ] {
        let calls = [(first, wire.as_str(), r#"{"path": "a"}"#), (second, wire.as_str(), r#"{"path": "b"}"#)];
        for format in WITH_IDS {
            let turn = read(format, &body(format, &calls));
            assert_eq!(ids(&turn), expected, "{format}");
            let results = results(&turn);
            assert_eq!([results[0].text(), results[1].text()], ["content of a", "content of b"], "{format}");
            paired(&turn, &turn.exchange(&results));
            assert_eq!(ids(&read(format, &body(format, &calls))), expected, "the same again");
        }
    }
}

#[test]
fn gemini_without_ids_gets_none_back() {
    let turn = read(Format::Gemini, &body(Format::Gemini, &[("", "photo", "{}"), ("", "weather", "{}")]));
    let messages = turn.exchange(&results(&turn));
    assert!(!json!(messages).to_string().contains("\"id\""), "{messages:?}");
    assert_eq!(ids(&turn), ["call_1", "call_2"]);
}

#[test]
fn o_23_no_arguments_are_an_empty_object() {
    for text in ["", "   ", "null"] {
        let turn =
            read(Format::OpenAiChat, &body(Format::OpenAiChat, &[("c1", "purge", text), ("c2", "fs.read", text)]));
        let results = results(&turn);
        assert_eq!(codes(&results), ["ok", "INVALID_ARGS"]);
        assert!(results[1].text().contains("path"), "{}", results[1].text());
        assert_eq!(turn.message()["tool_calls"][0]["function"]["arguments"], "{}");
    }
    let absent = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "purge"}]});
    let turn = read(Format::Anthropic, &absent);
    assert_eq!(codes(&results(&turn)), ["ok"]);
    assert_eq!(turn.message()["content"][0]["input"], json!({}));
}

#[test]
fn o_39_an_object_sent_as_a_text_in_a_text_is_not_unwrapped() {
    let turn = read(Format::OpenAiChat, &body(Format::OpenAiChat, &[("c1", "purge", r#""{\"older_than_days\": 1}""#)]));
    assert_eq!(codes(&results(&turn)), ["INVALID_ARGS"]);
    let arguments = turn.message()["tool_calls"][0]["function"]["arguments"].as_str().expect("text");
    assert_eq!(arguments, r#"{"unreadable_arguments":"\"{\\\"older_than_days\\\": 1}\""}"#);
}

#[test]
fn o_44_unreadable_arguments_run_nothing_and_leave_a_history_that_parses() {
    let broken =
        [r#"{"older_than_days": 30,,}"#, "[1,2]", "\"text\"", r#"{"older_than_days": 1, "older_than_days": 2}"#];
    for format in Format::ALL {
        for text in broken {
            let (registry, count) = world::counting();
            let turn = read(*format, &body(*format, &[("c1", "purge", text)]));
            let repeated = text.matches("older").count() == 2;
            // A format that parses before we see it has lost the repetition.
            if repeated && !matches!(format, Format::OpenAiChat | Format::DeepSeek | Format::OpenAiResponses) {
                continue;
            }
            let results = run(&registry, &turn);
            assert_eq!(codes(&results), ["INVALID_ARGS"], "{format}: {text}");
            assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 0);
            paired(&turn, &turn.exchange(&results));
        }
    }
}

#[test]
fn text_for_an_object_and_an_object_for_text_are_taken_as_the_other_form() {
    let wire = names().wire_name("fs.read").expect("in the table").to_owned();
    let chat = json!({"role": "assistant", "content": null,
        "tool_calls": [{"id": "c1", "function": {"name": wire, "arguments": {"path": "a"}}}]});
    let turn = read(Format::OpenAiChat, &chat);
    assert_eq!(results(&turn)[0].text(), "content of a");
    let call = &turn.message()["tool_calls"][0];
    assert_eq!((&call["function"]["arguments"], &call["type"]), (&json!(r#"{"path":"a"}"#), &json!("function")));
    let block = json!({"type": "tool_use", "id": "t1", "name": wire, "input": r#"{"path": "a"}"#});
    let turn = read(Format::Anthropic, &json!({"content": [block]}));
    assert_eq!(results(&turn)[0].text(), "content of a");
    assert_eq!(turn.message()["content"][0]["input"], json!({"path": "a"}));
}

#[test]
fn a_limit_on_tokens_cuts_the_last_call_off_however_whole_it_looks() {
    type Cut = fn(&mut Value);
    let limits: [(Format, Cut, &str); 6] = [
        (Format::OpenAiChat, |body| body["choices"][0]["finish_reason"] = json!("length"), "length"),
        (Format::DeepSeek, |body| body["choices"][0]["finish_reason"] = json!("length"), "length"),
        (
            Format::OpenAiResponses,
            |body| {
                body["status"] = json!("incomplete");
                body["incomplete_details"] = json!({"reason": "max_output_tokens"});
            },
            "max_output_tokens",
        ),
        (Format::Anthropic, |body| body["stop_reason"] = json!("max_tokens"), "max_tokens"),
        (Format::Gemini, |body| body["candidates"][0]["finishReason"] = json!("MAX_TOKENS"), "MAX_TOKENS"),
        (Format::Bedrock, |body| body["stopReason"] = json!("max_tokens"), "max_tokens"),
    ];
    for (format, cut, reason) in limits {
        let mut body = body(format, &[("c1", "purge", r#"{"older_than_days": 1}"#), ("c2", "purge", "{}")]);
        cut(&mut body);
        let (registry, count) = world::counting();
        let turn = read(format, &body);
        assert_eq!(turn.stopped(), Some(reason));
        let results = run(&registry, &turn);
        assert_eq!(codes(&results), ["ok", "INVALID_ARGS"], "{format}");
        assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 1);
        assert!(results[1].text().contains("cut off"), "{}", results[1].text());
        paired(&turn, &turn.exchange(&results));
    }
}

#[test]
fn names_that_a_model_made_up_come_back_in_a_form_that_is_taken() {
    for (format, name, expected) in [
        (Format::OpenAiChat, "functions.read file", "functions_read_file"),
        (Format::Gemini, "functions.read file", "functions.read_file"),
        (Format::Anthropic, "", "unnamed"),
        (Format::Bedrock, "é", "_"),
    ] {
        let turn = read(format, &body(format, &[("c1", name, "{}")]));
        assert_eq!(turn.calls()[0].name(), name, "{format}");
        let results = results(&turn);
        assert_eq!(codes(&results), ["UNKNOWN_TOOL"]);
        assert!(turn.message().to_string().contains(&format!("\"{expected}\"")), "{}", turn.message());
        paired(&turn, &turn.exchange(&results));
    }
}

#[test]
fn a_message_is_found_in_whatever_it_comes_in() {
    let names = names();
    let chat = body(Format::OpenAiChat, &[("c1", "photo", "{}")]);
    let responses = body(Format::OpenAiResponses, &[("c1", "photo", "{}")]);
    let gemini = body(Format::Gemini, &[("c1", "photo", "{}")]);
    let bedrock = body(Format::Bedrock, &[("c1", "photo", "{}")]);
    for (format, found) in [
        (Format::OpenAiChat, &chat["choices"][0]),
        (Format::OpenAiChat, &chat["choices"][0]["message"]),
        (Format::OpenAiResponses, &responses["output"]),
        (Format::OpenAiResponses, &responses["output"][1]),
        (Format::Gemini, &json!({"response": gemini})),
        (Format::Gemini, &gemini["candidates"][0]["content"]),
        (Format::Bedrock, &bedrock["output"]),
        (Format::Bedrock, &bedrock["output"]["message"]),
        (Format::Mcp, &json!({"name": "photo"})),
        (Format::Mcp, &json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "photo"}})),
    ] {
        let turn = Turn::read(format, found, &names).unwrap_or_else(|e| panic!("{format}: {e}"));
        assert_eq!(turn.calls().len(), 1, "{format}: {found}");
        assert_eq!(
            turn.exchange(&[]).len(),
            usize::from(format != Format::Mcp) + turn.answer(&[]).len() + usize::from(found.get(0).is_some())
        );
    }
    for format in Format::ALL {
        for nothing in [json!(null), json!({}), json!("text"), json!({"error": {"message": "overloaded"}}), json!([[]])]
        {
            let error = Turn::read(*format, &nothing, &names).expect_err("no turn").to_string();
            assert!(
                !nothing.to_string().contains("overloaded") || *format == Format::Mcp || error.contains("overloaded"),
                "{error}"
            );
        }
    }
}

#[test]
fn o_29_names_that_look_alike_reach_their_own_tools() {
    let alike = ["read-file", "read_file", "read.file", "a.b__c", "a__b.c"];
    let (names, refused) = NameTable::portable(alike);
    assert!(refused.is_empty());
    let registry = toolgate::ToolRegistry::new();
    for name in alike {
        let body = move |_| async move { Ok(json!(name)) };
        registry.register(toolgate::tool(name).output(toolgate::OutputSpec::text()).body(body)).expect("a good tool");
    }
    for format in Format::ALL {
        let wires: Vec<_> = alike.iter().filter_map(|name| names.wire_name(name)).collect();
        let calls: Vec<_> = wires.iter().map(|wire| (*wire, *wire, "{}")).collect();
        let turn = Turn::read(*format, &body(*format, &calls), &names).expect("a turn");
        let texts: Vec<_> = run(&registry, &turn).iter().map(|result| result.text()).collect();
        assert_eq!(texts, alike, "{format}");
    }
}
