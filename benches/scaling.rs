//! What a call costs with ever more policies, tools and calls beside it.
//!
//! `cargo bench --bench scaling`; with `-- --test` it tries every row once.

#[allow(dead_code, reason = "each bench uses its part")]
mod common;

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use common::{
    adding::{Through, add, bare, definition, from_value, full, output, parameters},
    floor::Floor,
    rounds::{Rounds, is_a_try, median, print_ratio, print_value, repeated},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use toolgate::{
    BatchOptions, Installer, OutputSpec, Plugin, RegisterError, ToolCall, ToolContext, ToolError, ToolRegistry, tool,
};

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    policies(&runtime);
    tools(&runtime);
    nested(&runtime);
    registration();
    batches(&runtime);
}

/// The same registry with so many policies more, of each kind that delegates.
fn policies(runtime: &Runtime) {
    const MORE: [usize; 8] = [0, 1, 2, 4, 8, 16, 32, 64];
    let floor = Floor::new(&parameters(), &output(), add);
    let (args, token) = (json!({"a": 2, "b": 3}), CancellationToken::new());
    let with = |kind: &str, more: usize| {
        let registry = full(definition("add"));
        for i in 0..more {
            let policy = Through(format!("more_{i}"));
            let added = match kind {
                "pre" => registry.pre_policy(policy),
                "wrapper" => registry.wrapper(policy),
                _ => registry.post_policy(policy),
            };
            added.expect("the name is free");
        }
        registry
    };
    let kinds = ["pre", "wrapper", "post"];
    let rows: Vec<(String, ToolRegistry)> =
        kinds.into_iter().flat_map(|kind| MORE.map(|more| (format!("{kind}_{more}"), with(kind, more)))).collect();

    let mut rounds = Rounds::new();
    rounds.row("floor_v", |n| runtime.block_on(repeated(n, || floor.call(black_box(&args)))));
    for (name, registry) in &rows {
        rounds.calls(name, runtime, registry, || from_value(&token));
    }
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("floor_v");
    for (kind, more) in kinds.iter().flat_map(|kind| [8_u32, 64].map(|more| (kind, more))) {
        let added = medians.of(&format!("{kind}_{more}")) - medians.of(&format!("{kind}_0"));
        print_ratio(&format!("per_{kind}_{more}"), added / f64::from(more) / medians.of("floor_v"));
    }
}

fn tools(runtime: &Runtime) {
    const MANY: [usize; 4] = [10, 100, 1_000, 10_000];
    let token = CancellationToken::new();
    let registries = MANY.map(|many| {
        let registry = full(definition("add"));
        registry.install(&Many(many - 1)).expect("the names are free");
        (many, registry)
    });
    let mut rounds = Rounds::new();
    for (many, registry) in &registries {
        rounds.calls(format!("tools_{many}"), runtime, registry, || from_value(&token));
    }
    for (many, registry) in &registries {
        rounds.row(format!("schemas_{many}"), |n| runtime.block_on(repeated(n, || async { registry.schemas() })));
    }
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("tools_10");
    medians.ratio("tools_10000", "tools_10000", "tools_10");
    medians.ratio("schemas_10000", "schemas_10000", "schemas_10");
}

/// So many tools, registered in one step.
#[derive(Debug)]
struct Many(usize);

impl Plugin for Many {
    fn name(&self) -> &str {
        "many"
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        (0..self.0).try_for_each(|i| installer.register(definition(&format!("tool_{i}"))).map(drop))
    }
}

fn nested(runtime: &Runtime) {
    let token = CancellationToken::new();
    let registry = bare(definition("add"));
    let outer = tool("outer").parameters(parameters()).output(OutputSpec::any()).body(|cx: ToolContext| async move {
        let inner = cx.nested_call("add").with_arguments(cx.arguments().clone());
        let result = cx.call(inner).await;
        result.value().cloned().ok_or_else(|| ToolError::failed("the inner call failed"))
    });
    registry.register(outer).expect("the bench's tool is valid");
    let outer = || ToolCall::new("1", "outer").with_arguments(json!({"a": 2, "b": 3})).with_cancellation(token.clone());
    assert_eq!(runtime.block_on(registry.execute(outer())).value(), Some(&json!(5)));

    let mut rounds = Rounds::new();
    rounds.calls("one_call", runtime, &registry, || from_value(&token));
    rounds.calls("call_with_a_nested_one", runtime, &registry, outer);
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("one_call");
    medians.ratio("nested", "call_with_a_nested_one", "one_call");
}

/// Not in turns: each of these can be done once.
fn registration() {
    let many = if is_a_try() { 100 } else { 10_000 };
    let registry = ToolRegistry::new();
    let scopes: Vec<_> = (0..10).map(|i| registry.scope(format!("agent_{i}"))).collect();
    registry.install(&Many(many - 1)).expect("the names are free");
    let listed = || scopes.iter().map(|scope| scope.schemas().len()).sum::<usize>();
    assert_eq!(listed(), 10 * (many - 1));
    let mut took: Vec<Duration> = Vec::new();
    for _ in 0..11 {
        let last = definition("last");
        let start = Instant::now();
        let last = registry.register(last).expect("the name is free");
        took.push(start.elapsed());
        assert_eq!(listed(), 10 * many);
        last.remove();
    }
    print_value("register_10000th_ms", median(took).as_secs_f64() * 1e3);

    let many = many / 10;
    let compile = |schema: Value| black_box(jsonschema::validator_for(&schema).expect("it is valid"));
    let times = |mut once: Box<dyn FnMut() -> Duration>| {
        let took: Vec<Duration> = (0..11).map(|_| once()).collect();
        median(took).as_secs_f64()
    };
    let alone = times(Box::new(move || {
        let start = Instant::now();
        let compiled: Vec<_> = (0..many).map(|_| (compile(parameters()), compile(output()))).collect();
        let took = start.elapsed();
        drop(compiled);
        took
    }));
    let plugin = times(Box::new(move || {
        let registry = ToolRegistry::new();
        let start = Instant::now();
        registry.install(&Many(many)).expect("the names are free");
        start.elapsed()
    }));
    print_ratio("plugin_1000", plugin / alone);
}

fn batches(runtime: &Runtime) {
    let many = if is_a_try() { 100 } else { 10_000 };
    let registry = ToolRegistry::new();
    let definition = definition("add").concurrency_safe(|_| true);
    registry.register(definition).expect("the bench's tool is valid");
    let token = CancellationToken::new();
    let (mut batch, mut sequence) = (Vec::new(), Vec::new());
    for _ in 0..11 {
        let calls: Vec<ToolCall> = (0..many).map(|_| from_value(&token)).collect();
        let options = BatchOptions::new().max_parallel(many);
        let start = Instant::now();
        let results = runtime.block_on(registry.execute_batch(calls, options));
        batch.push(start.elapsed());
        assert!(results.iter().all(|result| result.is_success()));
        let calls: Vec<ToolCall> = (0..many).map(|_| from_value(&token)).collect();
        let start = Instant::now();
        let results: Vec<Arc<_>> = runtime.block_on(async {
            let mut results = Vec::with_capacity(many);
            for call in calls {
                results.push(registry.execute(call).await);
            }
            results
        });
        sequence.push(start.elapsed());
        drop(results);
    }
    print_ratio("batch_10000", median(batch).as_secs_f64() / median(sequence).as_secs_f64());
}
