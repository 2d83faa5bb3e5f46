//! A call's arguments before and after they are read.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    repair::{Original, Repaired, Repairs, repair},
    schema::{ArgumentLimits, ArgumentProblem, Shielded, measure, parse_arguments},
};

/// What a call carries before it is admitted: text as a model sent it, or a value.
#[derive(Clone)]
pub(crate) enum RawArguments {
    Text(Arc<str>),
    Value(Arc<Shielded>),
    /// Read already, and what is wrong with them.
    Read(Arguments, Option<Arc<ArgumentProblem>>),
}

/// The arguments as every stage sees them: one allocation, never changed.
#[derive(Clone)]
pub(crate) struct Arguments {
    value: Arc<Shielded>,
    repaired: Option<Arc<Repaired>>,
}

impl Arguments {
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// What was done to them before the call was made.
    pub(crate) fn repaired(&self) -> Option<&Repaired> {
        self.repaired.as_deref()
    }

    fn of(value: Value) -> Self {
        Self::shared(Arc::new(Shielded::new(value)))
    }

    fn shared(value: Arc<Shielded>) -> Self {
        Self { value, repaired: None }
    }
}

impl RawArguments {
    pub(crate) fn empty() -> Self {
        Self::Text(Arc::from(""))
    }

    pub(crate) fn cut_off(text: &str) -> Self {
        let problem = "the call was cut off before its arguments were complete; send it again, whole";
        Self::Read(Arguments::of(Value::String(text.to_owned())), Some(Arc::new(ArgumentProblem::whole(problem))))
    }

    pub(crate) fn repaired(value: Value, record: Repaired) -> Self {
        let value = Arc::new(Shielded::new(value));
        Self::Read(Arguments { value, repaired: Some(Arc::new(record)) }, None)
    }

    /// The arguments as they can be repaired, and what was done. Never those that are valid, or that were judged before.
    pub(crate) fn repaired_by(
        &self,
        schema: &Value,
        allowed: Repairs,
        limits: ArgumentLimits,
        fits: impl Fn(&Value) -> bool,
    ) -> Option<(Value, Repaired)> {
        let original = match self {
            Self::Text(text) => Original::Text(text),
            Self::Value(value) => Original::Value(value),
            Self::Read(..) => return None,
        };
        repair(&original, schema, allowed, limits, fits)
    }

    /// Reads the arguments once. Where they are refused, the second part says what, where and why, and the first is
    /// what those who look at the outcome get to see: the text as a JSON string, or a remark in place of a value that
    /// is too deep to walk.
    pub(crate) fn read(self, limits: ArgumentLimits) -> (Arguments, Option<ArgumentProblem>) {
        match self {
            Self::Text(text) => match parse_arguments(&text, limits) {
                Ok(value) => (Arguments::of(value), None),
                Err(problem) => (Arguments::of(Value::String(text.as_ref().to_owned())), Some(problem)),
            },
            Self::Read(arguments, problem) => (arguments, problem.map(Arc::unwrap_or_clone)),
            Self::Value(value) if value.is_null() => (Arguments::of(Value::Object(Map::new())), None),
            Self::Value(value) => match measure(&value, limits) {
                Ok(()) if value.is_object() => (Arguments::shared(value), None),
                Ok(()) => {
                    let problem = ArgumentProblem::whole(format!("expected an object, got {}", kind(&value)));
                    (Arguments::shared(value), Some(problem))
                }
                Err(problem) => {
                    let remark = format!("[arguments withheld: {problem}]");
                    (Arguments::of(Value::String(remark)), Some(problem))
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
