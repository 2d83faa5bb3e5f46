//! What a caller supplies.

use std::{fmt, sync::Arc};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    arguments::RawArguments,
    extensions::Extensions,
    repair::Repaired,
    schema::{ArgumentLimits, Shielded},
};

/// The name of a scope: which agent a call belongs to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(Arc<str>);

impl ScopeId {
    /// A scope called `id`.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One opening of a scope: a closed id that is opened again is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeKey(pub(crate) u64);

impl From<&str> for ScopeId {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<String> for ScopeId {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}

impl From<&ScopeId> for ScopeId {
    fn from(id: &ScopeId) -> Self {
        id.clone()
    }
}

impl fmt::Display for ScopeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ScopeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// One use of a tool, as a caller asks for it.
///
/// ```
/// use serde_json::json;
/// use toolgate::ToolCall;
///
/// // As a model sends it: arguments are text.
/// let call = ToolCall::from_model("call_1", "read_file", r#"{"path": "Cargo.toml"}"#);
/// assert_eq!(call.name(), "read_file");
///
/// // As a program makes it.
/// let call = ToolCall::new("call_2", "read_file").with_arguments(json!({"path": "Cargo.toml"})).with_agent("coder");
/// assert_eq!(call.agent().map(|a| a.as_str()), Some("coder"));
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub(crate) id: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) arguments: RawArguments,
    pub(crate) agent: Option<ScopeId>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) extensions: Extensions,
}

impl ToolCall {
    /// A call of the tool `name` without arguments, which is the same as `{}`.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: RawArguments::empty(),
            agent: None,
            cancellation: CancellationToken::new(),
            extensions: Extensions::new(),
        }
    }

    /// A call as a model sends it, with its arguments as text. Never fails.
    ///
    /// Empty or blank text and `null` are `{}`. Text that is no JSON object, is larger or deeper than the registry's
    /// limits, repeats a key, or holds an integer outside of 64 bits makes a call that ends in
    /// [`INVALID_ARGS`](crate::ErrorCode::INVALID_ARGS) and says where. The text is read once, when the call is
    /// admitted, and never repaired.
    pub fn from_model(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, arguments: impl Into<Arc<str>>) -> Self {
        let mut call = Self::new(id, name);
        call.arguments = RawArguments::Text(arguments.into());
        call
    }

    /// A call that was cut off while the model wrote it, such as by a limit on tokens or a broken stream. `text` is what
    /// arrived of its arguments. It never runs, however complete the text looks: it ends in
    /// [`INVALID_ARGS`](crate::ErrorCode::INVALID_ARGS), which tells the model to send it again.
    pub fn cut_off(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let mut call = Self::new(id, name);
        call.arguments = RawArguments::cut_off(&text.into());
        call
    }

    /// The call with `arguments`, an object; `null` is `{}`. Anything else ends in `INVALID_ARGS`.
    #[must_use]
    pub fn with_arguments(mut self, arguments: Value) -> Self {
        self.arguments = RawArguments::Value(Arc::new(Shielded::new(arguments)));
        self
    }

    /// The call, made by the agent of scope `agent`. Without it the call sees what is registered globally.
    #[must_use]
    pub fn with_agent(mut self, agent: impl Into<ScopeId>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// The call, cancelled when `token` is.
    #[must_use]
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// The call with a value of the caller's own, for participants that know its type.
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// The call as a nested one: in the scope of the one that makes it, with what that one carries.
    pub(crate) fn inheriting(mut self, agent: Option<&ScopeId>, extensions: &Extensions) -> Self {
        self.agent = agent.cloned();
        self.extensions = self.extensions.over(extensions);
        self
    }

    /// The call with its arguments read, once for all who look at them.
    pub(crate) fn read(mut self, limits: ArgumentLimits) -> Self {
        let (arguments, problem) = self.arguments.read(limits);
        self.arguments = RawArguments::Read(arguments, problem.map(Arc::new));
        self
    }

    /// The caller's name for this call. Two calls with one id are two calls.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was repaired in the arguments before the call was made, if something was; see
    /// [`ToolRegistry::repair`](crate::ToolRegistry::repair).
    pub fn repaired(&self) -> Option<&Repaired> {
        match &self.arguments {
            RawArguments::Read(arguments, _) => arguments.repaired(),
            RawArguments::Text(_) | RawArguments::Value(_) => None,
        }
    }

    /// The scope the call is made in.
    pub fn agent(&self) -> Option<&ScopeId> {
        self.agent.as_ref()
    }

    /// The caller's cancellation.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Values of the caller's own.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }
}
