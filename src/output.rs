//! What a tool answers with, and how a model reads it.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{content::ContentBlock, schema_builder::Schema};

pub(crate) type Render = Arc<dyn Fn(&Value) -> Vec<ContentBlock> + Send + Sync>;

/// The declaration of a tool's output: a JSON Schema for the value, and how it is rendered for the model.
///
/// Without [`render`](OutputSpec::render), strings are shown as they are and other values as compact JSON.
#[derive(Clone)]
pub struct OutputSpec {
    pub(crate) schema: Schema,
    pub(crate) render: Option<Render>,
}

impl OutputSpec {
    /// Values of `schema`: a [`Schema`] or a [`Value`].
    pub fn json(schema: impl Into<Schema>) -> Self {
        Self { schema: schema.into(), render: None }
    }

    /// Text.
    pub fn text() -> Self {
        Self::json(json!({ "type": "string" }))
    }

    /// Any JSON.
    pub fn any() -> Self {
        Self::json(json!({}))
    }

    /// Values of the type `T`, as it serialises.
    #[cfg(feature = "schemars")]
    pub fn of<T: schemars::JsonSchema>() -> Self {
        Self::json(crate::typed::output_schema::<T>())
    }

    /// The declaration, with a rendering of its own. A panic in it makes the outcome `INVALID_TOOL_OUTPUT`.
    #[must_use]
    pub fn render(mut self, render: impl Fn(&Value) -> Vec<ContentBlock> + Send + Sync + 'static) -> Self {
        self.render = Some(Arc::new(render));
        self
    }
}

impl OutputSpec {
    /// [`render`](Self::render) over values of the type `T`. What does not fit `T`, such as a value that a policy put in
    /// place of the body's, is shown as if nothing had been said.
    ///
    /// ```
    /// use toolgate::{ContentBlock, OutputSpec};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Found {
    ///     lines: Vec<String>,
    /// }
    ///
    /// let output = OutputSpec::any().render_for(|found: &Found| vec![ContentBlock::text(found.lines.join("\n"))]);
    /// # let _ = output;
    /// ```
    #[must_use]
    pub fn render_for<T: DeserializeOwned>(
        self,
        render: impl Fn(&T) -> Vec<ContentBlock> + Send + Sync + 'static,
    ) -> Self {
        self.render(move |value| {
            T::deserialize(value).map_or_else(|_| vec![render_plainly(value)], |value| render(&value))
        })
    }
}

impl std::fmt::Debug for OutputSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputSpec").field("own_render", &self.render.is_some()).finish_non_exhaustive()
    }
}

/// Strings as they are, other values as compact JSON.
pub(crate) fn render_plainly(value: &Value) -> ContentBlock {
    ContentBlock::text(match value {
        Value::String(text) => text.clone(),
        // Into a text that has room from the start, unlike `to_string`; writing a value does not fail.
        other => serde_json::to_string(other).unwrap_or_else(|_| other.to_string()),
    })
}
