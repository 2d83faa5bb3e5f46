//! Tools over Rust types: schemas from types, lenient reading, errors, keys, bounded text.

mod bound;
mod errors;
mod keys;
mod lenient;
#[cfg(feature = "schemars")]
mod round_trip;
#[cfg(feature = "schemars")]
mod schemas;
mod secrets;
#[cfg(feature = "schemars")]
mod types;

use std::{
    fmt::Debug,
    future::Future,
    sync::{Arc, Mutex},
};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toolgate::{OutputSpec, Schema, ToolCall, ToolContext, ToolDefinition, ToolError, ToolRegistry, ToolResult, tool};

/// Runs a future on a runtime whose clock is paused.
fn paused<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime can be built");
    runtime.block_on(future)
}

/// A registry of one tool.
fn only(definition: ToolDefinition) -> ToolRegistry {
    let registry = ToolRegistry::new();
    registry.register(definition).expect("the definition is good");
    registry
}

fn call(registry: &ToolRegistry, name: &str, arguments: Value) -> Arc<ToolResult> {
    paused(registry.execute(ToolCall::new("c", name).with_arguments(arguments)))
}

/// What a handler over `A` gets of `arguments`, or the failure's message.
#[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
fn read<A>(schema: impl Into<Schema>, arguments: Value) -> Result<A, String>
where
    A: DeserializeOwned + Debug + Send + 'static,
{
    let got = Arc::new(Mutex::new(None));
    let slot = got.clone();
    let registry =
        only(tool("t").parameters(schema).output(OutputSpec::any()).handler(move |cx: ToolContext, arguments: A| {
            *slot.lock().expect("not poisoned") = Some(arguments);
            async move { Ok::<_, ToolError>(cx.arguments().clone()) }
        }));
    let result = call(&registry, "t", arguments.clone());
    match result.error() {
        None => {
            assert_eq!(result.value(), Some(&arguments), "the arguments themselves never change");
            Ok(got.lock().expect("not poisoned").take().expect("the handler ran"))
        }
        Some(failure) => {
            assert_eq!(failure.code, "INVALID_ARGS", "{}", failure.message);
            assert_eq!(failure.effects, toolgate::Effects::None, "the handler was not entered");
            Err(failure.message.clone())
        }
    }
}

/// An object schema whose properties say nothing.
fn loose() -> Value {
    json!({ "type": "object" })
}
