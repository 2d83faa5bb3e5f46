//! How often a call allocates: exact, so that a change for the worse fails here. Bytes are those of this crate's types
//! on a machine of 64 bits.

#[path = "../benches/common/mod.rs"]
#[allow(dead_code, reason = "the benches use the rest")]
mod common;

use allocation_counter::{AllocationInfo, measure};
use common::adding::{bare, definition, from_text, from_value, full, invalid};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use toolgate::{ToolCall, ToolRegistry};

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
    let mut counted = None;
    runtime.block_on(async {
        let future = registry.execute(call);
        let mut future = std::pin::pin!(future);
        let polled = std::cell::RefCell::new(None);
        std::future::poll_fn(|cx| {
            counted = Some(measure(|| *polled.borrow_mut() = Some(future.as_mut().poll(cx).map(drop))));
            polled.take().expect("it was polled")
        })
        .await;
    });
    counted.expect("the call was polled")
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
