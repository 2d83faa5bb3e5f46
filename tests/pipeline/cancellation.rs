//! Cancellation and drops at every point, tokens, and destructors that panic.

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    ApprovalOutcome, DispatchExecution, DispatchOutcome, Effects, ExecuteNext, ExecuteWrapper, OutputSpec, PolicyError,
    PreDecision, Signal, ToolCall, ToolContext, ToolRegistry, tool,
};

use crate::support::{Act, Asked, Post, Pre, Seen, Trace, Wrap, body_tool, ms, paused, quiet, with_finalizer};

/// Pending `n` times, then ready.
struct Yield(usize);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("scripted bomb");
    }
}

/// A body that awaits, and whose destructor panics if it is dropped before it has ended.
fn explosive() -> toolgate::ToolDefinition {
    tool("t").output(OutputSpec::text()).body(|_| async {
        let bomb = Bomb;
        Yield(2).await;
        std::mem::forget(bomb);
        Ok(json!("v"))
    })
}

fn whole_path(definition: toolgate::ToolDefinition, trace: &Trace) -> (ToolRegistry, Seen) {
    let registry = ToolRegistry::new();
    registry.register(with_finalizer(definition, Act::GoOn, trace.clone())).expect("good");
    // Slow ones wait for a timer, which under a runtime without a running clock is another pending poll.
    registry.pre_policy(Pre("p", Act::Slow(1), Some(PreDecision::ask("?")), trace.clone())).expect("good");
    registry.approver(Asked(Act::Slow(1), ApprovalOutcome::AllowedOnce, trace.clone())).expect("good");
    registry.wrapper(Wrap("w", Act::Slow(1), trace.clone())).expect("good");
    registry.post_policy(Post("q", Act::Slow(1), None, trace.clone())).expect("good");
    registry.scope("a");
    let seen = Seen::default();
    seen.watch(&registry);
    (registry, seen)
}

/// Polls a call `polls` times and drops it then; true if it had ended before.
fn dropped_after(polls: usize, registry: &ToolRegistry) -> bool {
    paused(async {
        let mut call = pin!(registry.execute(ToolCall::new("c", "t").with_agent("a")));
        for _ in 0..polls {
            let ended = std::future::poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_ready())).await;
            if ended {
                return true;
            }
            tokio::time::advance(ms(1)).await;
        }
        false
    })
    .0
}

#[test]
fn a_drop_after_any_poll_leaves_exactly_one_result() {
    let mut points = 0;
    for polls in 1.. {
        let trace = Trace::default();
        let (registry, seen) = whole_path(explosive(), &trace);
        let ended = dropped_after(polls, &registry);
        let result = seen.only();
        assert_eq!(trace.count("finalizer"), 1, "after {polls} polls");
        if ended {
            assert!(result.is_success());
            break;
        }
        points += 1;
        let failure = result.error().expect("a dropped call is no success");
        assert_eq!(failure.effects == Effects::None, failure.code == "ABORTED_BEFORE_DISPATCH", "after {polls} polls");
    }
    assert!(points >= 5, "only {points} points: the path does not wait where it should");
}

#[test]
fn a_call_that_was_never_polled_never_was() {
    let trace = Trace::default();
    let (registry, seen) = whole_path(body_tool(Act::GoOn, trace.clone()), &trace);
    drop(registry.execute(ToolCall::new("c", "t")));
    assert_eq!(seen.all().len(), 0);
}

#[test]
fn a_host_that_unwinds_gets_its_result_observed() {
    let trace = Trace::default();
    let registry = ToolRegistry::new();
    registry.register(with_finalizer(explosive(), Act::Panic, trace.clone())).expect("good");
    registry.observer(toolgate::observer_fn("bad", |_, _| panic!("scripted"))).expect("good");
    let seen = Seen::default();
    seen.watch(&registry);
    quiet();
    let host = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut call = pin!(registry.execute(ToolCall::new("c", "t")));
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        panic!("scripted host");
    }));
    assert!(host.is_err());
    // The body's destructor, the finalizer and an observer have all panicked on the way.
    let result = seen.only();
    assert!(result.code().is_some_and(|c| c == "FINALIZER_FAILED"));
    assert_eq!(result.error().map(|e| e.effects), Some(Effects::Unknown));
}

#[test]
fn a_body_that_is_dropped_after_its_grace_may_panic_in_its_destructor() {
    let registry = ToolRegistry::builder().grace(ms(20)).build().expect("good");
    let stuck = tool("t").output(OutputSpec::text()).body(|_| async {
        let _bomb = Bomb;
        std::future::pending().await
    });
    registry.register(stuck).expect("good");
    let token = CancellationToken::new();
    token.cancel();
    let late = CancellationToken::new();
    let call = ToolCall::new("c", "t").with_cancellation(late.clone());
    let (result, elapsed) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(10)).await;
            late.cancel();
        };
        tokio::join!(registry.execute(call), cancel).0
    });
    assert!(result.code().is_some_and(|c| c == "ABORTED"));
    assert_eq!((result.error().map(|e| e.effects), elapsed), (Some(Effects::Unknown), 30));
}

/// Runs `next` under a deadline.
#[derive(Debug)]
struct Deadline(u64);

#[async_trait]
impl ExecuteWrapper for Deadline {
    fn name(&self) -> &str {
        "deadline"
    }

    async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        next.run_with(cx.signal().with_timeout(ms(self.0))).await
    }
}

/// A body that waits for a plain token of its signal, with no grace at all.
#[test]
fn a_token_follows_the_caller_a_wrapper_and_the_definition() {
    for (caller_at, wrapper_at, timeout, wanted, at) in [
        (Some(10), None, None, "ABORTED", 10),
        (None, Some(20), None, "ABORTED", 20),
        (None, None, Some(30), "TOOL_TIMEOUT", 30),
        (Some(15), Some(20), Some(30), "ABORTED", 15),
        (Some(25), Some(40), Some(22), "TOOL_TIMEOUT", 22),
    ] {
        let registry = ToolRegistry::builder().grace(ms(0)).build().expect("good");
        let heard = Trace::default();
        let told = heard.clone();
        let mut definition = tool("t").output(OutputSpec::text()).body(move |cx: ToolContext| {
            let told = told.clone();
            async move {
                cx.signal().token().cancelled().await;
                told.add("heard");
                Ok(json!("stopped"))
            }
        });
        if let Some(timeout) = timeout {
            definition = definition.timeout(ms(timeout));
        }
        registry.register(definition).expect("good");
        if let Some(limit) = wrapper_at {
            registry.wrapper(Deadline(limit)).expect("good");
        }
        let token = CancellationToken::new();
        let call = ToolCall::new("c", "t").with_cancellation(token.clone());
        let (result, elapsed) = paused(async {
            let cancel = async {
                match caller_at {
                    Some(at) => tokio::time::sleep(ms(at)).await,
                    None => std::future::pending().await,
                }
                token.cancel();
                std::future::pending::<()>().await;
            };
            tokio::select! {
                biased;
                result = registry.execute(call) => result,
                () = cancel => unreachable!(),
            }
        });
        assert_eq!(result.code().map(toolgate::ErrorCode::as_str), Some(wanted));
        assert_eq!((heard.count("heard"), elapsed), (1, at));
        assert_eq!(result.error().map(|e| e.effects), Some(Effects::Settled));
    }
}

#[test]
fn what_outlives_its_run_is_dead() {
    let registry = ToolRegistry::new();
    let kept: Arc<Mutex<Vec<(ToolContext, CancellationToken, Signal)>>> = Arc::default();
    let keep = kept.clone();
    let leaky = tool("t").output(OutputSpec::text()).body(move |cx: ToolContext| {
        keep.lock().expect("sound").push((cx.clone(), cx.signal().token(), cx.signal()));
        async move {
            cx.defer_context("in time").expect("the run is on");
            Ok(json!("v"))
        }
    });
    registry.register(leaky).expect("good");
    let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
    assert_eq!(result.additional_contexts()[0].text, "in time");
    let (cx, token, signal) = kept.lock().expect("sound").pop().expect("the body ran");
    assert!(cx.defer_context("too late").is_err());
    assert!(!cx.conclude_turn());
    assert!(token.is_cancelled() && signal.is_cancelled() && cx.signal().is_cancelled());
}

#[test]
fn a_policys_token_fires_when_the_call_ends_or_is_dropped() {
    for drop_at in [None, Some(5)] {
        let registry = ToolRegistry::new();
        let tokens = Arc::new(Mutex::new(Vec::new()));
        let kept = tokens.clone();
        registry.register(body_tool(Act::Slow(10), Trace::default())).expect("good");
        let guard = toolgate::guard_fn("g", move |cx| {
            kept.lock().expect("sound").push(cx.signal().token());
            toolgate::GuardVerdict::Abstain
        });
        registry.guard(guard).expect("good");
        paused(async {
            let call = registry.execute(ToolCall::new("c", "t"));
            let limit = drop_at.unwrap_or(1_000);
            let _ = tokio::time::timeout(ms(limit), call).await;
        });
        assert!(tokens.lock().expect("sound")[0].is_cancelled());
    }
}

/// Leaks a run halfway, then runs again.
#[derive(Debug)]
struct Leak;

#[async_trait]
impl ExecuteWrapper for Leak {
    fn name(&self) -> &str {
        "leak"
    }

    async fn wrap(&self, _: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        let mut first = Box::pin(next.run());
        let pending = std::future::poll_fn(|cx| Poll::Ready(first.as_mut().poll(cx).is_pending())).await;
        assert!(pending, "scripted");
        std::mem::forget(first);
        Err(PolicyError::new("scripted"))
    }
}

#[test]
fn a_run_that_a_wrapper_leaks_has_unknown_effects() {
    let registry = ToolRegistry::new();
    registry.register(body_tool(Act::Slow(10), Trace::default())).expect("good");
    registry.wrapper(Leak).expect("good");
    let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
    assert!(result.code().is_some_and(|c| c == "WRAPPER_FAILED"));
    assert_eq!(result.error().map(|e| e.effects), Some(Effects::Unknown));
}

#[test]
fn no_signal_takes_a_link_away() {
    let (caller, own, other) = (CancellationToken::new(), CancellationToken::new(), CancellationToken::new());
    let narrowed = Signal::new(caller.clone()).with_token(own).narrowed_by(Signal::new(other));
    assert!(!narrowed.is_cancelled());
    caller.cancel();
    assert!(narrowed.is_cancelled());
    assert!(narrowed.token().is_cancelled());
}
