//! What a reader of one format finds in a message.

use serde_json::Value;

use crate::provider::{
    Format, TurnError,
    turn::{
        input::Input,
        limits::{MOST_CALLS, start_of},
    },
};

/// A message, taken apart.
#[derive(Debug)]
pub(crate) struct Raw {
    /// What goes into the history.
    pub(crate) message: Value,
    pub(crate) text: String,
    pub(crate) calls: Vec<RawCall>,
    /// Why the model was stopped before it was done, if it was.
    pub(crate) stopped: Option<String>,
}

/// A call as it stands in a message.
#[derive(Debug)]
pub(crate) struct RawCall {
    /// Its place in the message's list of calls, blocks, parts or items.
    pub(crate) at: usize,
    pub(crate) id: Option<String>,
    /// As the provider writes it; may be empty.
    pub(crate) name: String,
    pub(crate) input: Input,
    pub(crate) kind: Kind,
    pub(crate) cut: bool,
}

/// What a call is, for who answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call of a function.
    Function,
    /// `function_call` of Chat Completions, before there were several.
    Legacy,
    /// Free text for a tool of the user's own.
    Custom,
    /// `shell_call` of Responses.
    Shell,
    /// `local_shell_call` of Responses.
    LocalShell,
    /// `apply_patch_call` of Responses.
    Patch,
    /// `computer_call` of Responses.
    Computer,
    /// `tool_search_call` of Responses, where the client is to search.
    Search,
    /// `mcp_approval_request` of Responses.
    Approval,
    /// A kind that did not exist when this was written.
    Unknown,
}

/// What a call's place, id, name and arguments are in the history.
#[derive(Debug)]
pub(crate) struct Patch<'a> {
    pub(crate) at: usize,
    /// `None` leaves it as it is.
    pub(crate) id: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) input: &'a Input,
    pub(crate) kind: Kind,
}

impl RawCall {
    pub(crate) fn function(at: usize, id: Option<&Value>, name: Option<&Value>, input: Option<&Value>) -> Self {
        Self { at, id: id_of(id), name: text_of(name), input: Input::of(input), kind: Kind::Function, cut: false }
    }
}

/// An id that is given; numbers count, as JSON-RPC has them.
pub(crate) fn id_of(value: Option<&Value>) -> Option<String> {
    match value {
        Some(Value::String(id)) if !id.trim().is_empty() => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    }
}

pub(crate) fn text_of(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(crate) fn not_a_turn(format: Format, why: impl Into<String>) -> TurnError {
    TurnError::NotATurn { format, why: why.into() }
}

/// What a body without a message is: the provider's error, where it is one.
pub(crate) fn no_message(format: Format, body: &Value, expected: &str) -> TurnError {
    match reported(body) {
        Some(error) => not_a_turn(format, format!("the provider reports an error: {error}")),
        None => not_a_turn(format, expected),
    }
}

/// The error that a body or an event carries, in its own words; at most 200 bytes of them.
pub(crate) fn reported(body: &Value) -> Option<String> {
    let error = body.get("error").filter(|error| !error.is_null() && **error != false && **error != "")?;
    let text = [&error["message"], &error["type"], &error["code"], error].into_iter().find_map(Value::as_str);
    Some(start_of(text.unwrap_or("without a message"), 200).to_owned())
}

/// Refuses a message with too many calls.
pub(crate) fn bounded(raw: Raw) -> Result<Raw, TurnError> {
    let calls = raw.calls.len();
    if calls > MOST_CALLS { Err(TurnError::TooManyCalls { calls, most: MOST_CALLS }) } else { Ok(raw) }
}
