//! A call's arguments before and after they are read.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::schema::{ArgumentLimits, Shielded, measure, parse_arguments};

/// What a call carries before it is admitted: text as a model sent it, or a value.
#[derive(Clone)]
pub(crate) enum RawArguments {
    Text(Arc<str>),
    Value(Arc<Shielded>),
    /// Read already, and what is wrong with them.
    Read(Arguments, Option<Arc<str>>),
}

/// The arguments as every stage sees them: one allocation, never changed.
#[derive(Clone)]
pub(crate) struct Arguments(Arc<Shielded>);

impl Arguments {
    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    fn of(value: Value) -> Self {
        Self(Arc::new(Shielded::new(value)))
    }
}

impl RawArguments {
    pub(crate) fn empty() -> Self {
        Self::Text(Arc::from(""))
    }

    pub(crate) fn cut_off(text: &str) -> Self {
        let problem = "the call was cut off before its arguments were complete; send it again, whole";
        Self::Read(Arguments::of(Value::String(text.to_owned())), Some(problem.into()))
    }

    /// Reads the arguments once. Where they are refused, the second part says what, where and why, and the first is
    /// what those who look at the outcome get to see: the text as a JSON string, or a remark in place of a value that
    /// is too deep to walk.
    pub(crate) fn read(self, limits: ArgumentLimits) -> (Arguments, Option<String>) {
        match self {
            Self::Text(text) => match parse_arguments(&text, limits) {
                Ok(value) => (Arguments::of(value), None),
                Err(problem) => (Arguments::of(Value::String(text.as_ref().to_owned())), Some(problem.to_string())),
            },
            Self::Read(arguments, problem) => (arguments, problem.map(|p| p.as_ref().to_owned())),
            Self::Value(value) if value.is_null() => (Arguments::of(Value::Object(Map::new())), None),
            Self::Value(value) => match measure(&value, limits) {
                Ok(()) if value.is_object() => (Arguments(value), None),
                Ok(()) => {
                    let problem = format!("expected an object, got {}", kind(&value));
                    (Arguments(value), Some(problem))
                }
                Err(problem) => {
                    let remark = format!("[arguments withheld: {problem}]");
                    (Arguments::of(Value::String(remark)), Some(problem.to_string()))
                }
            },
        }
    }
}

pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl fmt::Debug for RawArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(..)"),
            Self::Value(_) | Self::Read(..) => f.write_str("Value(..)"),
        }
    }
}
