//! Tools over Rust types.

#[cfg(feature = "schemars")]
mod derive;

use std::{future::Future, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    code::ErrorCode,
    context::ToolContext,
    definition::{Body, Classifier, Keys},
    error::ToolError,
    reading::{Unreadable, read},
    resources::ResourceKeys,
};

#[cfg(feature = "schemars")]
pub(crate) use derive::{output_schema, parameters_schema};

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
        let answer = match cx.read::<A>() {
            Ok(arguments) => Ok(handler(cx, arguments)),
            Err(Unreadable { message, source }) => {
                let message = format!("invalid arguments: {message}");
                Err(ToolError::unreadable_arguments(message).with_source(source))
            }
        };
        Box::pin(async move {
            let output = answer?.await.map_err(Into::into)?;
            serde_json::to_value(output).map_err(|e| {
                ToolError::reserved(&ErrorCode::INVALID_TOOL_OUTPUT, "the tool's answer is no JSON").with_source(e)
            })
        })
    })
}

/// What does not fit `A` is everything.
pub(crate) fn keys<A: DeserializeOwned>(keys: impl Fn(&A) -> ResourceKeys + Send + Sync + 'static) -> Keys {
    Arc::new(move |arguments: &Value, parameters: &Value| {
        read::<A>(arguments, parameters, false)
            .map_or_else(|_| ResourceKeys::everything(), |arguments| keys(&arguments))
    })
}

/// What does not fit `A` is not safe.
pub(crate) fn classifier<A: DeserializeOwned>(safe: impl Fn(&A) -> bool + Send + Sync + 'static) -> Classifier {
    Arc::new(move |arguments: &Value, parameters: &Value| {
        read::<A>(arguments, parameters, false).is_ok_and(|arguments| safe(&arguments))
    })
}
