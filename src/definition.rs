//! Everything that a tool declares.

use std::{future::Future, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    annotations::Annotations,
    contain::BoxFuture,
    content::ContentBlock,
    context::ToolContext,
    error::{ErrorMap, ToolError},
    output::OutputSpec,
    resources::ResourceKeys,
    result::ToolResult,
    schema_builder::Schema,
    tool::Tool,
    typed,
};

pub(crate) type Body = Arc<dyn Fn(ToolContext) -> BoxFuture<'static, Result<Value, ToolError>> + Send + Sync>;
pub(crate) type Finalizer = Arc<dyn Fn(&ToolResult) -> Option<Vec<ContentBlock>> + Send + Sync>;
/// Takes arguments, and the parameters that they are valid under.
pub(crate) type Classifier = Arc<dyn Fn(&Value, &Value) -> bool + Send + Sync>;
/// Takes arguments, and the parameters that they are valid under.
pub(crate) type Keys = Arc<dyn Fn(&Value, &Value) -> ResourceKeys + Send + Sync>;
pub(crate) type Presenter = Arc<dyn Fn(&Value, &Value) -> Option<Value> + Send + Sync>;

/// A tool's declaration, built step by step; see [`tool`].
///
/// Nothing is checked here: registration checks everything at once, and lists every problem.
pub struct ToolDefinition {
    pub(crate) name: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) parameters: Option<Schema>,
    /// Whether the parameters are a type's, whose documentation may describe the tool.
    pub(crate) derived: bool,
    pub(crate) output: Option<OutputSpec>,
    pub(crate) body: Option<Body>,
    pub(crate) finalizer: Option<Finalizer>,
    pub(crate) presenter: Option<Presenter>,
    pub(crate) classifier: Option<Classifier>,
    pub(crate) resources: Option<Keys>,
    pub(crate) errors: Vec<ErrorMap>,
    pub(crate) max_text_bytes: Option<usize>,
    pub(crate) annotations: Annotations,
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Option<Duration>,
}

/// Begins the declaration of a tool called `name`: 1 to 128 of `A-Z a-z 0-9 _ . -`.
///
/// Over Rust types, where schemas and body are one thing (`typed`):
///
#[cfg_attr(feature = "schemars", doc = "```")]
#[cfg_attr(not(feature = "schemars"), doc = "```ignore")]
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolgate::{ToolContext, ToolError, ToolRegistry, tool};
///
/// /// Adds two integers.
/// #[derive(Deserialize, JsonSchema)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// let registry = ToolRegistry::new();
/// registry.register(tool("add").typed(|_cx: ToolContext, Add { a, b }| async move { Ok::<_, ToolError>(a + b) }))?;
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
///
/// With a schema of your own, built with [`Schema`] or written as JSON:
///
/// ```
/// use serde_json::json;
/// use toolgate::{OutputSpec, Schema, ToolRegistry, tool};
///
/// let registry = ToolRegistry::new();
/// registry.register(
///     tool("echo")
///         .description("Says it again")
///         .parameters(Schema::object().required("text", Schema::string()))
///         .output(OutputSpec::text())
///         .body(|cx| async move { Ok(cx.arguments()["text"].clone()) }),
/// )?;
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
pub fn tool(name: impl Into<Arc<str>>) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: Arc::from(""),
        parameters: None,
        derived: false,
        output: None,
        body: None,
        finalizer: None,
        presenter: None,
        classifier: None,
        resources: None,
        errors: Vec::new(),
        max_text_bytes: None,
        annotations: Annotations::default(),
        timeout: None,
        grace: None,
    }
}

impl ToolDefinition {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the tool does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// The JSON Schema of the arguments, an object: a [`Schema`] or a [`Value`]. The order of properties is kept.
    /// Default: any object.
    #[must_use]
    pub fn parameters(mut self, schema: impl Into<Schema>) -> Self {
        self.parameters = Some(schema.into());
        self.derived = false;
        self
    }

    /// The parameters as the type `T` has them: doc comments become descriptions, the order of fields is kept, and a
    /// type without fields has no properties. The type's own comment describes the tool, if nothing else does.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn parameters_of<T: schemars::JsonSchema>(mut self) -> Self {
        self = self.parameters(typed::parameters_schema::<T>());
        self.derived = true;
        self
    }

    /// What the body answers with, and how a model reads it. Mandatory.
    #[must_use]
    pub fn output(mut self, output: OutputSpec) -> Self {
        self.output = Some(output);
        self
    }

    /// A body over Rust types, and the schemas that they have: [`parameters_of`](Self::parameters_of) `A` and
    /// [`OutputSpec::of`] `O`, each unless it was given before, and [`handler`](Self::handler).
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn typed<A, O, E, F, Fut>(mut self, handler: F) -> Self
    where
        A: DeserializeOwned + schemars::JsonSchema + Send + 'static,
        O: Serialize + schemars::JsonSchema,
        E: Into<ToolError>,
        F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
    {
        if self.parameters.is_none() {
            self = self.parameters_of::<A>();
        }
        if self.output.is_none() {
            self.output = Some(OutputSpec::of::<O>());
        }
        self.handler(handler)
    }

    /// A body that takes its arguments as the type `A` and answers with anything that serialises.
    ///
    /// Arguments that are valid under the parameters and do not fit `A` end in `INVALID_ARGS`, which names the place; what
    /// the schema calls `writeOnly`, or of the format `password`, is not quoted. Before that `A` is tried once more, on a
    /// copy: there a whole number such as `5.0` is `5` where the schema says integer, and a `null` that is in the way is
    /// gone where the schema declares the property and does not require it. Policies, guards, logs and
    /// [`ToolContext::arguments`](crate::ToolExecution::arguments) see what was sent. What the schema itself does not let
    /// through, a `null` for what it calls an integer for example, has been refused before. A type without fields, `()`
    /// included, takes any object.
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
        self.classifier = Some(Arc::new(move |arguments, _| classifier(arguments)));
        self
    }

    /// [`concurrency_safe`](Self::concurrency_safe) over arguments of the type `A`, read as a
    /// [`handler`](Self::handler) reads them. What does not fit `A` is not safe.
    #[must_use]
    pub fn concurrency_safe_for<A: DeserializeOwned>(
        mut self,
        classifier: impl Fn(&A) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.classifier = Some(typed::classifier(classifier));
        self
    }

    /// Computes from the arguments what a call reads and writes. Calls whose keys exclude each other never run at the
    /// same time, in any batch or scope of the registry; a call with keys may overlap with others of its batch, unless
    /// a classifier says no. A panic counts as [`ResourceKeys::everything`].
    #[must_use]
    pub fn resources(mut self, keys: impl Fn(&Value) -> ResourceKeys + Send + Sync + 'static) -> Self {
        self.resources = Some(Arc::new(move |arguments, _| keys(arguments)));
        self
    }

    /// [`resources`](Self::resources) over arguments of the type `A`, read as a [`handler`](Self::handler) reads them.
    /// What does not fit `A` counts as [`ResourceKeys::everything`].
    ///
    /// ```
    /// use toolgate::{ResourceKeys, tool};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Edit {
    ///     path: String,
    /// }
    ///
    /// let edit = tool("edit").resources_for(|edit: &Edit| ResourceKeys::new().write(format!("file:{}", edit.path)));
    /// # let _ = edit;
    /// ```
    #[must_use]
    pub fn resources_for<A: DeserializeOwned>(
        mut self,
        keys: impl Fn(&A) -> ResourceKeys + Send + Sync + 'static,
    ) -> Self {
        self.resources = Some(typed::keys(keys));
        self
    }

    /// What the model is told when the body fails with an `E`: a code, a message, whether to try again. See
    /// [`ToolError`] for an example.
    ///
    /// It is asked about errors that became a [`ToolError`] by conversion, such as by `?`, and about no others; the first
    /// of several that knows the type answers. The error stays the source, where the answer has none of its own, and so do
    /// details and the word on trying again.
    #[must_use]
    pub fn map_error<E: std::error::Error + Send + Sync + 'static>(
        mut self,
        map: impl Fn(&E) -> ToolError + Send + Sync + 'static,
    ) -> Self {
        self.errors.push(Arc::new(move |source| source.downcast_ref::<E>().map(&map)));
        self
    }

    /// How much text of a success the model gets, in bytes, over all its blocks. Of a longer one it gets the first and the
    /// last half of that, whole lines where they are short enough, and in between a note of how many bytes of how many are
    /// left out, which comes on top. The value stays whole; images and other blocks stay where they are. Default: all.
    ///
    /// It is part of the rendering: what a post-policy puts in place of the content is not cut, and the finalizer gets
    /// what was kept.
    #[must_use]
    pub fn max_text_bytes(mut self, bytes: usize) -> Self {
        self.max_text_bytes = Some(bytes);
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
