//! What stays in order, and who still gets a result, when bodies wake themselves and destructors panic.

use std::{
    future::{Future, poll_fn},
    sync::{Arc, Mutex},
    task::Poll,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolgate::{
    Annotations, BatchOptions, GuardVerdict, OutputSpec, PolicyError, PostDecision, PostNext, PostPolicy, PreDecision,
    PreNext, PrePolicy, Registration, ToolCall, ToolContext, ToolError, ToolExecution, ToolRegistry, ToolResult,
    guard_fn, tool,
};

use crate::{Log, code, ms, paused, watch};

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

fn quietly<T>(f: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let out = f();
    std::panic::set_hook(hook);
    out
}

#[derive(Debug)]
struct Noted(Log);

#[async_trait]
impl PrePolicy for Noted {
    fn name(&self) -> &str {
        "noted"
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        self.0.add(format!("pre {}", cx.call_id()));
        next.run().await
    }
}

#[async_trait]
impl PostPolicy for Noted {
    fn name(&self) -> &str {
        "noted"
    }

    async fn review(
        &self,
        cx: &ToolExecution,
        _: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        self.0.add(format!("post {}", cx.call_id()));
        tokio::time::sleep(ms(10)).await;
        next.run().await
    }
}

/// Pending `times` times, and awake again at once.
async fn restless(mut times: usize) {
    poll_fn(|cx| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn calls(name: &'static str, count: usize) -> impl Iterator<Item = ToolCall> + Send {
    (0..count).map(move |i| ToolCall::new(i.to_string(), name))
}

#[test]
fn guards_speak_in_model_order_also_when_bodies_wake_themselves() {
    let (registry, log) = (ToolRegistry::new(), Log::default());
    let definition = tool("t").output(OutputSpec::any()).annotations(Annotations::read_only()).body(|_| async {
        restless(20).await;
        Ok(json!(1))
    });
    registry.register(definition).expect("good");
    registry.pre_policy(Noted(log.clone())).expect("good");
    let own = log.clone();
    let guard = guard_fn("g", move |cx| {
        own.add(format!("guard {}", cx.call_id()));
        GuardVerdict::Abstain
    });
    registry.guard(guard).expect("good");
    paused(registry.execute_batch(calls("t", 8), BatchOptions::new()));
    let expected: Vec<_> = (0..8).flat_map(|i| [format!("pre {i}"), format!("guard {i}")]).collect();
    assert_eq!(log.all(), expected);
}

#[test]
fn every_settled_call_at_the_head_is_committed_before_the_next_start() {
    let (registry, log) = (ToolRegistry::new(), Log::default());
    let definition =
        tool("t").output(OutputSpec::any()).annotations(Annotations::read_only()).body(|cx: ToolContext| async move {
            let takes = [10, 15, 1][cx.call_id().parse::<usize>()?];
            tokio::time::sleep(ms(takes)).await;
            Ok(json!(1))
        });
    registry.register(definition).expect("good");
    registry.pre_policy(Noted(log.clone())).expect("good");
    registry.post_policy(Noted(log.clone())).expect("good");
    let own = log.clone();
    let options = BatchOptions::new().max_parallel(2).on_commit(move |at, _| own.add(format!("commit {at}")));
    paused(registry.execute_batch(calls("t", 3), options));
    // The second settles at 15 ms, while the first is in its post stage until 20 ms.
    let expected = ["pre 0", "pre 1", "post 0", "commit 0", "post 1", "commit 1", "pre 2", "post 2", "commit 2"];
    assert_eq!(log.all(), expected);
}

#[test]
fn a_tool_that_is_swapped_while_it_is_classified_is_judged_again() {
    let (registry, running) = (ToolRegistry::new(), Arc::new(Mutex::new((0, 0))));
    let counted = |running: &Arc<Mutex<(usize, usize)>>| {
        let running = running.clone();
        move |_: ToolContext| {
            let running = running.clone();
            async move {
                {
                    let mut now = running.lock().expect("sound");
                    now.0 += 1;
                    now.1 = now.1.max(now.0);
                }
                tokio::time::sleep(ms(10)).await;
                running.lock().expect("sound").0 -= 1;
                Ok(json!(1))
            }
        }
    };
    let safe = tool("safe").output(OutputSpec::any()).annotations(Annotations::read_only()).body(counted(&running));
    registry.register(safe).expect("good");
    let handle: Arc<Mutex<Option<Registration>>> = Arc::default();
    let (own, again, exclusive) = (handle.clone(), registry.clone(), counted(&running));
    let exclusive = Arc::new(Mutex::new(Some(exclusive)));
    let swapping = tool("t").output(OutputSpec::any()).body(counted(&running)).concurrency_safe(move |_| {
        if let (Some(old), Some(body)) = (own.lock().expect("sound").take(), exclusive.lock().expect("sound").take()) {
            assert!(old.remove());
            again.register(tool("t").output(OutputSpec::any()).body(body)).expect("free now");
        }
        true
    });
    *handle.lock().expect("sound") = Some(registry.register(swapping).expect("good"));
    let made = [ToolCall::new("0", "safe"), ToolCall::new("1", "t")];
    let (results, elapsed) = paused(registry.execute_batch(made, BatchOptions::new()));
    assert!(results.iter().all(|r| r.is_success()));
    assert_eq!((running.lock().expect("sound").1, elapsed), (1, 20), "the exclusive one is a barrier");
}

#[test]
fn no_classifier_is_asked_again_while_nothing_changes() {
    let (registry, asked) = (ToolRegistry::new(), Arc::new(Mutex::new(0)));
    let counted = asked.clone();
    let definition = tool("t")
        .output(OutputSpec::any())
        .concurrency_safe(move |_| {
            *counted.lock().expect("sound") += 1;
            true
        })
        .body(|_| async {
            restless(10_000).await;
            Ok(json!(1))
        });
    registry.register(definition).expect("good");
    paused(registry.execute_batch(calls("t", 2), BatchOptions::new().max_parallel(1)));
    assert!(*asked.lock().expect("sound") < 20, "asked {} times", asked.lock().expect("sound"));
}

/// Fails at once, with an error that panics when it is dropped.
fn failing(name: &'static str) -> toolgate::ToolDefinition {
    tool(name)
        .output(OutputSpec::any())
        .annotations(Annotations::read_only())
        .body(|_| async { Err::<Value, _>(ToolError::new("OWN", "own").with_source(Bomb)) })
}

#[test]
fn a_dropped_batch_gives_every_call_its_result_whatever_destructors_do() {
    for first in ["fails", "hangs"] {
        let (registry, log) = (ToolRegistry::new(), Log::default());
        registry.register(failing("fails")).expect("good");
        let hanging = tool("hangs").output(OutputSpec::any()).annotations(Annotations::read_only());
        registry.register(hanging.body(|_| std::future::pending())).expect("good");
        watch(&registry, &log);
        // The failed one is committed, or has settled behind one that hangs.
        let made =
            [first, "fails", "hangs"].into_iter().enumerate().map(|(i, name)| ToolCall::new(i.to_string(), name));
        let made: Vec<_> = made.collect();
        quietly(|| {
            paused(async {
                let _ = tokio::time::timeout(ms(5), registry.execute_batch(made, BatchOptions::new())).await;
            })
        });
        assert_eq!(log.all(), ["seen:0", "seen:1", "seen:2"]);
    }
}

#[derive(Debug)]
struct Failing;

#[async_trait]
impl PrePolicy for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    async fn decide(&self, _: &ToolExecution, _: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        Err(Bomb.into())
    }
}

#[test]
fn a_batch_answers_whatever_destructors_do() {
    let registry = ToolRegistry::new();
    registry.register(tool("t").output(OutputSpec::any()).body(|_| async { Ok(json!(1)) })).expect("good");
    let held = Bomb;
    let options = BatchOptions::new().on_commit(move |_, _| {
        let _held = &held;
    });
    let (results, _) = quietly(|| paused(registry.execute_batch(calls("t", 2), options)));
    assert!(results.iter().all(|r| r.is_success()), "the callback's destructor has panicked meanwhile");

    let spoiled = tool("spoiled").output(OutputSpec::any()).finalize_content(|_| panic!("scripted"));
    registry.register(spoiled.body(|_| async { Ok(json!(1)) })).expect("good");
    registry.pre_policy(Failing).expect("good");
    let (results, _) = quietly(|| paused(registry.execute_batch(calls("spoiled", 2), BatchOptions::new())));
    assert!(results.iter().all(|r| code(r) == "FINALIZER_FAILED"));
}

/// A future whose destructor panics, and whose answer is too deep to be dropped as it is.
struct Deep;

impl Future for Deep {
    type Output = Result<Value, ToolError>;

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok((0..300_000).fold(Value::Null, |inner, _| Value::Array(vec![inner]))))
    }
}

impl Drop for Deep {
    fn drop(&mut self) {
        panic!("scripted");
    }
}

#[test]
fn a_deep_answer_of_a_future_whose_destructor_panics_overflows_nothing() {
    let registry = ToolRegistry::new();
    registry.register(tool("t").output(OutputSpec::any()).body(|_| Deep)).expect("good");
    let (results, _) = quietly(|| paused(registry.execute_batch(calls("t", 2), BatchOptions::new())));
    assert!(results.iter().all(|r| code(r) == "TOOL_PANICKED"));
}
