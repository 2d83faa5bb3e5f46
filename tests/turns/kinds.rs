//! Calls of other kinds than functions: each ends in an error result, and is answered as its kind wants.

use serde_json::json;
use toolgate::provider::Format;

use super::{codes, read, results};

#[test]
fn a_custom_tool_call_is_answered_and_never_run_as_arguments() {
    let calls = json!([{"id": "c1", "type": "custom", "custom": {"name": "purge", "input": "{\"older_than_days\": 1}"}},
        {"id": "c2", "type": "telepathy", "telepathy": {"name": "purge"}}]);
    let turn = read(Format::OpenAiChat, &json!({"role": "assistant", "content": null, "tool_calls": calls}));
    let results = results(&turn);
    assert_eq!(codes(&results), ["INVALID_ARGS", "INVALID_ARGS"]);
    let messages = turn.exchange(&results);
    assert_eq!(messages[0]["tool_calls"], calls);
    assert_eq!([&messages[1]["tool_call_id"], &messages[2]["tool_call_id"]], ["c1", "c2"]);
}

#[test]
fn the_function_call_of_old_is_answered_by_name() {
    let message =
        json!({"role": "assistant", "content": null, "function_call": {"name": "weather", "arguments": "{}"}});
    let turn = read(Format::OpenAiChat, &json!({"choices": [{"message": message, "finish_reason": "function_call"}]}));
    let messages = turn.exchange(&results(&turn));
    assert_eq!(messages[0]["function_call"]["name"], "weather");
    assert_eq!(messages[1], json!({"role": "function", "name": "weather", "content": "{\"t\":21,\"wind\":\"w\"}"}));
}

#[test]
fn items_of_responses_are_answered_in_the_form_of_their_kind() {
    let items = json!([
        {"type": "reasoning", "id": "rs1", "summary": []},
        {"type": "web_search_call", "id": "ws1", "status": "completed"},
        {"type": "custom_tool_call", "call_id": "c1", "name": "purge", "input": "{}"},
        {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
        {"type": "local_shell_call", "call_id": "c3", "action": {"command": ["ls"]}},
        {"type": "apply_patch_call", "call_id": "c4", "operation": {"type": "delete_file", "path": "a"}},
        {"type": "computer_call", "call_id": "c5", "action": {"type": "click"}},
        {"type": "mcp_approval_request", "id": "c6", "name": "purge", "arguments": "{}", "server_label": "s"},
        {"type": "telepathy_call", "call_id": "c7"},
        {"type": "tool_search_call", "call_id": "c8", "execution": "client", "arguments": {}},
        {"type": "function_call", "call_id": "c9", "name": "purge", "arguments": "{}", "status": "incomplete"}
    ]);
    let turn = read(Format::OpenAiResponses, &json!({"status": "completed", "output": items}));
    assert_eq!(turn.message(), &items, "nothing in it had to be changed");
    let results = results(&turn);
    assert!(results.iter().all(|result| !result.is_success()), "{:?}", codes(&results));
    let answers = turn.answer(&results);
    let kinds: Vec<_> = answers.iter().map(|item| item["type"].as_str().unwrap_or_default()).collect();
    let expected = [
        "custom_tool_call_output",
        "shell_call_output",
        "local_shell_call_output",
        "apply_patch_call_output",
        "computer_call_output",
        "mcp_approval_response",
        "function_call_output",
        "tool_search_output",
        "function_call_output",
        "message",
    ];
    assert_eq!(kinds, expected);
    let id = |i: usize| {
        answers[i]
            .get("call_id")
            .or_else(|| answers[i].get("approval_request_id"))
            .or_else(|| answers[i].get("id"))
            .cloned()
    };
    let ids: Vec<_> = (0..9).filter_map(id).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"]);
    assert_eq!(answers[5]["approve"], false);
    assert_eq!(answers[3]["status"], "failed");
    assert_eq!(answers[1]["output"][0]["outcome"]["exit_code"], 1);
}

#[test]
fn what_a_provider_does_itself_wants_no_answer() {
    let content = json!([{"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "text", "text": "found"}, {"type": "text", "text": " \n"}]);
    let turn = read(Format::Anthropic, &json!({"content": content, "stop_reason": "end_turn"}));
    assert_eq!((turn.calls().len(), turn.text()), (0, "found"));
    assert_eq!(turn.message()["content"].as_array().map(Vec::len), Some(3), "the blank text is gone");
    assert!(turn.answer(&[]).is_empty());
    let turn = read(Format::Anthropic, &json!({"content": []}));
    assert_eq!(turn.message()["content"][0]["text"], "(nothing)");
}
