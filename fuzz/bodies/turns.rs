//! What holds for every turn, wherever it comes from.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use toolgate::{
    BatchOptions, ContentBlock, OutputSpec, ToolCall, ToolRegistry, ToolResult,
    provider::{Format, NameTable, Turn},
    tool,
};

/// The format that the first byte of an input chooses, and the rest of it.
pub(crate) fn chosen(data: &[u8]) -> Option<(Format, &[u8])> {
    let (first, rest) = data.split_first()?;
    Some((Format::ALL[usize::from(*first) % Format::ALL.len()], rest))
}

/// A table with a name that is not portable.
pub(crate) fn names() -> NameTable {
    NameTable::portable(["read", "fs.photo"]).0
}

/// Runs the calls, and checks that each is answered once, whatever results there are.
pub(crate) fn check(turn: &Turn) {
    let ids: BTreeSet<_> = turn.calls().iter().map(ToolCall::id).collect();
    assert_eq!(ids.len(), turn.calls().len(), "an id is there twice: {ids:?}");
    assert!(turn.calls().len() <= 256);
    let results = results(turn);
    if turn.stopped().is_some()
        && let Some(last) = results.last()
    {
        assert!(!last.is_success(), "the last call of a turn that was stopped ran");
    }
    for some in [results.len(), results.len() / 2, 0] {
        let messages = turn.exchange(&results[..some]);
        let answers = answers(turn.format(), &turn.answer(&results[..some]));
        assert_eq!(answers, turn.calls().len(), "{}: {}", turn.format(), json!(messages));
        if turn.format() != Format::Mcp && turn.format() != Format::OpenAiResponses && *turn.message() != Value::Null {
            again(turn, &messages[0]);
        }
    }
}

/// A history is read back as the same calls.
fn again(turn: &Turn, message: &Value) {
    let read =
        Turn::read(turn.format(), message, &names()).unwrap_or_else(|e| panic!("{}: {e}: {message}", turn.format()));
    let names_of = |turn: &Turn| turn.calls().iter().map(|call| call.id().to_owned()).collect::<Vec<_>>();
    assert_eq!(names_of(&read), names_of(turn), "{}: {message}", turn.format());
    assert_eq!(read.message(), message, "{}: what has been mended stays as it is", turn.format());
}

fn results(turn: &Turn) -> Vec<Arc<ToolResult>> {
    let registry = ToolRegistry::new();
    let shown = OutputSpec::any().render(|_| vec![ContentBlock::text(" "), ContentBlock::image("aGk=", "image/png")]);
    registry
        .register(tool("read").output(OutputSpec::any()).body(|cx| async move { Ok(cx.arguments().clone()) }))
        .expect("good");
    registry.register(tool("fs.photo").output(shown).body(|_| async { Ok(json!(1)) })).expect("good");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(registry.execute_batch(turn.calls().to_vec(), BatchOptions::new()))
}

/// How many calls `messages` answer.
fn answers(format: Format, messages: &[Value]) -> usize {
    let inside = |list: &str, is_one: fn(&Value) -> bool| {
        messages.iter().flat_map(|m| m[list].as_array().into_iter().flatten()).filter(|item| is_one(item)).count()
    };
    match format {
        Format::OpenAiChat | Format::DeepSeek => {
            messages.iter().filter(|m| m["role"] == "tool" || m["role"] == "function").count()
        }
        Format::OpenAiResponses => messages
            .iter()
            .filter(|item| {
                item.get("call_id").is_some()
                    || item.get("approval_request_id").is_some()
                    || item["type"] == "local_shell_call_output"
            })
            .count(),
        Format::Anthropic => inside("content", |block| block["type"] == "tool_result"),
        Format::Bedrock => inside("content", |block| block.get("toolResult").is_some()),
        Format::Gemini | Format::GeminiJsonSchema => inside("parts", |part| part.get("functionResponse").is_some()),
        _ => messages.len(),
    }
}
