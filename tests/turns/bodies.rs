//! What each provider sends for the same calls: whole, and as the events of a stream.

use serde_json::{Value, json};
use toolgate::provider::Format;

use super::Call;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// A whole response with `calls`, and the text "Let me see." before them.
pub(crate) fn body(format: Format, calls: &[Call<'_>]) -> Value {
    let list = |one: fn(&Call<'_>) -> Value| calls.iter().map(one).collect::<Vec<Value>>();
    let with = |first: Value, mut rest: Vec<Value>| {
        rest.insert(0, first);
        rest
    };
    match format {
        Format::OpenAiChat | Format::DeepSeek => {
            let calls = list(
                |(id, name, text)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": text}}),
            );
            let message = json!({"role": "assistant", "content": "Let me see.", "refusal": null, "tool_calls": calls});
            json!({"id": "r1", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
                "usage": {"total_tokens": 3}})
        }
        Format::OpenAiResponses => {
            let calls = list(|(id, name, text)| {
                json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
                "arguments": text, "status": "completed"})
            });
            let message = json!({"type": "message", "id": "m1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]});
            json!({"id": "r1", "object": "response", "status": "completed", "error": null, "output": with(message, calls)})
        }
        Format::Anthropic => {
            let calls =
                list(|(id, name, text)| json!({"type": "tool_use", "id": id, "name": name, "input": parsed(text)}));
            json!({"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
                "content": with(json!({"type": "text", "text": "Let me see."}), calls), "usage": {"output_tokens": 3}})
        }
        Format::Gemini | Format::GeminiJsonSchema => {
            let calls = list(|(id, name, text)| {
                let mut call = json!({"name": name, "args": parsed(text)});
                if !id.is_empty() {
                    call["id"] = json!(id);
                }
                json!({"functionCall": call})
            });
            json!({"candidates": [{"finishReason": "STOP", "index": 0,
                "content": {"role": "model", "parts": with(json!({"text": "Let me see."}), calls)}}]})
        }
        Format::Bedrock => {
            let calls =
                list(|(id, name, text)| json!({"toolUse": {"toolUseId": id, "name": name, "input": parsed(text)}}));
            json!({"output": {"message": {"role": "assistant", "content": with(json!({"text": "Let me see."}), calls)}},
                "stopReason": "tool_use", "usage": {"totalTokens": 3}})
        }
        Format::Mcp => Value::Array(list(|(id, name, text)| {
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": parsed(text)}})
        })),
        other => panic!("no bodies of {other}"),
    }
}

/// The events of a stream with the same; `pieces` takes texts apart.
pub(crate) fn events(format: Format, calls: &[Call<'_>], pieces: &dyn Fn(&str) -> Vec<String>) -> Vec<Value> {
    match format {
        Format::OpenAiChat | Format::DeepSeek => chat(calls, pieces),
        Format::OpenAiResponses => responses(calls, pieces),
        Format::Anthropic => anthropic(calls, pieces),
        Format::Bedrock => bedrock(calls, pieces),
        Format::Gemini | Format::GeminiJsonSchema => gemini(format, calls, pieces),
        _ => body(format, calls).as_array().expect("a list").clone(),
    }
}

fn chat(calls: &[Call<'_>], pieces: &dyn Fn(&str) -> Vec<String>) -> Vec<Value> {
    let chunk = |delta: Value| json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut out = vec![chunk(json!({"role": "assistant", "content": ""}))];
    out.extend(pieces("Let me see.").into_iter().map(|text| chunk(json!({"content": text}))));
    for (index, (id, name, text)) in calls.iter().enumerate() {
        out.push(chunk(json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]})));
        let piece = |text| chunk(json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]}));
        out.extend(pieces(text).into_iter().map(piece));
    }
    out.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    out.push(json!({"choices": [], "usage": {"total_tokens": 3}}));
    out
}

fn responses(calls: &[Call<'_>], pieces: &dyn Fn(&str) -> Vec<String>) -> Vec<Value> {
    let whole = body(Format::OpenAiResponses, calls);
    let mut out = vec![
        json!({"type": "response.created", "response": {"id": "r1", "status": "in_progress", "error": null, "output": []}}),
    ];
    for (index, item) in whole["output"].as_array().expect("items").iter().enumerate() {
        let mut added = item.clone();
        let (kind, text) = match item["arguments"].as_str() {
            Some(text) => ("response.function_call_arguments", text),
            None => ("response.output_text", "Let me see."),
        };
        added["status"] = json!("in_progress");
        added[if item["arguments"].is_string() { "arguments" } else { "content" }] = json!("");
        out.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
        let delta = |text| json!({"type": format!("{kind}.delta"), "output_index": index, "item_id": item["id"], "delta": text});
        out.extend(pieces(text).into_iter().map(delta));
        out.push(json!({"type": format!("{kind}.done"), "output_index": index, "item_id": item["id"], "arguments": text, "text": text}));
        out.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    out.push(json!({"type": "response.completed", "response": whole}));
    out
}

fn anthropic(calls: &[Call<'_>], pieces: &dyn Fn(&str) -> Vec<String>) -> Vec<Value> {
    let mut out = vec![
        json!({"type": "message_start", "message": {"id": "m1", "role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "ping"}),
    ];
    let delta = |index: usize, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    out.extend(pieces("Let me see.").into_iter().map(|text| delta(0, json!({"type": "text_delta", "text": text}))));
    out.push(json!({"type": "content_block_stop", "index": 0}));
    for (i, (id, name, text)) in calls.iter().enumerate() {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        out.push(json!({"type": "content_block_start", "index": i + 1, "content_block": block}));
        let piece = |text| delta(i + 1, json!({"type": "input_json_delta", "partial_json": text}));
        out.extend(pieces(text).into_iter().map(piece));
        out.push(json!({"type": "content_block_stop", "index": i + 1}));
    }
    out.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}));
    out.push(json!({"type": "message_stop"}));
    out
}

fn bedrock(calls: &[Call<'_>], pieces: &dyn Fn(&str) -> Vec<String>) -> Vec<Value> {
    let mut out = vec![json!({"messageStart": {"role": "assistant"}})];
    let delta = |index: usize, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}});
    out.extend(pieces("Let me see.").into_iter().map(|text| delta(0, json!({"text": text}))));
    out.push(json!({"contentBlockStop": {"contentBlockIndex": 0}}));
    for (i, (id, name, text)) in calls.iter().enumerate() {
        let start = json!({"toolUse": {"toolUseId": id, "name": name}});
        out.push(json!({"contentBlockStart": {"contentBlockIndex": i + 1, "start": start}}));
        out.extend(pieces(text).into_iter().map(|text| delta(i + 1, json!({"toolUse": {"input": text}}))));
        out.push(json!({"contentBlockStop": {"contentBlockIndex": i + 1}}));
    }
    out.push(json!({"messageStop": {"stopReason": "tool_use"}}));
    out.push(json!({"metadata": {"usage": {"totalTokens": 3}}}));
    out
}

fn gemini(format: Format, calls: &[Call<'_>], pieces: &dyn Fn(&str) -> Vec<String>) -> Vec<Value> {
    let chunk = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]});
    let whole = body(format, calls);
    let parts = whole["candidates"][0]["content"]["parts"].as_array().expect("parts");
    let mut out: Vec<Value> = pieces("Let me see.").into_iter().map(|text| chunk(json!({"text": text}))).collect();
    out.extend(parts[1..].iter().cloned().map(chunk));
    out.push(json!({"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}));
    out
}
