//! Results as each provider wants them: images, errors, data, and what there is no place for.

use serde_json::{Value, json};
use toolgate::provider::Format;

use super::{bodies::body, pairing::paired, read, results, run, texts, world};

/// The answers to one call of each of `tools`, with the ids c1, c2, ….
fn answers(format: Format, tools: &[&str]) -> Vec<Value> {
    let ids: Vec<String> = (1..=tools.len()).map(|n| format!("c{n}")).collect();
    let calls: Vec<_> = ids.iter().zip(tools).map(|(id, tool)| (id.as_str(), *tool, "{}")).collect();
    let turn = read(format, &body(format, &calls));
    let results = results(&turn);
    paired(&turn, &turn.exchange(&results));
    turn.answer(&results)
}

#[test]
fn o_34_images_follow_the_results_and_say_whose_they_are() {
    let messages = answers(Format::OpenAiChat, &["photo", "photo"]);
    let roles: Vec<_> = messages.iter().map(|m| m["role"].as_str().unwrap_or_default()).collect();
    assert_eq!(roles, ["tool", "tool", "user"]);
    assert_eq!(messages[0]["content"], "a photo\n[image 1 of call c1 follows the results]");
    let parts = messages[2]["content"].as_array().expect("parts");
    let url = json!(format!("data:image/png;base64,{}", world::PNG));
    assert_eq!(
        [&parts[0]["text"], &parts[2]["text"]],
        ["[image 1 of call c1 (photo)]", "[image 1 of call c2 (photo)]"]
    );
    assert_eq!([&parts[1]["image_url"]["url"], &parts[3]["image_url"]["url"]], [&url, &url]);

    let parts = answers(Format::Gemini, &["photo", "photo"]).remove(0)["parts"].take();
    let kinds: Vec<_> =
        parts.as_array().expect("parts").iter().filter_map(|part| part.as_object()?.keys().next()).collect();
    assert_eq!(kinds, ["functionResponse", "functionResponse", "text", "inlineData", "text", "inlineData"]);
    assert_eq!(
        [&parts[2]["text"], &parts[4]["text"]],
        ["[attachment 1 of call c1 (photo)]", "[attachment 1 of call c2 (photo)]"]
    );
}

#[test]
fn images_stand_in_the_result_where_there_is_a_place() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": world::PNG}});
    let content = &answers(Format::Anthropic, &["photo"])[0]["content"][0]["content"];
    assert_eq!(content, &json!([{"type": "text", "text": "a photo"}, image]));
    let output = &answers(Format::OpenAiResponses, &["photo"])[0]["output"];
    assert_eq!((&output[0]["type"], &output[1]["type"]), (&json!("input_text"), &json!("input_image")));
    let content = &answers(Format::Bedrock, &["photo"])[0]["content"][0]["toolResult"]["content"];
    assert_eq!(content[1], json!({"image": {"format": "png", "source": {"bytes": world::PNG}}}));
    let content = &answers(Format::Mcp, &["photo"])[0]["content"];
    assert_eq!(content[1], json!({"type": "image", "data": world::PNG, "mimeType": "image/png"}));
    // DeepSeek takes no images at all.
    let messages = answers(Format::DeepSeek, &["photo"]);
    assert_eq!(
        messages,
        [json!({"role": "tool", "tool_call_id": "c1", "content": "a photo\n[image image/png, 8 bytes, not shown]"})]
    );
}

#[test]
fn what_has_no_place_is_told_as_text() {
    for format in Format::ALL {
        let all = texts(&json!(answers(*format, &["record"])));
        assert!(all.contains("a.txt") && all.contains("file:///a.txt"), "{format}: {all}");
        assert!(all.contains("audio/wav"), "{format}: {all}");
        // An image that a provider would refuse the whole message for.
        assert!(all.contains("image/svg+xml"), "{format}: {all}");
        let played = matches!(format, Format::Gemini | Format::GeminiJsonSchema | Format::Mcp);
        assert_eq!(all.contains("[audio audio/wav, 4 bytes, not played]"), !played, "{format}: {all}");
    }
}

#[test]
fn an_error_is_one_in_every_format() {
    let message = &answers(Format::OpenAiChat, &["broken"])[0];
    assert_eq!(message["content"], "Error: no such host");
    let result = &answers(Format::Anthropic, &["broken"])[0]["content"][0];
    assert_eq!((&result["is_error"], &result["content"][0]["text"]), (&json!(true), &json!("Error: no such host")));
    let part = &answers(Format::Gemini, &["broken"])[0]["parts"][0];
    assert_eq!(part["functionResponse"]["response"], json!({"error": "Error: no such host"}));
    let content = &answers(Format::Bedrock, &["broken", "list"])[0]["content"];
    assert_eq!([&content[0]["toolResult"]["status"], &content[1]["toolResult"]["status"]], ["error", "success"]);
    assert_eq!(answers(Format::Mcp, &["broken"])[0]["isError"], true);
    assert_eq!(answers(Format::OpenAiResponses, &["broken"])[0]["output"], "Error: no such host");
}

#[test]
fn values_go_as_data_where_the_format_has_a_place() {
    let value = json!({"t": 21, "wind": "w"});
    let response = |tool| answers(Format::Gemini, &[tool])[0]["parts"][0]["functionResponse"]["response"].clone();
    assert_eq!(response("weather"), json!({"output": value}));
    assert_eq!(response("list"), json!({"output": [1, "two"]}));
    let content = |tool| answers(Format::Bedrock, &[tool])[0]["content"][0]["toolResult"]["content"].clone();
    assert_eq!(content("weather"), json!([{"json": value}]));
    assert_eq!(content("list"), json!([{"text": "[1,\"two\"]"}]), "only an object");
    let result = answers(Format::Mcp, &["weather", "list"]);
    assert_eq!(result[0]["structuredContent"], value);
    assert_eq!(result[0]["content"][0]["text"], "{\"t\":21,\"wind\":\"w\"}", "the text goes with it");
    assert_eq!(result[1].get("structuredContent"), None, "only an object");
}

/// A server that declares an output schema owes the data, however the tool renders them.
#[test]
fn mcp_gets_the_value_beside_the_tools_own_rendering() {
    let registry = toolgate::ToolRegistry::new();
    let rendered = toolgate::OutputSpec::json(json!({"type": "object"}))
        .render(|value| vec![toolgate::ContentBlock::text(format!("it is {}", value["t"]))]);
    let answer = |_| async { Ok(json!({"t": 21})) };
    registry.register(toolgate::tool("weather").output(rendered.clone()).max_text_bytes(3).body(answer)).expect("good");
    let hidden = toolgate::tool("hidden").output(rendered).body(answer);
    let hidden = hidden.finalize_content(|_| Some(vec![toolgate::ContentBlock::text("[redacted]")]));
    registry.register(hidden).expect("good");
    let turn = read(Format::Mcp, &body(Format::Mcp, &[("c1", "weather", "{}"), ("c2", "hidden", "{}")]));
    let results = run(&registry, &turn);
    assert_eq!(results.iter().map(|r| r.shows_value()).collect::<Vec<_>>(), [true, false]);
    let answers = turn.answer(&results);
    assert_eq!(answers[0]["structuredContent"], json!({"t": 21}));
    assert_eq!(answers[1].get("structuredContent"), None, "somebody had a reason");
}

#[test]
fn what_a_finalizer_took_out_does_not_come_back_as_data() {
    let wire = super::names().wire_name("secret.get").expect("in the table").to_owned();
    for format in Format::ALL {
        let all = json!(answers(*format, &[&wire])).to_string();
        assert!(all.contains("[redacted]") && !all.contains("hunter2"), "{format}: {all}");
    }
}

#[test]
fn nothing_is_told_as_something_and_a_context_names_its_source() {
    for format in Format::ALL {
        let turn =
            read(*format, &body(*format, &[("c1", "note", "{}"), ("c2", "silent", "{}"), ("c3", "broken", "{}")]));
        let registry = world::registry();
        registry.post_policy(world::Hush).expect("a good policy");
        let results = run(&registry, &turn);
        let messages = turn.exchange(&results);
        paired(&turn, &messages);
        let all = texts(&json!(messages));
        assert_eq!(all.matches("(no output)").count(), 2, "{format}: {all}");
        assert!(all.contains("[note on call c1 (note)]\nthe disk is nearly full"), "{format}: {all}");
        assert_eq!(all.matches("keep quiet").count(), 3, "{format}: {all}");
        // A failure whose text does not say so.
        let flagged = matches!(format, Format::OpenAiChat | Format::DeepSeek | Format::OpenAiResponses);
        assert_eq!(all.contains("Error: not today"), flagged, "{format}: {all}");
    }
}

#[test]
fn more_results_than_calls_are_left_out() {
    for format in Format::ALL {
        let turn = read(*format, &body(*format, &[("c1", "list", "{}")]));
        let mut results = results(&turn);
        let expected = turn.exchange(&results);
        results.push(results[0].clone());
        assert_eq!(turn.exchange(&results), expected);
    }
}
