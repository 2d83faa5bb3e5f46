//! One answer of a model: its calls, its text, and what goes into the history.

mod answer;
mod blocks;
mod chat;
mod error;
mod gemini;
mod ids;
mod input;
mod limits;
mod mcp;
mod raw;
mod responses;
mod wire_name;

use std::sync::Arc;

use serde_json::Value;

pub use error::TurnError;
pub(crate) use limits::{MOST_CALLS, MOST_LEVELS, STREAM_BYTES, deeper_than, weight};
pub(crate) use mcp::read_one as read_request;
pub(crate) use raw::reported;

use crate::{
    ToolCall, ToolResult,
    provider::{
        Format, NameTable,
        turn::raw::{Kind, Patch, Raw},
    },
};

/// One answer of a model, read: the calls in it, and what belongs into the history with their results.
///
/// A turn is read from a response, [`Turn::read`], or put together from a stream, [`TurnBuilder`](super::TurnBuilder). Its calls
/// go to [`execute_batch`](crate::ToolRegistry::execute_batch), and [`exchange`](Turn::exchange) gives all messages that the history is
/// to get: the assistant's, and one answer for every call in it, whatever became of it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use serde_json::json;
/// use toolgate::{BatchOptions, OutputSpec, ToolRegistry, provider::{Format, NameTable, Turn}, tool};
///
/// let registry = ToolRegistry::new();
/// registry.register(tool("clock.now").output(OutputSpec::text()).body(|_| async { Ok(json!("noon")) }))?;
/// let (names, _) = NameTable::portable(["clock.now"]);
/// let wire = names.wire_name("clock.now").expect("in the table");
///
/// // What a server answered.
/// let response = json!({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
///     "tool_calls": [{"id": "c1", "type": "function", "function": {"name": wire, "arguments": ""}}]}}]});
/// let turn = Turn::read(Format::OpenAiChat, &response, &names)?;
/// assert_eq!(turn.calls()[0].name(), "clock.now");
///
/// let results = registry.execute_batch(turn.calls().to_vec(), BatchOptions::new()).await;
/// let mut messages = vec![json!({"role": "user", "content": "What time is it?"})];
/// messages.extend(turn.exchange(&results));
/// assert_eq!(messages[1]["tool_calls"][0]["id"], "c1");
/// assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": "c1", "content": "noon"}));
/// # Ok(())
/// # }
/// ```
///
/// # What is read
///
/// - Arguments that come as text go to [`ToolCall::from_model`] untouched, those that come as JSON to
///   [`ToolCall::with_arguments`], whichever of the two the format has.
/// - Every call has an id of its own. A missing or repeated one is replaced, depending on nothing but the message, in the calls and
///   in the history alike. It is unique within the message.
/// - A wire name becomes the registry name that the table has for it; one that is in no table goes through as it is, and
///   the registry says whether there is such a tool. The table is no permission; restrictions and guards are.
/// - When the model was stopped before it was done, by a limit on tokens for instance, the last call becomes a
///   [`ToolCall::cut_off`]: it may look whole and not be. [`stopped`](Turn::stopped) says why, also where a model refuses.
/// - Calls of another kind than functions, such as custom tools of `OpenAI`, end in `INVALID_ARGS` at the latest, and are
///   answered in the way of their kind.
///
/// # What goes into the history
///
/// The message as it came, but for what a provider would refuse to see again: ids and names are those of the calls, and
/// arguments that are no JSON object are kept as the text of `unreadable_arguments` in one.
///
/// # Limits
///
/// 256 calls in a message, 128 levels of nesting. What is above is an error, and nothing runs.
#[derive(Clone, Debug)]
pub struct Turn {
    format: Format,
    message: Value,
    text: String,
    calls: Vec<ToolCall>,
    /// What an answer needs to know of each call.
    wire: Vec<WireCall>,
    stopped: Option<String>,
}

/// A call as the history has it.
#[derive(Clone, Debug)]
pub(crate) struct WireCall {
    pub(crate) id: String,
    /// Whether the history states the id.
    pub(crate) stated: bool,
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// Anthropic's word for a turn that goes on when it is sent back as it is: nothing in it is half.
const PAUSED: &str = "pause_turn";

impl Turn {
    /// Reads a whole response, or the assistant's message in it; which of the two is seen by its members. For MCP it is a
    /// `tools/call` request, its parameters, or a list of them.
    ///
    /// Of several choices or candidates it is the first.
    ///
    /// # Errors
    ///
    /// If there is no such message in `body`, such as where the provider reports an error, or if it is beyond a limit.
    pub fn read(format: Format, body: &Value, names: &NameTable) -> Result<Self, TurnError> {
        if deeper_than(body, MOST_LEVELS) {
            return Err(TurnError::TooDeep { levels: MOST_LEVELS });
        }
        let raw = raw::bounded(read(format, body)?)?;
        Ok(Self::settled(format, raw, names))
    }

    /// A turn from a body that a stream was put together to. `cut` says which of its calls did not end; `broken` why the
    /// stream did not.
    pub(crate) fn assembled(
        format: Format,
        body: &Value,
        cut: &[bool],
        broken: Option<String>,
        names: &NameTable,
    ) -> Self {
        let nothing = |error: TurnError| {
            let stopped = Some(error.to_string());
            Raw { message: Value::Null, text: String::new(), calls: Vec::new(), stopped }
        };
        let mut raw = read(format, body).unwrap_or_else(nothing);
        for (call, cut) in raw.calls.iter_mut().zip(cut) {
            call.cut |= cut;
        }
        raw.stopped = broken.or(raw.stopped);
        Self::settled(format, raw, names)
    }

    fn settled(format: Format, mut raw: Raw, names: &NameTable) -> Self {
        if let (Some(reason), Some(last)) = (&raw.stopped, raw.calls.last_mut()) {
            last.cut |= reason != PAUSED;
        }
        let ids = ids::settle(&raw.calls);
        // Gemini pairs by order and name where there are no ids.
        let by_order = matches!(format, Format::Gemini | Format::GeminiJsonSchema);
        let stated = !by_order || raw.calls.iter().any(|call| call.id.is_some());
        let (mut calls, mut wire) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
        for (call, id) in raw.calls.iter().zip(ids) {
            let name = wire_name::in_history(format, names, &call.name);
            let patched = Patch {
                at: call.at,
                id: stated.then_some(id.as_str()),
                name: &name,
                input: &call.input,
                kind: call.kind,
            };
            patch(format, &mut raw.message, &patched);
            calls.push(call.input.call(&id, names.registry_name(&call.name).unwrap_or(&call.name), call.cut));
            wire.push(WireCall { id, stated, name, kind: call.kind });
        }
        Self { format, message: raw.message, text: raw.text, calls, wire, stopped: raw.stopped }
    }

    /// The format it was read from.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The calls, in order.
    pub fn calls(&self) -> &[ToolCall] {
        &self.calls
    }

    /// What the model says beside its calls, without its thoughts.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the model is not done, or the stream did not come to its end: the provider's word for it, such as `length`, or a
    /// sentence. `refusal` if the model refused, in words that are in [`text`](Self::text) where the provider gives them;
    /// `pause_turn` if the conversation is to be sent back as it is for the model to go on. `None` for a turn that is whole.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// What the history gets before the answers. For `OpenAI` Responses it is a list of items, for MCP the request. `null` if
    /// a stream held no message at all.
    pub fn message(&self) -> &Value {
        &self.message
    }

    /// The messages that answer the calls, in the format's own form; none where there are no calls. For MCP a
    /// `CallToolResult` for each call.
    ///
    /// `results` are in the order of the calls. A call without one is answered all the same, with an error that says so;
    /// results without a call are left out, and logged. What a format has no place for, such as sound, is told as text.
    /// The value of a result is sent as data in the place of its content only where that shows the same; beside it, as MCP has
    /// it, where the content is the tool's own ([`ToolResult::shows_value`]): what a policy or a finalizer took out of the content
    /// does not come back by another way.
    pub fn answer(&self, results: &[Arc<ToolResult>]) -> Vec<Value> {
        if results.len() > self.calls.len() {
            tracing::warn!(calls = self.calls.len(), results = results.len(), "there are results without a call");
        }
        answer::messages(self.format, &self.wire, results)
    }

    /// Everything that the history gets: the message, item by item for `OpenAI` Responses, and the answers. For MCP, whose
    /// client keeps its own requests, the answers.
    pub fn exchange(&self, results: &[Arc<ToolResult>]) -> Vec<Value> {
        let mut out = match (self.format, &self.message) {
            // A stream may have held nothing that a history could.
            (Format::Mcp, _) | (_, Value::Null) => Vec::new(),
            (_, Value::Array(items)) => items.clone(),
            (_, message) => vec![message.clone()],
        };
        out.extend(self.answer(results));
        out
    }
}

fn read(format: Format, body: &Value) -> Result<Raw, TurnError> {
    match format {
        Format::OpenAiChat | Format::DeepSeek => chat::read(format, body),
        Format::OpenAiResponses => responses::read(body),
        Format::Anthropic => blocks::read_anthropic(body),
        Format::Bedrock => blocks::read_bedrock(body),
        Format::Gemini | Format::GeminiJsonSchema => gemini::read(format, body),
        Format::Mcp => mcp::read(body),
    }
}

fn patch(format: Format, message: &mut Value, patch: &Patch<'_>) {
    match format {
        Format::OpenAiChat | Format::DeepSeek => chat::patch(message, patch),
        Format::OpenAiResponses => responses::patch(message, patch),
        Format::Anthropic | Format::Bedrock => blocks::patch(format, message, patch),
        Format::Gemini | Format::GeminiJsonSchema => gemini::patch(message, patch),
        // The request is the client's, and its arguments are an object or an error of the client's.
        Format::Mcp => {}
    }
}
