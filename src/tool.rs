//! A tool: a manual, an output declaration, and a pair of hands.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;

use crate::{contain::Shell, context::ToolContext, definition::ToolDefinition, error::ToolError};

/// A tool as an object: what it declares, and what it does.
///
/// For a tool that is one function, [`tool`](crate::tool()) and a closure are shorter.
///
/// ```
/// use async_trait::async_trait;
/// use serde_json::{Value, json};
/// use toolgate::{OutputSpec, Schema, Tool, ToolContext, ToolDefinition, ToolError, tool};
///
/// #[derive(Debug)]
/// struct Greet;
///
/// #[derive(serde::Deserialize)]
/// struct Arguments {
///     name: String,
/// }
///
/// #[async_trait]
/// impl Tool for Greet {
///     fn definition(&self) -> ToolDefinition {
///         tool("greet")
///             .description("Greets somebody")
///             .parameters(Schema::object().required("name", Schema::string()))
///             .output(OutputSpec::text())
///     }
///
///     async fn execute(&self, cx: ToolContext) -> Result<Value, ToolError> {
///         let Arguments { name } = cx.arguments_as()?;
///         Ok(json!(format!("Hello, {name}")))
///     }
/// }
/// ```
#[async_trait]
pub trait Tool: fmt::Debug + Send + Sync + 'static {
    /// Everything there is to know of it but the body, which [`execute`](Self::execute) is even where this brings one.
    /// Asked once, at registration.
    fn definition(&self) -> ToolDefinition;

    /// The body: runs on arguments that are valid under the definition's parameters.
    ///
    /// # Errors
    ///
    /// An error becomes a failed result with its code and message.
    ///
    /// # Cancellation
    ///
    /// The signal in `cx` tells of a cancellation or deadline; one grace period later the future is dropped at whatever
    /// it awaits, and its destructors run.
    async fn execute(&self, cx: ToolContext) -> Result<Value, ToolError>;
}

/// What can be registered as a tool: a [`Tool`], or a [`ToolDefinition`] with a body.
pub trait IntoTool {
    /// The definition, with its body.
    fn into_tool(self) -> ToolDefinition;
}

impl<T: Tool> IntoTool for T {
    fn into_tool(self) -> ToolDefinition {
        // Should `definition` panic, its own destructor may too.
        let object = Shell::new(Arc::new(self));
        object.definition().body_object(object.into_inner())
    }
}

impl IntoTool for ToolDefinition {
    fn into_tool(self) -> ToolDefinition {
        self
    }
}
