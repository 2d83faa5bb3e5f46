//! What a call costs beside its body. Rows compare within one run of one binary only.
//!
//! `cargo bench --bench overhead`; `cargo bench --bench overhead -- --test` tries every row once.

#![expect(missing_docs, reason = "the macros of criterion make undocumented items")]

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate::{
    DispatchExecution, DispatchOutcome, ExecuteNext, ExecuteWrapper, GuardVerdict, OutputSpec, PolicyError,
    PostDecision, PostNext, PostPolicy, PreDecision, PreNext, PrePolicy, ToolCall, ToolContext, ToolDefinition,
    ToolError, ToolExecution, ToolRegistry, ToolResult, guard_fn, observer_fn, tool,
};

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize)]
struct Sum(i64);

#[expect(clippy::unused_async, reason = "a body is async, though this one has nothing to wait for")]
async fn add(args: Add) -> Result<Sum, ToolError> {
    Ok(Sum(args.a + args.b))
}

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    })
}

fn output() -> Value {
    json!({"type": "integer"})
}

fn definition() -> ToolDefinition {
    tool("add")
        .description("Adds two integers")
        .parameters(parameters())
        .output(OutputSpec::json(output()))
        .handler(|_cx: ToolContext, args: Add| add(args))
}

#[derive(Debug)]
struct Through(&'static str);

#[async_trait]
impl PrePolicy for Through {
    fn name(&self) -> &str {
        self.0
    }

    async fn decide(&self, _cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        next.run().await
    }
}

#[async_trait]
impl ExecuteWrapper for Through {
    fn name(&self) -> &str {
        self.0
    }

    async fn wrap(&self, _cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        next.run().await
    }
}

#[async_trait]
impl PostPolicy for Through {
    fn name(&self) -> &str {
        self.0
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

/// What every implementation has to do: validate, read, call, write, validate.
struct Floor {
    parameters: Validator,
    output: Validator,
}

impl Floor {
    fn new() -> Self {
        let compile = |schema: Value| jsonschema::validator_for(&schema).expect("the bench's schemas are valid");
        Self { parameters: compile(parameters()), output: compile(output()) }
    }

    async fn call(&self, args: &Value) -> Option<Value> {
        if !self.parameters.is_valid(args) {
            return None;
        }
        let sum = add(Add::deserialize(args).ok()?).await.ok()?;
        let value = serde_json::to_value(sum).ok()?;
        self.output.is_valid(&value).then_some(value)
    }
}

/// No policy at all: the stages, and nobody at them.
fn bare() -> ToolRegistry {
    let registry = ToolRegistry::new();
    registry.register(definition()).expect("the bench's tool is valid");
    registry
}

/// 3 pre-policies, 2 guards, 1 wrapper, 1 post-policy, 2 observers and a finalizer.
fn full() -> ToolRegistry {
    let registry = ToolRegistry::new();
    registry.register(definition().finalize_content(|_| None)).expect("the bench's tool is valid");
    for name in ["first", "second", "third"] {
        registry.pre_policy(Through(name)).expect("the name is free");
    }
    for name in ["first", "second"] {
        registry.guard(guard_fn(name, |_| GuardVerdict::Abstain)).expect("a guard can be registered");
        let observer = observer_fn(name, |_, result| _ = black_box(Arc::as_ptr(result)));
        registry.observer(observer).expect("an observer can be registered");
    }
    registry.wrapper(Through("wrapper")).expect("the name is free");
    registry.post_policy(Through("post")).expect("the name is free");
    registry
}

/// A call that is ready to go, as a value and as text.
fn from_value(token: &CancellationToken) -> ToolCall {
    ToolCall::new("call_1", "add").with_arguments(json!({"a": 2, "b": 3})).with_cancellation(token.clone())
}

fn from_text(token: &CancellationToken) -> ToolCall {
    ToolCall::from_model("call_1", "add", r#"{"a": 2, "b": 3}"#).with_cancellation(token.clone())
}

fn invalid(token: &CancellationToken) -> ToolCall {
    ToolCall::new("call_1", "add").with_arguments(json!({"a": "2"})).with_cancellation(token.clone())
}

/// How long `calls` calls take, one after the other, with the drop of their results. Making a call and its token is the
/// caller's cost; they are made a few at a time, so that they are still in the cache when their turn comes.
async fn timed(registry: &ToolRegistry, calls: u64, make: impl Fn() -> ToolCall) -> Duration {
    const AT_A_TIME: u64 = 32;
    let (mut took, mut left) = (Duration::ZERO, calls);
    while left > 0 {
        let some: Vec<ToolCall> = (0..left.min(AT_A_TIME)).map(|_| make()).collect();
        left = left.saturating_sub(AT_A_TIME);
        let start = Instant::now();
        for call in some {
            drop(black_box(registry.execute(call).await));
        }
        took += start.elapsed();
    }
    took
}

type Row = (&'static str, ToolRegistry, fn(&CancellationToken) -> ToolCall, bool);

fn overhead(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let mut group = c.benchmark_group("add");

    let floor = Floor::new();
    let args = json!({"a": 2, "b": 3});
    assert_eq!(runtime.block_on(floor.call(&args)), Some(json!(5)));
    group.bench_function("floor_v", |b| b.to_async(&runtime).iter(|| floor.call(black_box(&args))));
    group.bench_function("body", |b| b.to_async(&runtime).iter(|| async { add(black_box(Add { a: 2, b: 3 })).await }));

    let token = CancellationToken::new();
    let rows: [Row; 4] = [
        ("bare", bare(), from_value, true),
        ("full", full(), from_value, true),
        ("full_from_text", full(), from_text, true),
        ("full_invalid", full(), invalid, false),
    ];
    for (name, registry, make, succeeds) in &rows {
        let make = || make(&token);
        assert_eq!(runtime.block_on(registry.execute(make())).is_success(), *succeeds, "{name}");
        group.bench_function(*name, |b| {
            b.to_async(&runtime).iter_custom(|calls| timed(registry, calls, make));
        });
    }
    group.finish();
}

criterion_group!(benches, overhead);
criterion_main!(benches);
