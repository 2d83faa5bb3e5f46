//! What is wrong with JSON from outside, and where.

use std::fmt;

use serde_json::{Value, json};

use super::{limits::EXCERPT_BYTES, place::is_secret};
use crate::{
    cut::cut,
    pointer::{escaped, unescaped},
};

/// Why arguments cannot be read: where, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentProblem {
    /// A JSON pointer; empty for the whole.
    pub(crate) pointer: String,
    pub(crate) message: String,
    /// Line and column, both from 1, the column in characters; only for text.
    pub(crate) position: Option<(usize, usize)>,
}

impl ArgumentProblem {
    pub(crate) fn whole(message: impl Into<String>) -> Self {
        Self { pointer: String::new(), message: message.into(), position: None }
    }
}

impl ArgumentProblem {
    /// The same without names and words of the text, if it lies where `schema` wants nothing repeated.
    pub(crate) fn discreet(&self, schema: &Value) -> Self {
        let path: Vec<String> = self.pointer.split('/').skip(1).map(unescaped).collect();
        if path.is_empty() || !is_secret(schema, &Value::Null, &path) {
            return self.clone();
        }
        let message = "cannot be read; what was sent is not repeated here".to_owned();
        Self { pointer: String::new(), message, position: self.position }
    }

    /// The same as data, in the form of what is wrong with a value under a schema.
    pub(crate) fn details(&self) -> Value {
        let mut problem = json!({ "pointer": self.pointer, "message": self.message });
        if let Some((line, column)) = self.position {
            problem["line"] = json!(line);
            problem["column"] = json!(column);
        }
        json!({ "violations": [problem], "more": false })
    }
}

impl fmt::Display for ArgumentProblem {
    /// `/a/0: repeated key "path" at line 1 column 14`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        parts(&self.pointer, &self.message).into_iter().try_for_each(|part| f.write_str(part))?;
        match self.position {
            Some((line, column)) => write!(f, " at line {line} column {column}"),
            None => Ok(()),
        }
    }
}

/// Why a schema is not taken: where, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaProblem {
    pub(crate) pointer: String,
    pub(crate) message: String,
}

impl SchemaProblem {
    pub(crate) fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        parts(&self.pointer, &self.message).into_iter().try_for_each(|part| f.write_str(part))
    }
}

/// The parts of `<pointer>: <message>`; about the whole, of the message alone.
pub(super) fn parts<'a>(pointer: &'a str, message: &'a str) -> [&'a str; 3] {
    [pointer, if pointer.is_empty() { "" } else { ": " }, message]
}

/// `<pointer>: <message>`; about the whole, the message alone.
pub(crate) fn at(pointer: &str, message: &str) -> String {
    parts(pointer, message).concat()
}

/// The start of foreign text, at most [`EXCERPT_BYTES`] of it, quoted, control characters escaped.
pub(crate) fn excerpt(text: &str) -> String {
    if text.len() <= EXCERPT_BYTES {
        return format!("{text:?}");
    }
    format!("{:?}…", cut(text, EXCERPT_BYTES))
}

/// Appends a step to a JSON pointer; names are cut, and a pointer that grows too long ends in `…`.
pub(crate) fn push_step(pointer: &mut String, step: &str) {
    const POINTER_BYTES: usize = 512;
    if pointer.len() > POINTER_BYTES {
        if !pointer.ends_with('…') {
            pointer.push_str("/…");
        }
        return;
    }
    let name = cut(step, EXCERPT_BYTES);
    pointer.push('/');
    pointer.push_str(&escaped(name));
}
