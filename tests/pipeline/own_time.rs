//! The own time of policies whose `next` is held and not polled: it passes all the same.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::json;
use toolgate::{PolicyError, PostDecision, PreDecision, PrePolicy, ToolCall, ToolRegistry, ToolResult};

use crate::{
    functions::{post, pre},
    support::{Act, Count, Trace, body_tool, counting, ms, paused},
};

fn registry() -> ToolRegistry {
    let registry = ToolRegistry::builder().policy_timeout(ms(100)).build().expect("good");
    registry.register(body_tool(Act::GoOn, Trace::default())).expect("good");
    registry
}

fn run(registry: &ToolRegistry) -> (Arc<ToolResult>, u64) {
    paused(registry.execute(ToolCall::new("c", "t")))
}

fn blamed(result: &ToolResult) -> (String, &str) {
    let failure = result.error().expect("it failed");
    (failure.code.to_string(), failure.source_name.as_deref().unwrap_or("nobody"))
}

/// Polls `inner` once.
async fn once<F: Future + Unpin>(inner: &mut F) -> Poll<F::Output> {
    std::future::poll_fn(|cx: &mut Context<'_>| Poll::Ready(Pin::new(&mut *inner).poll(cx))).await
}

/// Starts its `next`, then does other things for `aside` ms, and only then waits for it.
fn holding(name: &'static str, aside: u64) -> impl PrePolicy {
    pre(name, move |_, next| {
        Box::pin(async move {
            let mut inner = Box::pin(next.run());
            if let Poll::Ready(decided) = once(&mut inner).await {
                return decided;
            }
            tokio::time::sleep(ms(aside)).await;
            inner.await
        })
    })
}

fn slow(name: &'static str, takes: u64) -> impl PrePolicy {
    pre(name, move |_, next| {
        Box::pin(async move {
            tokio::time::sleep(ms(takes)).await;
            next.run().await
        })
    })
}

#[test]
fn an_inner_policy_that_nobody_polls_is_out_of_time_and_then_the_outer_one_is_on_its_own() {
    // The inner one's time is over at 100 ms; the outer one has 100 of its own from there.
    for (aside, took) in [(50, 100), (120, 120), (3_600_000, 200)] {
        let registry = registry();
        registry.pre_policy(holding("outer", aside)).expect("good");
        registry.pre_policy(slow("inner", 5_000)).expect("good");
        let (result, elapsed) = run(&registry);
        assert_eq!((blamed(&result), elapsed), (("POLICY_FAILED".to_owned(), "inner"), took), "aside {aside}");
    }
}

#[test]
fn an_inner_policy_that_would_have_answered_is_out_of_time_all_the_same_if_it_was_not_polled() {
    let registry = registry();
    registry.pre_policy(holding("outer", 150)).expect("good");
    registry.pre_policy(slow("inner", 50)).expect("good");
    let (result, elapsed) = run(&registry);
    assert_eq!((blamed(&result), elapsed), (("POLICY_FAILED".to_owned(), "inner"), 150));
}

#[test]
fn a_policy_that_is_polled_again_in_time_decides() {
    for aside in [40, 100] {
        let registry = registry();
        registry.pre_policy(holding("outer", aside)).expect("good");
        registry.pre_policy(slow("inner", 50)).expect("good");
        let (result, elapsed) = run(&registry);
        assert!(result.is_success());
        assert_eq!(elapsed, aside.max(50));
    }
}

#[test]
fn of_three_policies_each_has_its_own_time_from_the_inside_out() {
    let registry = registry();
    registry.pre_policy(holding("first", 3_600_000)).expect("good");
    registry.pre_policy(holding("second", 3_600_000)).expect("good");
    registry.pre_policy(slow("third", 3_600_000)).expect("good");
    let (result, elapsed) = run(&registry);
    assert_eq!((blamed(&result), elapsed), (("POLICY_FAILED".to_owned(), "third"), 300));
}

#[test]
fn a_policy_that_leaks_its_next_is_bounded_too() {
    let registry = registry();
    let leaking = pre("leaking", |_, next| {
        Box::pin(async move {
            let mut inner = Box::pin(next.run());
            let _ = once(&mut inner).await;
            std::mem::forget(inner);
            std::future::pending::<Result<PreDecision, PolicyError>>().await
        })
    });
    registry.pre_policy(leaking).expect("good");
    registry.pre_policy(slow("inner", 5_000)).expect("good");
    let (result, elapsed) = run(&registry);
    assert_eq!((blamed(&result), elapsed), (("POLICY_FAILED".to_owned(), "inner"), 200));
}

#[test]
fn a_next_that_is_polled_only_when_it_wakes_somebody_is_told_in_time() {
    let registry = registry();
    for name in ["first", "second"] {
        let policy = pre(name, |_, next| {
            Box::pin(async move {
                let mut all: FuturesUnordered<_> = std::iter::once(next.run()).collect();
                all.next().await.unwrap_or_else(|| Err(PolicyError::new("nothing")))
            })
        });
        registry.pre_policy(policy).expect("good");
    }
    registry.pre_policy(holding("third", 3_600_000)).expect("good");
    registry.pre_policy(slow("fourth", 5_000)).expect("good");
    let (result, elapsed) = run(&registry);
    assert_eq!((blamed(&result), elapsed), (("POLICY_FAILED".to_owned(), "fourth"), 200));
}

#[test]
fn post_policies_are_bounded_alike() {
    let registry = ToolRegistry::builder().policy_timeout(ms(100)).build().expect("good");
    registry.register(counting("t", &Count::default())).expect("good");
    let outer = post("outer", |_, _, next| {
        Box::pin(async move {
            let mut inner = Box::pin(next.run());
            let _ = once(&mut inner).await;
            tokio::time::sleep(ms(3_600_000)).await;
            inner.await
        })
    });
    registry.post_policy(outer).expect("good");
    let inner = post("inner", |_, _, _| {
        Box::pin(async {
            tokio::time::sleep(ms(5_000)).await;
            Ok(PostDecision::value(json!(1)))
        })
    });
    registry.post_policy(inner).expect("good");
    let (result, elapsed) = run(&registry);
    assert_eq!((blamed(&result), elapsed), (("POLICY_FAILED".to_owned(), "inner"), 200));
}
