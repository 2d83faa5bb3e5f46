//! Runs a tool's steps.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate::{ScopeId, ToolContext, ToolError};

use crate::{
    part::Part,
    scenario::ToolSpec,
    silence::scripted_panic,
    step::Step,
    world::{OwnToken, pause},
};

pub(crate) async fn run(part: &Part<ToolSpec>, cx: ToolContext) -> Result<Value, ToolError> {
    let Part { spec, world } = part;
    world.trace.enter("body", &spec.name, &cx);
    let mut last = Value::Null;
    for step in &spec.body {
        match step {
            Step::SleepMs(ms) => {
                let signal = cx.signal();
                tokio::select! {
                    biased;
                    () = tokio::time::sleep(Duration::from_millis(*ms)) => {}
                    () = signal.cancelled() => {}
                }
            }
            Step::IgnoreCancelMs(ms) => pause(Some(*ms)).await,
            Step::WaitCancel(_) => cx.signal().cancelled().await,
            // Refused only when the run is over: the steps go on, as a body's own code might.
            Step::DeferContext(text) => drop(cx.defer_context(text.as_str())),
            Step::Conclude(_) => _ = cx.conclude_turn(),
            Step::Call(nested) => {
                let token = CancellationToken::new();
                let call = cx
                    .nested_call(nested.name.as_str())
                    .with_arguments(nested.arguments.clone())
                    .with_extension(OwnToken(token.clone()))
                    .with_cancellation(token);
                let result = cx.call(call).await;
                last = match result.outcome() {
                    Ok(value) => value.clone(),
                    Err(failure) => json!({ "error": failure.code.as_str() }),
                };
                world.trace.after("body", &spec.name, &cx);
            }
            Step::Unregister(name) => world.unregister(cx.agent().map(ScopeId::as_str), name),
            Step::AddGuard(guard) => world.add_guard(guard),
            Step::Return(value) => return Ok(value.clone()),
            Step::ReturnArgs(_) => return Ok(cx.arguments().clone()),
            Step::ReturnLast(_) => return Ok(last),
            Step::Fail(fail) => {
                return Err(match &fail.code {
                    Some(code) => ToolError::new(code.clone(), fail.message.as_str()),
                    None => ToolError::failed(fail.message.as_str()),
                });
            }
            Step::Panic(text) => scripted_panic(text),
        }
    }
    Ok(Value::Null)
}
