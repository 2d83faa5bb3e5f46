//! The manual of a tool.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

/// The only thing a model ever sees of a tool: name, description and parameters.
///
/// Serialises in exactly this order, the properties of the parameters in their author's. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolSchema {
    pub(crate) name: Arc<str>,
    description: Arc<str>,
    parameters: Arc<Value>,
}

impl ToolSchema {
    pub(crate) fn new(name: Arc<str>, description: Arc<str>, parameters: Value) -> Self {
        Self { name, description, parameters: Arc::new(parameters) }
    }

    /// What the model calls it by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of its arguments.
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }
}
