//! Foreign code at its worst: destructors that panic, outcomes of other calls, runs given up halfway, state that is kept.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolgate::{
    BatchOptions, DispatchExecution, DispatchOutcome, Effects, ErrorCode, ExecuteNext, ExecuteWrapper, GuardVerdict,
    OutputSpec, PolicyError, PostDecision, Registration, ToolCall, ToolDefinition, ToolError, ToolRegistry, guard_fn,
    tool,
};

use crate::support::{Act, Count, Post, Trace, ms, paused, quiet};

/// Panics when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("scripted bomb");
    }
}

impl std::fmt::Display for Bomb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a bomb")
    }
}

impl std::error::Error for Bomb {}

/// Fails with an error that panics when it is dropped.
fn failing() -> ToolDefinition {
    tool("t").output(OutputSpec::any()).body(|cx| async move {
        cx.signal().cancelled().await;
        Err::<Value, _>(ToolError::new("OWN", "own").with_source(Bomb))
    })
}

fn ends_as(registry: &ToolRegistry, call: ToolCall) -> String {
    let (result, _) = paused(registry.execute(call));
    result.code().map_or("ok".to_owned(), ToString::to_string)
}

#[test]
fn a_source_that_panics_when_dropped_costs_nobody_a_result() {
    quiet();
    let registry = ToolRegistry::new();
    registry.register(failing().timeout(ms(10))).expect("good");
    assert_eq!(ends_as(&registry, ToolCall::new("c", "t")), "TOOL_TIMEOUT", "given up for the deadline");

    let at_once = |name: &'static str| {
        tool(name)
            .output(OutputSpec::any())
            .body(|_| async { Err::<Value, _>(ToolError::new("OWN", "own").with_source(Bomb)) })
    };
    registry.register(at_once("u")).expect("good");
    let post = registry.post_policy(Post("q", Act::GoOn, Some(PostDecision::block("no")), Trace::default()));
    assert_eq!(ends_as(&registry, ToolCall::new("c", "u")), "BLOCKED", "given up for the feedback");
    post.expect("good").remove();
    let post = registry.post_policy(Post("q", Act::Fail, None, Trace::default()));
    assert_eq!(ends_as(&registry, ToolCall::new("c", "u")), "POLICY_FAILED", "given up for the failure");
    post.expect("good").remove();
    registry.register(at_once("v").finalize_content(|_| panic!("scripted"))).expect("good");
    assert_eq!(ends_as(&registry, ToolCall::new("c", "v")), "FINALIZER_FAILED", "given up for the finalizer's panic");
}

#[test]
fn an_extension_or_a_tool_that_panics_when_dropped_costs_nobody_a_result() {
    quiet();
    let registry = ToolRegistry::new();
    let handle: Arc<Mutex<Option<Registration>>> = Arc::default();
    let (bomb, own) = (Mutex::new(Some(Bomb)), handle.clone());
    let definition = tool("t").output(OutputSpec::any()).body(move |_| {
        let _held = &bomb;
        let own = own.lock().expect("sound").take();
        async move {
            assert!(own.is_some_and(|own| own.remove()), "scripted");
            Ok(json!(1))
        }
    });
    *handle.lock().expect("sound") = Some(registry.register(definition).expect("good"));
    // The call is the last to hold the definition that it has taken out, and two values besides.
    let call = ToolCall::new("c", "t").with_extension(Bomb).with_extension((Bomb, 1));
    assert_eq!(ends_as(&registry, call), "ok");
    let bomb = Bomb;
    let other = tool("t").output(OutputSpec::any()).finalize_content(move |_| {
        let _held = &bomb;
        None
    });
    let other = registry.register(other.body(|_| async { Ok(json!(1)) })).expect("free again");
    assert!(other.remove(), "who takes it out is not hit either");
}

/// Answers each call with what the call before came to.
#[derive(Debug, Default)]
struct Late(Mutex<Option<DispatchOutcome>>);

#[async_trait]
impl ExecuteWrapper for Late {
    fn name(&self) -> &str {
        "late"
    }

    async fn wrap(&self, _: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        let outcome = next.run().await?;
        let before = self.0.lock().expect("sound").replace(outcome);
        Ok(before.unwrap_or_else(|| DispatchOutcome::value(json!("none before"))))
    }
}

#[test]
fn the_outcome_of_another_call_is_held_to_this_ones_declaration() {
    let registry = ToolRegistry::new();
    registry.register(tool("number").output(OutputSpec::any()).body(|_| async { Ok(json!(1)) })).expect("good");
    registry.register(tool("text").output(OutputSpec::text()).body(|_| async { Ok(json!("s")) })).expect("good");
    let slow = tool("slow").output(OutputSpec::any()).timeout(ms(1)).body(|_| std::future::pending());
    registry.register(slow.grace(ms(0))).expect("good");
    registry.wrapper(Late::default()).expect("good");
    assert_eq!(ends_as(&registry, ToolCall::new("1", "number")), "ok");
    assert_eq!(ends_as(&registry, ToolCall::new("2", "text")), "INVALID_TOOL_OUTPUT", "the number of the call before");
    assert_eq!(ends_as(&registry, ToolCall::new("3", "slow")), "ok", "the text of the call before");
    let (result, _) = paused(registry.execute(ToolCall::new("4", "number")));
    let failure = result.error().expect("the timeout of the call before");
    assert_eq!(failure.code, ErrorCode::TOOL_FAILED, "that code is not a wrapper's to give");
    assert_eq!(failure.details, Some(json!({"wanted_code": "TOOL_TIMEOUT"})));
}

/// Gives its first run up halfway, and runs again.
#[derive(Debug)]
struct Impatient;

#[async_trait]
impl ExecuteWrapper for Impatient {
    fn name(&self) -> &str {
        "impatient"
    }

    async fn wrap(&self, _: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        let _ = tokio::time::timeout(ms(5), next.run()).await;
        next.run().await
    }
}

#[test]
fn a_run_given_up_halfway_has_unknown_effects_and_the_next_one_asks_the_guards() {
    let (registry, runs, asked) = (ToolRegistry::new(), Count::default(), Count::default());
    let (counted, again) = (runs.clone(), asked.clone());
    let definition = tool("t").output(OutputSpec::any()).body(move |_| {
        let takes = if counted.up() == 1 { 10 } else { 1 };
        async move {
            tokio::time::sleep(ms(takes)).await;
            Err::<Value, _>(ToolError::new("OWN", "own"))
        }
    });
    registry.register(definition).expect("good");
    registry.wrapper(Impatient).expect("good");
    let guard = guard_fn("g", move |_| {
        again.up();
        GuardVerdict::Abstain
    });
    registry.guard(guard).expect("good");
    let (result, elapsed) = paused(registry.execute(ToolCall::new("c", "t")));
    assert_eq!((runs.get(), asked.get(), elapsed), (2, 2, 6));
    assert_eq!(result.error().map(|e| e.effects), Some(Effects::Unknown), "the worst of the two counts");
}

/// Lives as long as the state of its call.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Narrows the signal, and asks for a token of it.
#[derive(Debug)]
struct Narrow;

#[async_trait]
impl ExecuteWrapper for Narrow {
    fn name(&self) -> &str {
        "narrow"
    }

    async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        let signal = cx.signal().with_timeout(ms(100));
        let _token = signal.token();
        next.run_with(signal).await
    }
}

#[test]
fn nothing_of_a_call_is_kept_once_it_has_ended_or_was_dropped() {
    let (registry, alive) = (ToolRegistry::new(), Arc::new(AtomicUsize::new(0)));
    let inner = tool("inner").output(OutputSpec::any()).timeout(ms(5)).body(|cx| async move {
        let (signal, _token) = (cx.signal(), cx.signal().token());
        signal.cancelled().await;
        Ok(json!(1))
    });
    registry.register(inner).expect("good");
    let outer = tool("outer").output(OutputSpec::any()).body(|cx| async move {
        cx.call(cx.nested_call("inner")).await;
        let late = cx.clone();
        tokio::spawn(async move { late.signal().cancelled().await });
        Ok(json!(1))
    });
    registry.register(outer).expect("good");
    registry.wrapper(Narrow).expect("good");
    let call = || ToolCall::new("c", "outer").with_extension(Alive::new(&alive));
    let batch = || registry.execute_batch((0..20).map(|_| call()), BatchOptions::new());
    paused(async {
        for at in 0..20 {
            let _ = tokio::time::timeout(ms(at), registry.execute(call())).await;
            let _ = tokio::time::timeout(ms(at), batch()).await;
        }
        batch().await;
        // The spawned tasks hear of the end of the runs they belong to.
        tokio::time::sleep(ms(1)).await;
    });
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}
