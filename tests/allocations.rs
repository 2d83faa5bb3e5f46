//! How often a call allocates: exact, so that a change for the worse fails here. Bytes are those of this crate's types
//! on a machine of 64 bits.

#[path = "../benches/common/mod.rs"]
#[allow(dead_code, reason = "the benches use the rest")]
mod common;

use allocation_counter::{AllocationInfo, measure};
use common::{
    adding::{Through, bare, definition, from_text, from_value, full, invalid},
    floor::Floor,
    texts::{put, put_arguments, put_call, put_definition, put_output, put_parameters, read_call, read_definition},
};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use toolgate::{BatchOptions, OutputSpec, ToolCall, ToolRegistry, tool};

const KIB: u64 = 1024;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built")
}

/// What one call allocates, with the drop of its result; the first calls, which make what is kept, are not counted.
fn of_a_call(registry: &ToolRegistry, make: impl Fn(&CancellationToken) -> ToolCall) -> AllocationInfo {
    let (runtime, token) = (runtime(), CancellationToken::new());
    for _ in 0..3 {
        runtime.block_on(registry.execute(make(&token)));
    }
    let call = make(&token);
    let _kept = call.clone();
    runtime.block_on(of_a_poll(registry.execute(call)))
}

/// What the first poll of a future allocates, with the drop of what it answers. The future is kept until it has ended.
async fn of_a_poll<T>(future: impl Future<Output = T>) -> AllocationInfo {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        let counted = measure(|| _ = future.as_mut().poll(cx).map(drop));
        std::task::Poll::Ready(counted)
    })
    .await
}

#[track_caller]
fn allocates(registry: &ToolRegistry, make: impl Fn(&CancellationToken) -> ToolCall, times: u64) {
    let counted = of_a_call(registry, make);
    assert_eq!(counted.count_total, times, "{counted:?}");
    assert_eq!(counted.count_current, 0, "what a call allocates goes with its result: {counted:?}");
}

#[test]
fn a_bare_call() {
    allocates(&bare(definition("add")), from_value, 4);
}

#[test]
fn a_call_with_everybody_at_it() {
    allocates(&full(definition("add")), from_value, 9);
}

#[test]
fn a_call_from_text() {
    allocates(&full(definition("add")), from_text, 16);
}

#[test]
fn a_call_that_is_refused() {
    allocates(&full(definition("add")), invalid, 68);
}

#[test]
fn one_more_policy_is_one_more_allocation_however_many_there_are() {
    for more in [1, 8, 64] {
        let registry = bare(definition("add"));
        for i in 0..more {
            registry.pre_policy(Through(format!("pre_{i}"))).expect("the name is free");
        }
        allocates(&registry, from_value, 4 + more);
        let registry = bare(definition("add"));
        for i in 0..more {
            registry.wrapper(Through(format!("wrapper_{i}"))).expect("the name is free");
            registry.post_policy(Through(format!("post_{i}"))).expect("the name is free");
        }
        allocates(&registry, from_value, 4 + 2 * more);
    }
}

#[test]
fn a_text_is_in_the_body_in_the_value_and_in_the_content_and_nowhere_else() {
    for size in [4 * KIB, 100 * KIB] {
        let make = |_: &CancellationToken| read_call(usize::try_from(size).expect("it is small"));
        let counted = of_a_call(&full(read_definition()), make);
        // The body's own text becomes the value by being serialised.
        let beside_the_body = counted.bytes_total - size;
        assert!(beside_the_body <= 2 * size + 4 * KIB, "{counted:?}");
    }
}

#[test]
fn arguments_are_not_copied_but_into_the_bodys_own_type() {
    let (floor, args) = (Floor::new(&put_parameters(), &put_output(), put), put_arguments());
    let alone = runtime().block_on(of_a_poll(floor.call(&args)));
    let counted = of_a_call(&full(put_definition()), |_| put_call(args.clone()));
    // 9, as for any full call; dropping the arguments that the call was made with allocates nothing.
    assert_eq!(counted.count_total, alone.count_total + 9, "{alone:?} {counted:?}");
}

#[test]
fn listing_tools_allocates_nothing() {
    let registry = ToolRegistry::new();
    for i in 0..1_000 {
        registry.register(definition(&format!("tool_{i}"))).expect("the name is free");
    }
    assert_eq!(registry.schemas().len(), 1_000);
    assert_eq!(measure(|| drop(registry.schemas())).count_total, 0);
}

#[test]
fn a_call_that_waits_in_a_batch_holds_less_than_4_kib() {
    const CALLS: usize = 1_000;
    let registry = ToolRegistry::new();
    let waiting = tool("wait")
        .output(OutputSpec::any())
        .concurrency_safe(|_| true)
        .body(|_| async { std::future::pending().await });
    registry.register(waiting).expect("the tool is valid");
    let runtime = runtime();
    let calls: Vec<ToolCall> =
        (0..CALLS).map(|i| ToolCall::new(i.to_string(), "wait").with_arguments(json!({}))).collect();
    let token = CancellationToken::new();
    let options = BatchOptions::new().max_parallel(CALLS).cancellation(token.clone());
    runtime.block_on(async {
        let mut batch = Box::pin(registry.execute_batch(calls, options));
        let counted = of_a_poll(std::future::poll_fn(|cx| batch.as_mut().poll(cx))).await;
        let each = counted.bytes_current / i64::try_from(CALLS).expect("it is small");
        assert!((1..=4_096).contains(&each), "{each} bytes for each call that waits");
    });
}
