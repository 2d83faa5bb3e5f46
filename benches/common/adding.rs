//! The tool `add`, registries that run it, and calls of it.

#![allow(clippy::unused_async, reason = "bodies are async, though these have nothing to wait for")]

use std::{hint::black_box, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate::{
    DispatchExecution, DispatchOutcome, ExecuteNext, ExecuteWrapper, GuardVerdict, OutputSpec, PolicyError,
    PostDecision, PostNext, PostPolicy, PreDecision, PreNext, PrePolicy, ToolCall, ToolContext, ToolDefinition,
    ToolError, ToolExecution, ToolRegistry, ToolResult, guard_fn, observer_fn, tool,
};

#[derive(Deserialize)]
pub(crate) struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize)]
pub(crate) struct Sum(i64);

pub(crate) async fn add(args: Add) -> Result<Sum, ToolError> {
    Ok(Sum(args.a + args.b))
}

pub(crate) fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    })
}

pub(crate) fn output() -> Value {
    json!({"type": "integer"})
}

pub(crate) fn definition(name: &str) -> ToolDefinition {
    tool(name)
        .description("Adds two integers")
        .parameters(parameters())
        .output(OutputSpec::json(output()))
        .handler(|_cx: ToolContext, args: Add| add(args))
}

/// A policy that has no opinion.
#[derive(Debug)]
pub(crate) struct Through(pub(crate) String);

#[async_trait]
impl PrePolicy for Through {
    fn name(&self) -> &str {
        &self.0
    }

    async fn decide(&self, _cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        next.run().await
    }
}

#[async_trait]
impl ExecuteWrapper for Through {
    fn name(&self) -> &str {
        &self.0
    }

    async fn wrap(&self, _cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        next.run().await
    }
}

#[async_trait]
impl PostPolicy for Through {
    fn name(&self) -> &str {
        &self.0
    }

    async fn review(
        &self,
        _cx: &ToolExecution,
        _outcome: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        next.run().await
    }
}

/// No policy at all: the stages, and nobody at them.
pub(crate) fn bare(definition: ToolDefinition) -> ToolRegistry {
    let registry = ToolRegistry::new();
    registry.register(definition).expect("the bench's tool is valid");
    registry
}

/// 3 pre-policies, 2 guards, 1 wrapper, 1 post-policy, 2 observers and a finalizer.
pub(crate) fn full(definition: ToolDefinition) -> ToolRegistry {
    let registry = bare(definition.finalize_content(|_| None));
    for name in ["first", "second", "third"] {
        registry.pre_policy(Through(name.to_owned())).expect("the name is free");
    }
    for name in ["first", "second"] {
        registry.guard(guard_fn(name, |_| GuardVerdict::Abstain)).expect("a guard can be registered");
        let observer = observer_fn(name, |_, result| _ = black_box(Arc::as_ptr(result)));
        registry.observer(observer).expect("an observer can be registered");
    }
    registry.wrapper(Through("wrapper".to_owned())).expect("the name is free");
    registry.post_policy(Through("post".to_owned())).expect("the name is free");
    registry
}

/// A call that is ready to go, as a value.
pub(crate) fn from_value(token: &CancellationToken) -> ToolCall {
    ToolCall::new("call_1", "add").with_arguments(json!({"a": 2, "b": 3})).with_cancellation(token.clone())
}

/// The same as text.
pub(crate) fn from_text(token: &CancellationToken) -> ToolCall {
    ToolCall::from_model("call_1", "add", r#"{"a": 2, "b": 3}"#).with_cancellation(token.clone())
}

/// A call that is refused: one argument is of the wrong type, the other is missing.
pub(crate) fn invalid(token: &CancellationToken) -> ToolCall {
    ToolCall::new("call_1", "add").with_arguments(json!({"a": "2"})).with_cancellation(token.clone())
}
