//! A turn out of the events of a stream.

mod blocks;
mod chat;
mod gemini;
mod requests;
mod responses;
mod room;

use serde_json::Value;

use crate::provider::{
    Format, NameTable, Turn,
    stream::{blocks::Blocks, chat::Chat, gemini::Parts, requests::Requests, responses::Items, room::Room},
    turn::{MOST_LEVELS, deeper_than, reported},
};

/// Puts a [`Turn`] together from the events of a stream.
///
/// ```
/// use serde_json::json;
/// use toolgate::provider::{Format, NameTable, TurnBuilder};
///
/// let mut builder = TurnBuilder::new(Format::Anthropic, &NameTable::identical(["read"]));
/// builder.push(&json!({"type": "content_block_start", "index": 0,
///     "content_block": {"type": "tool_use", "id": "t1", "name": "read", "input": {}}}));
/// for piece in ["{\"pa", "th\": \"a\"}"] {
///     builder.push(&json!({"type": "content_block_delta", "index": 0,
///         "delta": {"type": "input_json_delta", "partial_json": piece}}));
/// }
/// // As text, it is read here.
/// builder.push_text(r#"{"type": "content_block_stop", "index": 0}"#);
/// builder.push(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
/// builder.push(&json!({"type": "message_stop"}));
///
/// let turn = builder.finish();
/// assert_eq!(turn.calls()[0].id(), "t1");
/// assert_eq!(turn.stopped(), None);
/// assert_eq!(turn.message()["content"][0]["input"], json!({"path": "a"}));
/// ```
///
/// Nothing in a stream makes it fail. A stream breaks off where it ends early, where the provider reports an error in it, where an
/// event cannot be read, or where it passes a limit: 256 calls, 16 MiB of what is kept, 128 levels of nesting in an
/// event. What is pushed after that is not looked at; [`Turn::stopped`] says why. Every call whose end was not seen is
/// then a [`ToolCall::cut_off`](crate::ToolCall::cut_off), and so is the last one in any case, since what stopped it is not known.
#[derive(Debug)]
pub struct TurnBuilder {
    format: Format,
    names: NameTable,
    parts: Assembly,
    room: Room,
    broken: Option<String>,
}

/// What is put together, by format.
#[derive(Debug)]
enum Assembly {
    Chat(Box<Chat>),
    Responses(Items),
    Blocks(Blocks),
    Gemini(Parts),
    Mcp(Requests),
}

/// A body in the form that the format's reader takes.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) body: Value,
    /// Which calls did not end, in order; those that are not listed did.
    pub(crate) cut: Vec<bool>,
    /// Whether the stream said that it is at its end.
    pub(crate) ended: bool,
}

impl TurnBuilder {
    /// A builder at the start of a stream.
    pub fn new(format: Format, names: &NameTable) -> Self {
        let parts = match format {
            Format::OpenAiChat | Format::DeepSeek => Assembly::Chat(Box::default()),
            Format::OpenAiResponses => Assembly::Responses(Items::default()),
            Format::Anthropic => Assembly::Blocks(Blocks::anthropic()),
            Format::Bedrock => Assembly::Blocks(Blocks::bedrock()),
            Format::Gemini | Format::GeminiJsonSchema => Assembly::Gemini(Parts::default()),
            Format::Mcp => Assembly::Mcp(Requests::default()),
        };
        Self { format, names: names.clone(), parts, room: Room::default(), broken: None }
    }

    /// Takes the next event: the JSON of a server-sent event's data, or of a chunk.
    pub fn push(&mut self, event: &Value) {
        if self.broken.is_some() {
            return;
        }
        self.broken = self.take(event).err();
    }

    fn take(&mut self, event: &Value) -> Result<(), String> {
        if deeper_than(event, MOST_LEVELS) {
            return Err(format!("an event is nested deeper than {MOST_LEVELS} levels"));
        }
        if !event.is_object() && self.format != Format::Mcp {
            return Err("an event is no object".to_owned());
        }
        let inside = event.get("response").unwrap_or(event);
        if let Some(error) = reported(event).or_else(|| reported(inside)) {
            return Err(format!("the provider reports an error: {error}"));
        }
        match &mut self.parts {
            Assembly::Chat(chat) => chat.push(event, &mut self.room),
            Assembly::Responses(items) => items.push(event, &mut self.room),
            Assembly::Blocks(blocks) => blocks.push(event, &mut self.room),
            Assembly::Gemini(parts) => parts.push(event, &mut self.room),
            Assembly::Mcp(requests) => requests.push(event, &mut self.room),
        }
    }

    /// The same for an event that is still text. Blank text and `[DONE]` are no events; text that is no JSON breaks the
    /// stream off.
    pub fn push_text(&mut self, data: &str) {
        if self.broken.is_some() || matches!(data.trim(), "" | "[DONE]") {
            return;
        }
        match serde_json::from_str::<Value>(data) {
            Ok(event) => self.push(&event),
            Err(_) => self.broken = Some("an event is no JSON".to_owned()),
        }
    }

    /// The turn, of what has arrived.
    pub fn finish(self) -> Turn {
        let Assembled { body, cut, ended } = match self.parts {
            Assembly::Chat(chat) => chat.finish(),
            Assembly::Responses(items) => items.finish(),
            Assembly::Blocks(blocks) => blocks.finish(),
            Assembly::Gemini(parts) => parts.finish(),
            Assembly::Mcp(requests) => requests.finish(),
        };
        let early = (!ended).then(|| "the stream ended early".to_owned());
        Turn::assembled(self.format, &body, &cut, self.broken.or(early), &self.names)
    }
}
