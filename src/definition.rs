//! Everything that a tool declares.

use std::{future::Future, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    contain::BoxFuture, content::ContentBlock, context::ToolContext, error::ToolError, output::OutputSpec,
    resources::ResourceKeys, result::ToolResult, schema::Shielded, tool::Tool, typed,
};

pub(crate) type Body = Arc<dyn Fn(ToolContext) -> BoxFuture<'static, Result<Value, ToolError>> + Send + Sync>;
pub(crate) type Finalizer = Arc<dyn Fn(&ToolResult) -> Option<Vec<ContentBlock>> + Send + Sync>;
pub(crate) type Classifier = Arc<dyn Fn(&Value) -> bool + Send + Sync>;
pub(crate) type Keys = Arc<dyn Fn(&Value) -> ResourceKeys + Send + Sync>;
pub(crate) type Presenter = Arc<dyn Fn(&Value, &Value) -> Option<Value> + Send + Sync>;

/// What a tool says of its effects, as MCP names them. Hints: the only effect of them today is
/// that a read-only tool may overlap with others in a batch. Unsaid, the worst is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "four independent hints, named as MCP names them")]
pub struct Annotations {
    /// It changes nothing. Default: false.
    pub read_only: bool,
    /// Doing it twice with the same arguments is the same as doing it once. Default: false.
    pub idempotent: bool,
    /// It may destroy something. Default: true.
    pub destructive: bool,
    /// It reaches beyond this machine and its owner. Default: true.
    pub open_world: bool,
}

impl Default for Annotations {
    fn default() -> Self {
        Self { read_only: false, idempotent: false, destructive: true, open_world: true }
    }
}

impl Annotations {
    /// Read-only, hence idempotent and not destructive.
    pub fn read_only() -> Self {
        Self { read_only: true, idempotent: true, destructive: false, open_world: true }
    }

    /// Sets whether doing it twice is the same as doing it once.
    #[must_use]
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.idempotent = yes;
        self
    }

    /// Sets whether it may destroy something.
    #[must_use]
    pub fn destructive(mut self, yes: bool) -> Self {
        self.destructive = yes;
        self
    }

    /// Sets whether it reaches beyond this machine and its owner.
    #[must_use]
    pub fn open_world(mut self, yes: bool) -> Self {
        self.open_world = yes;
        self
    }
}

/// A tool's declaration, built step by step; see [`tool`].
///
/// Nothing is checked here: registration checks everything at once, and lists every problem.
pub struct ToolDefinition {
    pub(crate) name: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) parameters: Shielded,
    pub(crate) output: Option<OutputSpec>,
    pub(crate) body: Option<Body>,
    pub(crate) finalizer: Option<Finalizer>,
    pub(crate) presenter: Option<Presenter>,
    pub(crate) classifier: Option<Classifier>,
    pub(crate) resources: Option<Keys>,
    pub(crate) annotations: Annotations,
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Option<Duration>,
}

/// Begins the declaration of a tool called `name`: 1 to 128 of `A-Z a-z 0-9 _ . -`.
///
/// ```
/// use serde::Deserialize;
/// use serde_json::json;
/// use toolgate::{OutputSpec, ToolContext, ToolError, ToolRegistry, tool};
///
/// #[derive(Deserialize)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// let registry = ToolRegistry::new();
/// registry.register(
///     tool("add")
///         .description("Adds two integers")
///         .parameters(json!({
///             "type": "object",
///             "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
///             "required": ["a", "b"],
///         }))
///         .output(OutputSpec::json(json!({"type": "integer"})))
///         .handler(|_cx: ToolContext, add: Add| async move { Ok::<_, ToolError>(add.a + add.b) }),
/// )?;
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
pub fn tool(name: impl Into<Arc<str>>) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: Arc::from(""),
        parameters: Shielded::new(serde_json::json!({ "type": "object" })),
        output: None,
        body: None,
        finalizer: None,
        presenter: None,
        classifier: None,
        resources: None,
        annotations: Annotations::default(),
        timeout: None,
        grace: None,
    }
}

impl ToolDefinition {
    /// What the tool does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// The JSON Schema of the arguments, an object. The order of properties is kept. Default: any object.
    #[must_use]
    pub fn parameters(mut self, schema: Value) -> Self {
        self.parameters = Shielded::new(schema);
        self
    }

    /// The parameters as the type `T` has them: doc comments become descriptions.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn parameters_of<T: schemars::JsonSchema>(self) -> Self {
        self.parameters(typed::schema_of::<T>())
    }

    /// What the body answers with, and how a model reads it. Mandatory.
    #[must_use]
    pub fn output(mut self, output: OutputSpec) -> Self {
        self.output = Some(output);
        self
    }

    /// A body that takes its arguments as the type `A` and answers with anything that serialises.
    ///
    /// Arguments that are valid under the parameters and do not fit `A` end in `INVALID_ARGS`.
    #[must_use]
    pub fn handler<A, O, E, F, Fut>(self, handler: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        O: Serialize,
        E: Into<ToolError>,
        F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
    {
        self.body_with(typed::body(handler))
    }

    /// A body that reads its arguments from the context, as JSON.
    #[must_use]
    pub fn body<F, Fut>(self, body: F) -> Self
    where
        F: Fn(ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        self.body_with(Arc::new(move |cx| Box::pin(body(cx))))
    }

    pub(crate) fn body_object<T: Tool>(self, object: Arc<T>) -> Self {
        self.body_with(Arc::new(move |cx| {
            let object = object.clone();
            Box::pin(async move { object.execute(cx).await })
        }))
    }

    fn body_with(mut self, body: Body) -> Self {
        self.body = Some(body);
        self
    }

    /// The definition's own last word on what the model reads: called exactly once for every call whose name resolved,
    /// on successes and failures alike. `None` keeps the content. It must not panic: what it did not pass is not shown.
    #[must_use]
    pub fn finalize_content(
        mut self,
        finalizer: impl Fn(&ToolResult) -> Option<Vec<ContentBlock>> + Send + Sync + 'static,
    ) -> Self {
        self.finalizer = Some(Arc::new(finalizer));
        self
    }

    /// What a user interface shows beside the content of a success, made of arguments and value. Never for the model.
    #[must_use]
    pub fn present(mut self, presenter: impl Fn(&Value, &Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        self.presenter = Some(Arc::new(presenter));
        self
    }

    /// Tells by the arguments whether a call may overlap with others of its batch. Only an exact yes does; a panic is a
    /// no. Without it, read-only tools and those with resource keys may.
    #[must_use]
    pub fn concurrency_safe(mut self, classifier: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        self.classifier = Some(Arc::new(classifier));
        self
    }

    /// Computes from the arguments what a call reads and writes. Calls whose keys exclude each other never run at the
    /// same time, in any batch or scope of the registry; a call with keys may overlap with others of its batch, unless
    /// a classifier says no. A panic counts as [`ResourceKeys::everything`].
    #[must_use]
    pub fn resources(mut self, keys: impl Fn(&Value) -> ResourceKeys + Send + Sync + 'static) -> Self {
        self.resources = Some(Arc::new(keys));
        self
    }

    /// What it says of its effects.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// How long one run of the body may take; `TOOL_TIMEOUT` after that, whatever it answers later. Its signal fires then,
    /// and a body that does not settle is dropped one grace period later, so a call may take both. Default: the registry's.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long the body may take to settle once it is cancelled, before it is dropped. Default: the registry's.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }
}

impl std::fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolDefinition")
            .field("name", &self.name)
            .field("description", &self.description)
            .field("annotations", &self.annotations)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
