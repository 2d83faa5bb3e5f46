//! Bodies over Rust types.

use std::{future::Future, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use crate::{code::ErrorCode, context::ToolContext, cut::cut, definition::Body, error::ToolError, schema::at};

/// serde's words may quote the value: bytes of them that are told, enough for what was expected and what was got.
const WORDS: usize = 200;

/// A body that reads its arguments into `A` and serialises what it answers.
pub(crate) fn body<A, O, E, F, Fut>(handler: F) -> Body
where
    A: DeserializeOwned + Send + 'static,
    O: Serialize,
    E: Into<ToolError>,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, E>> + Send + 'static,
{
    Arc::new(move |cx| {
        let answer = match read::<A>(&cx) {
            Ok(arguments) => Ok(handler(cx, arguments)),
            Err(error) => Err(error),
        };
        Box::pin(async move {
            let output = answer?.await.map_err(Into::into)?;
            serde_json::to_value(output).map_err(|e| {
                ToolError::reserved(&ErrorCode::INVALID_TOOL_OUTPUT, "the tool's answer is no JSON").with_source(e)
            })
        })
    })
}

fn read<A: DeserializeOwned>(cx: &ToolContext) -> Result<A, ToolError> {
    serde_path_to_error::deserialize(cx.arguments()).map_err(|e| {
        let pointer = pointer(e.path());
        let message = format!("invalid arguments: {}", at(&pointer, cut(&e.inner().to_string(), WORDS)));
        ToolError::unreadable_arguments(message).with_source(e.into_inner())
    })
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use std::fmt::Write as _;

    use serde_path_to_error::Segment;

    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => _ = write!(out, "/{index}"),
            Segment::Map { key } => _ = write!(out, "/{}", key.replace('~', "~0").replace('/', "~1")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    out
}

/// The schema of `T`, whole: no references but for recursive types, and nothing about the schema itself.
#[cfg(feature = "schemars")]
pub(crate) fn schema_of<T: schemars::JsonSchema>() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}
