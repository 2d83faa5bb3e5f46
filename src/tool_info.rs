//! What a program may know of a tool that it sees.

use std::{fmt, sync::Arc, time::Duration};

use serde_json::Value;

use crate::{annotations::Annotations, schema::Shielded, tool_schema::ToolSchema};

/// What a program may know of a registered tool: the manual that a model reads, and what its author declared beside it.
/// For listings, exports and user interfaces. A snapshot; cheap to clone.
///
/// The schemas in it have been admitted: they are bounded, and every reference in them leads somewhere inside of them.
#[derive(Clone)]
pub struct ToolInfo {
    schema: ToolSchema,
    output_schema: Arc<Shielded>,
    annotations: Annotations,
    timeout: Option<Duration>,
}

impl ToolInfo {
    pub(crate) fn new(
        schema: ToolSchema,
        output_schema: Arc<Shielded>,
        annotations: Annotations,
        timeout: Option<Duration>,
    ) -> Self {
        Self { schema, output_schema, annotations, timeout }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.schema.name()
    }

    /// The manual: name, description and parameters.
    pub fn schema(&self) -> &ToolSchema {
        &self.schema
    }

    /// The JSON Schema of the values it answers with.
    pub fn output_schema(&self) -> &Value {
        &self.output_schema
    }

    /// What it says of its effects.
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// How long one run of its body may take, where its author said so.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }
}

impl fmt::Debug for ToolInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolInfo")
            .field("schema", &self.schema)
            .field("annotations", &self.annotations)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
