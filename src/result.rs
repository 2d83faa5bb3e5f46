//! The one outcome of a call.

use std::{error::Error, fmt, sync::Arc};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::{
    code::ErrorCode,
    content::{AdditionalContext, Blocks, ContentBlock},
};

/// What is known of the body's effects when a call failed.
///
/// Exhaustive on purpose: there is no fourth answer to "did it do anything?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "never, ended by itself, dropped midway: that is all there is")]
pub enum Effects {
    /// The body was never started.
    None,
    /// The body ended by itself: it did what it says.
    Settled,
    /// The body was dropped midway: some of its effects may stand.
    Unknown,
}

/// Why a call failed.
///
/// Two audiences: `message` is what the model may read; `source` is for observers and logs, and is never serialised.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolFailure {
    /// The kind of failure.
    pub code: ErrorCode,
    /// Short, for the model.
    pub message: String,
    /// What is known of the body's effects; of several runs the worst counts. Wrappers and post-policies read what is
    /// known by then.
    pub effects: Effects,
    /// Who denied or failed: a policy's, guard's or wrapper's name.
    pub source_name: Option<Arc<str>>,
    /// What the body's own error said about trying again.
    pub retryable: Option<bool>,
    /// More about it, as data.
    pub details: Option<Value>,
    /// The error behind it, for observers; never serialised and never part of the content.
    pub source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ToolFailure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            effects: Effects::None,
            source_name: None,
            retryable: None,
            details: None,
            source: None,
        }
    }

    pub(crate) fn by(mut self, name: Option<Arc<str>>) -> Self {
        self.source_name = name;
        self
    }

    pub(crate) fn caused_by(mut self, source: Arc<dyn Error + Send + Sync>) -> Self {
        self.source = Some(source);
        self
    }
}

impl fmt::Debug for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolFailure")
            .field("code", &self.code)
            .field("message", &self.message)
            .field("effects", &self.effects)
            .field("source_name", &self.source_name)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Error for ToolFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|s| &**s as &(dyn Error + 'static))
    }
}

impl Serialize for ToolFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("effects", &self.effects)?;
        if let Some(name) = self.source_name.as_deref() {
            map.serialize_entry("source_name", name)?;
        }
        if let Some(retryable) = self.retryable {
            map.serialize_entry("retryable", &retryable)?;
        }
        if let Some(details) = &self.details {
            map.serialize_entry("details", details)?;
        }
        map.end()
    }
}

/// The failure of a cancelled call whose body was not started.
pub(crate) fn never_started() -> ToolFailure {
    ToolFailure::new(ErrorCode::ABORTED_BEFORE_DISPATCH, "tool call aborted before dispatch")
}

/// The one outcome of a call: a success with a value, or a failure with a code.
///
/// Observers and caller get the same frozen [`Arc`]; there is nothing in it that can change. Serialises to what a log
/// needs: `ok`, `value` or `error`, `content`, and what else is set.
#[derive(Clone)]
pub struct ToolResult {
    // Failure and meta are boxed, because most results have neither.
    pub(crate) outcome: Result<Value, Box<ToolFailure>>,
    content: Blocks,
    /// Whether the content is what the tool itself makes of the value.
    rendered: bool,
    meta: Option<Box<Value>>,
    pub(crate) contexts: Vec<AdditionalContext>,
    pub(crate) concludes_turn: bool,
}

impl ToolResult {
    pub(crate) fn success(value: Value, content: Blocks, meta: Option<Box<Value>>) -> Self {
        Self { outcome: Ok(value), content, rendered: true, meta, contexts: Vec::new(), concludes_turn: false }
    }

    /// A failure whose content is the one block `Error: <message>`.
    pub(crate) fn failure(failure: ToolFailure) -> Self {
        let content = ContentBlock::text(["Error: ", &failure.message].concat());
        Self {
            outcome: Err(Box::new(failure)),
            content: Blocks::One(content),
            rendered: false,
            meta: None,
            contexts: Vec::new(),
            concludes_turn: false,
        }
    }

    /// Puts other content in the place of what there was.
    pub(crate) fn replace_content(&mut self, content: impl Into<Blocks>) {
        self.content = content.into();
        self.rendered = false;
    }

    /// Whether the call succeeded.
    pub fn is_success(&self) -> bool {
        self.outcome.is_ok()
    }

    /// The value of a success, the failure otherwise.
    ///
    /// # Errors
    ///
    /// The failure the call ended in.
    pub fn outcome(&self) -> Result<&Value, &ToolFailure> {
        self.outcome.as_ref().map_err(|failure| &**failure)
    }

    /// The value of a success: what the body answered, valid under the tool's output schema.
    pub fn value(&self) -> Option<&Value> {
        self.outcome.as_ref().ok()
    }

    /// Why the call failed.
    pub fn error(&self) -> Option<&ToolFailure> {
        self.outcome.as_ref().err().map(|failure| &**failure)
    }

    /// The code of a failure.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.error().map(|e| &e.code)
    }

    /// What the model reads.
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    /// Whether the content is the tool's own rendering of the value: no policy and no finalizer has put other content in
    /// its place. The value may then go where the content goes; else it may hold what was kept from the model.
    pub fn shows_value(&self) -> bool {
        self.rendered
    }

    /// All text blocks, joined by a line feed.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (i, text) in self.content.iter().filter_map(ContentBlock::as_text).enumerate() {
            if i > 0 {
                out.push('\n');
            }
            out.push_str(text);
        }
        out
    }

    /// What a user interface may show beside the content; never for the model. Top-level calls only.
    pub fn meta(&self) -> Option<&Value> {
        self.meta.as_deref()
    }

    /// What to tell the model after the result: the body's first, then the wrappers', then the post-policies'.
    pub fn additional_contexts(&self) -> &[AdditionalContext] {
        &self.contexts
    }

    /// Whether the body asked for the turn to end with this result; never for a failure.
    pub fn concludes_turn(&self) -> bool {
        self.concludes_turn
    }
}

impl fmt::Debug for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("ToolResult");
        match &self.outcome {
            Ok(value) => out.field("value", value),
            Err(failure) => out.field("error", failure),
        };
        out.field("content", &self.content())
            .field("shows_value", &self.rendered)
            .field("meta", &self.meta)
            .field("additional_contexts", &self.contexts)
            .field("concludes_turn", &self.concludes_turn)
            .finish()
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ok", &self.is_success())?;
        match &self.outcome {
            Ok(value) => map.serialize_entry("value", value)?,
            Err(failure) => map.serialize_entry("error", failure)?,
        }
        map.serialize_entry("content", self.content())?;
        if let Some(meta) = &self.meta {
            map.serialize_entry("meta", meta)?;
        }
        if !self.contexts.is_empty() {
            map.serialize_entry("additional_contexts", &self.contexts)?;
        }
        if self.concludes_turn {
            map.serialize_entry("concludes_turn", &true)?;
        }
        map.end()
    }
}
