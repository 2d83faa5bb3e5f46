//! What bodies and policies fail with.

use std::{borrow::Cow, error::Error, fmt, sync::Arc};

use serde_json::Value;

use crate::{code::ErrorCode, schema::dismantle};

type Source = Arc<dyn Error + Send + Sync>;

/// What is told of an error of a type that it knows.
pub(crate) type ErrorMap = Arc<dyn Fn(&(dyn Error + Send + Sync + 'static)) -> Option<ToolError> + Send + Sync>;

/// How a body fails.
///
/// `message` is for the model. What `?` converts is `TOOL_FAILED`, keeps the error as `source`, for observers and logs,
/// and tells the model only that the tool failed: errors may hold what a model, and who reads its output, must not see.
/// To let the model read more, say so, for one error:
///
/// ```
/// use toolgate::ToolError;
///
/// fn read(path: &str) -> Result<String, ToolError> {
///     // The model reads what the error says of itself ...
///     let path = std::path::absolute(path).map_err(ToolError::from_error)?;
///     // ... or a message and a code of your own.
///     std::fs::read_to_string(path)
///         .map_err(|e| ToolError::new("READ_FAILED", format!("cannot read it: {}", e.kind())).with_source(e))
/// }
/// assert_eq!(read("/no/such/file").unwrap_err().code(), "READ_FAILED");
/// ```
///
/// or for all errors of a type, once, in the declaration of the tool
/// ([`ToolDefinition::map_error`](crate::ToolDefinition::map_error)). The body uses `?`, or fails with the type itself:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use serde_json::json;
/// use toolgate::{OutputSpec, ToolCall, ToolContext, ToolError, ToolRegistry, tool};
///
/// #[derive(Debug, thiserror::Error)]
/// enum LookupError {
///     #[error("there is no user {0}")]
///     NoSuchUser(u32),
///     #[error("the connection to {host} was lost")]
///     Disconnected { host: String },
/// }
///
/// #[derive(serde::Deserialize)]
/// struct Lookup {
///     id: u32,
/// }
///
/// let registry = ToolRegistry::new();
/// registry.register(
///     tool("lookup")
///         .output(OutputSpec::text())
///         .handler(|_cx: ToolContext, lookup: Lookup| async move {
///             Err::<String, LookupError>(match lookup.id {
///                 0 => LookupError::Disconnected { host: "db-7.internal".to_owned() },
///                 id => LookupError::NoSuchUser(id),
///             })
///         })
///         .map_error(|error: &LookupError| match error {
///             LookupError::NoSuchUser(_) => ToolError::new("NO_SUCH_USER", error.to_string()),
///             LookupError::Disconnected { .. } => {
///                 ToolError::new("DISCONNECTED", "the directory cannot be reached").with_retryable(true)
///             }
///         }),
/// )?;
/// let result = registry.execute(ToolCall::new("c1", "lookup").with_arguments(json!({"id": 7}))).await;
/// assert_eq!(result.text(), "Error: there is no user 7");
/// let result = registry.execute(ToolCall::new("c2", "lookup").with_arguments(json!({"id": 0}))).await;
/// assert_eq!(result.text(), "Error: the directory cannot be reached");
/// # Ok(())
/// # }
/// ```
///
/// Like `anyhow::Error` it does not implement [`Error`] itself, so that every error converts into it. Hence there is no
/// `From` to write for a type of your own that implements [`Error`], only for one that does not.
pub struct ToolError {
    parts: Box<ToolErrorParts>,
}

pub(crate) struct ToolErrorParts {
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
    pub(crate) retryable: Option<bool>,
    pub(crate) details: Option<Value>,
    pub(crate) source: Option<Source>,
    /// Set by this crate's own layers, which may use a reserved code.
    pub(crate) own: bool,
    /// The body itself was never entered: its arguments could not be read.
    pub(crate) not_entered: bool,
    /// Nobody chose a message: it was converted from its source.
    converted: bool,
}

impl ToolError {
    /// A failure with a code of the tool's own (1 to 64 of `A-Z`, `0-9` and `_`, a letter first) and a message for the model.
    ///
    /// A reserved or malformed code becomes `TOOL_FAILED`, with the code that was wanted in the failure's details.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            parts: Box::new(ToolErrorParts {
                code: code.into(),
                message: message.into(),
                retryable: None,
                details: None,
                source: None,
                own: false,
                not_entered: false,
                converted: false,
            }),
        }
    }

    /// A failure without a code of its own.
    pub fn failed(message: impl Into<String>) -> Self {
        let mut error = Self::new(ErrorCode::TOOL_FAILED.as_str().to_owned(), message);
        error.parts.own = true;
        error
    }

    /// A failure whose message is what `error` says of itself: the model reads that. `error` is kept as the source.
    pub fn from_error(error: impl Error + Send + Sync + 'static) -> Self {
        Self::failed(error.to_string()).with_source(error)
    }

    /// A failure with `error` as its source, which is what `?` makes of errors that have a type. For boxed ones, such as those of
    /// `anyhow` (`.into_boxed_dyn_error()`).
    ///
    /// ```
    /// # use toolgate::ToolError;
    /// fn helper() -> Result<u8, Box<dyn std::error::Error + Send + Sync>> {
    ///     Err("no luck".into())
    /// }
    ///
    /// fn body() -> Result<u8, ToolError> {
    ///     Ok(helper().map_err(ToolError::from_boxed)?)
    /// }
    /// assert_eq!(body().unwrap_err().message(), "the tool failed");
    /// ```
    pub fn from_boxed(error: Box<dyn Error + Send + Sync>) -> Self {
        let mut failure = Self::failed("the tool failed");
        failure.parts.source = Some(Arc::from(error));
        failure.parts.converted = true;
        failure
    }

    /// What the first of `maps` that knows its source makes of a failure that was converted; others stay as they are.
    pub(crate) fn mapped(self, maps: &[ErrorMap]) -> Self {
        let Some(source) = self.parts.source.as_ref().filter(|_| self.parts.converted) else { return self };
        let Some(told) = maps.iter().find_map(|map| map(source.as_ref())) else { return self };
        let (mut told, before) = (told.parts, *self.parts);
        told.source = told.source.or(before.source);
        told.retryable = told.retryable.or(before.retryable);
        match before.details {
            details if told.details.is_none() => told.details = details,
            Some(surplus) => dismantle(surplus),
            None => {}
        }
        Self { parts: told }
    }

    /// A failure with a code of this crate's.
    pub(crate) fn reserved(code: &ErrorCode, message: impl Into<String>) -> Self {
        let mut error = Self::new(code.as_str().to_owned(), message);
        error.parts.own = true;
        error
    }

    /// The arguments could not be read into the body's own type.
    pub(crate) fn unreadable_arguments(message: String) -> Self {
        let mut error = Self::reserved(&ErrorCode::INVALID_ARGS, message);
        error.parts.not_entered = true;
        error
    }

    pub(crate) fn is_not_entered(&self) -> bool {
        self.parts.not_entered
    }

    /// Says whether trying again may help.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.parts.retryable = Some(retryable);
        self
    }

    /// Adds more about it, as data.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.parts.details = Some(details);
        self
    }

    /// Adds the error behind it, for observers and logs only.
    #[must_use]
    pub fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.parts.source = Some(Arc::new(source));
        self
    }

    /// The code.
    pub fn code(&self) -> &str {
        &self.parts.code
    }

    /// The message for the model.
    pub fn message(&self) -> &str {
        &self.parts.message
    }

    pub(crate) fn into_parts(self) -> ToolErrorParts {
        *self.parts
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(source: E) -> Self {
        let mut error = Self::failed("the tool failed").with_source(source);
        error.parts.converted = true;
        error
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parts.code, self.parts.message)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("code", &self.parts.code)
            .field("message", &self.parts.message)
            .field("source", &self.parts.source)
            .finish_non_exhaustive()
    }
}

/// How a policy, wrapper or approver fails: the call fails closed.
///
/// The model reads who failed and no more; the rest is for observers and logs. Every error converts into it with `?`.
pub struct PolicyError {
    source: Source,
}

impl PolicyError {
    /// A failure described by `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self { source: Arc::new(Described(message.into())) }
    }

    /// What an outer policy gets from its `next` when an inner one failed.
    pub(crate) fn inner() -> Self {
        Self::new("a participant further in failed")
    }

    pub(crate) fn into_source(self) -> Source {
        self.source
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for PolicyError {
    fn from(source: E) -> Self {
        Self { source: Arc::new(source) }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.source, f)
    }
}

impl fmt::Debug for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyError").field(&self.source).finish()
    }
}

/// An error that is a sentence.
#[derive(Debug)]
pub(crate) struct Described(pub(crate) String);

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Described {}
