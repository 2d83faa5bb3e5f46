//! The arguments of a call as they came, and the forms in which others want them.

use serde_json::{Map, Value, json};

use crate::ToolCall;

/// The arguments of a call as they came.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// Text that should be a JSON object.
    Text(String),
    /// JSON that is no text, mostly an object.
    Json(Value),
    /// Not the arguments of a function, whatever it looks like.
    Foreign(String),
}

impl Input {
    /// Text is text and an object is an object, whichever of the two the format has. Nothing is no arguments.
    pub(crate) fn of(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Text(String::new()),
            Some(Value::String(text)) => Self::Text(text.clone()),
            Some(other) => Self::Json(other.clone()),
        }
    }

    /// What is foreign, as text.
    pub(crate) fn foreign(value: Option<&Value>) -> Self {
        Self::Foreign(match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        })
    }

    /// The call with these arguments, untouched. A foreign input makes one that ends in `INVALID_ARGS`, since no text is
    /// an object.
    pub(crate) fn call(&self, id: &str, name: &str, cut: bool) -> ToolCall {
        match self {
            Self::Text(text) | Self::Foreign(text) if cut => ToolCall::cut_off(id, name, text.as_str()),
            Self::Json(value) if cut => ToolCall::cut_off(id, name, value.to_string()),
            Self::Text(text) => ToolCall::from_model(id, name, text.as_str()),
            Self::Json(value) => ToolCall::new(id, name).with_arguments(value.clone()),
            Self::Foreign(text) => ToolCall::new(id, name).with_arguments(Value::String(text.clone())),
        }
    }

    /// An object for a history whose provider wants one.
    pub(crate) fn object(&self) -> Value {
        match self {
            Self::Json(Value::Object(map)) => Value::Object(map.clone()),
            Self::Json(other) => unreadable(&other.to_string()),
            Self::Foreign(text) => unreadable(text),
            Self::Text(text) if text.trim().is_empty() => Value::Object(Map::new()),
            Self::Text(text) => match serde_json::from_str(text) {
                Ok(object @ Value::Object(_)) => object,
                Ok(Value::Null) => Value::Object(Map::new()),
                _ => unreadable(text),
            },
        }
    }

    /// The text of an object, for a history whose provider wants text. What is one already stays as it is, byte for byte.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) if serde_json::from_str::<Map<String, Value>>(text).is_ok() => text.clone(),
            other => other.object().to_string(),
        }
    }
}

/// Text that is no object, kept where an object has to be: a history that does not parse is refused by many servers.
fn unreadable(text: &str) -> Value {
    json!({ "unreadable_arguments": text })
}
