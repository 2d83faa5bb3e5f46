//! What a tool's body gets.

use std::{fmt, ops::Deref, sync::Arc};

use crate::{
    call::ToolCall,
    call_core::{Home, Origin},
    code::ErrorCode,
    content::AdditionalContext,
    error::ToolError,
    execution::{DispatchExecution, ToolExecution},
    reading::{Unreadable, read},
    result::{ToolResult, never_started},
    signal::Signal,
};
use serde::de::DeserializeOwned;

/// A body's handle on its call: owned, and cheap to clone. Reads like a [`ToolExecution`].
///
/// It is dead when the body's run ends: contexts are refused then, and its signal has fired.
#[derive(Clone)]
pub struct ToolContext {
    execution: DispatchExecution,
    run: u64,
    home: Arc<dyn Home>,
    /// The place of the tool there.
    tool: usize,
    /// Whether messages may quote what was sent.
    quote: bool,
}

impl ToolContext {
    pub(crate) fn new(execution: DispatchExecution, run: u64, home: Arc<dyn Home>, tool: usize, quote: bool) -> Self {
        Self { execution, run, home, tool, quote }
    }

    /// The arguments as the type `T`, for bodies that are no [handlers](crate::ToolDefinition::handler), and as leniently:
    /// where `T` does not take them as they are, whole numbers such as `5.0` are integers where the schema says so, and a
    /// `null` counts as absent where the schema declares the property and does not require it. What
    /// [`arguments`](ToolExecution::arguments) shows stays what was sent.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolgate::{OutputSpec, Schema, tool};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Wait {
    ///     seconds: u64,
    /// }
    ///
    /// let wait = tool("wait")
    ///     .parameters(Schema::object().required("seconds", Schema::integer().minimum(0)))
    ///     .output(OutputSpec::any())
    ///     .body(|cx| async move {
    ///         let Wait { seconds } = cx.arguments_as()?;
    ///         Ok(json!({ "waited": seconds }))
    ///     });
    /// # let _ = wait;
    /// ```
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS` with a pointer to the place that does not fit `T`.
    pub fn arguments_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.read().map_err(|Unreadable { message, source }| {
            let message = format!("invalid arguments: {message}");
            ToolError::reserved(&ErrorCode::INVALID_ARGS, message).with_source(source)
        })
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        read(self.arguments(), self.home.parameters(self.tool), self.quote)
    }

    /// Tells the model `text` after the result, apart from it, in the tool's name.
    ///
    /// # Errors
    ///
    /// Gives the context back if the run has ended: nobody would hear it.
    pub fn defer_context(&self, text: impl Into<String>) -> Result<(), AdditionalContext> {
        self.core.runs.defer(self.run, AdditionalContext::new(text, self.name()))
    }

    /// Asks for the turn to end with this result, if it is a success. False if the run has ended already.
    pub fn conclude_turn(&self) -> bool {
        self.core.runs.conclude(self.run)
    }

    /// A call of the tool `name`, for [`call`](Self::call), with an id that tells where it comes from:
    /// `<this call's id>/<n>`.
    pub fn nested_call(&self, name: impl Into<Arc<str>>) -> ToolCall {
        ToolCall::new(self.core.next_nested_id(), name)
    }

    /// Makes a call from within this one: it goes through all stages.
    ///
    /// It is made in this call's scope, whatever scope it names, and inherits this call's extensions (its own come
    /// before them), root id and cancellation: a deadline or cancellation of this run ends it too, beside its own
    /// token. Its contexts and its wish to conclude are in its result; [`forward`](Self::forward) passes them on.
    ///
    /// # Errors
    ///
    /// None: every failure is a result. Nested deeper than the registry's limit it is `CALL_DEPTH_EXCEEDED`; once this
    /// run has ended, `ABORTED_BEFORE_DISPATCH`, which observers hear of while there is a registry.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the call, which still gets its one result. A call that outlives this run is cancelled.
    pub async fn call(&self, call: ToolCall) -> Arc<ToolResult> {
        let call = call.inheriting(self.agent(), self.extensions());
        let origin = Origin { outer: Some(self.signal()), parent: Some((**self).clone()) };
        match self.home.caller() {
            Some(caller) => caller.call(call, origin).await,
            // Whoever runs a call holds the registry: the run is over.
            None => Arc::new(ToolResult::failure(never_started())),
        }
    }

    /// Passes on what a nested call wants the model told after its result, and its wish to conclude the turn.
    /// False if the run has ended already.
    pub fn forward(&self, nested: &ToolResult) -> bool {
        let contexts = nested.additional_contexts().iter().cloned();
        let told =
            contexts.map(|context| self.core.runs.defer(self.run, context).is_ok()).fold(true, |all, one| all & one);
        if nested.concludes_turn() { self.conclude_turn() && told } else { told }
    }

    /// The cancellation that this run of the body is under: the caller's, every wrapper's and the definition's
    /// deadline. It also fires when the run ends.
    pub fn signal(&self) -> Signal {
        self.core.runs.signal(self.run, &self.execution.signal())
    }
}

impl Deref for ToolContext {
    type Target = ToolExecution;

    fn deref(&self) -> &ToolExecution {
        &self.execution
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("execution", &self.execution)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
