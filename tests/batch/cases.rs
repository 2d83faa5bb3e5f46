//! Failures from the field, and what a batch owes its calls.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{BatchOptions, Effects, OutputSpec, ToolCall, ToolContext, ToolRegistry, repair_history, tool};

use crate::{Log, code, codes, ms, paused, watch};

fn sleeper(registry: &ToolRegistry, name: &str, safe: bool) {
    let definition =
        tool(name).output(OutputSpec::any()).concurrency_safe(move |_| safe).body(|cx: ToolContext| async move {
            let signal = cx.signal();
            tokio::select! {
                biased;
                () = tokio::time::sleep(ms(50)) => Ok(cx.arguments().clone()),
                () = signal.cancelled() => Err(toolgate::ToolError::new("STOPPED", "stopped")),
            }
        });
    registry.register(definition).expect("good");
}

fn calls(name: &'static str, count: usize) -> Vec<ToolCall> {
    (0..count).map(|i| ToolCall::new(format!("c{i}"), name)).collect()
}

#[test]
fn o_05_an_interrupted_batch_has_as_many_results_as_calls() {
    let (registry, log) = (ToolRegistry::new(), Log::default());
    sleeper(&registry, "t", false);
    watch(&registry, &log);
    let token = CancellationToken::new();
    let (results, elapsed) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(70)).await;
            token.cancel();
        };
        let options = BatchOptions::new().cancellation(token.clone());
        tokio::join!(registry.execute_batch(calls("t", 4), options), cancel).0
    });
    assert_eq!(codes(&results), ["ok", "STOPPED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
    assert_eq!(elapsed, 70);
    assert_eq!(log.all(), ["seen:c0", "seen:c1", "seen:c2", "seen:c3"]);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let (results, _) = paused(registry.execute_batch(calls("t", 4), BatchOptions::new().cancellation(cancelled)));
    assert_eq!(codes(&results), ["ABORTED_BEFORE_DISPATCH"; 4]);
}

#[test]
fn o_08_no_limit_and_no_barrier_locks_a_call_out_of_its_own_calls() {
    let registry = ToolRegistry::new();
    let inner = |name: &str, safe: bool| {
        tool(name).output(OutputSpec::any()).concurrency_safe(move |_| safe).body(|_| async { Ok(json!("in")) })
    };
    registry.register(inner("exclusive", false)).expect("good");
    registry.register(inner("safe", true)).expect("good");
    for (name, target, safe) in
        [("a", "safe", true), ("b", "exclusive", true), ("x", "exclusive", false), ("y", "safe", false)]
    {
        let outer = tool(name).output(OutputSpec::any()).concurrency_safe(move |_| safe).body(
            move |cx: ToolContext| async move {
                Ok(cx.call(cx.nested_call(target)).await.value().cloned().unwrap_or_default())
            },
        );
        registry.register(outer).expect("good");
    }
    let made: Vec<_> = ["a", "b", "x", "y", "a", "x"]
        .into_iter()
        .enumerate()
        .map(|(i, n)| ToolCall::new(format!("c{i}"), n))
        .collect();
    let options = BatchOptions::new().max_parallel(1);
    let (results, _) = paused(async { tokio::time::timeout(ms(2_000), registry.execute_batch(made, options)).await });
    let results = results.expect("nobody waits for himself");
    assert!(results.iter().all(|r| r.value() == Some(&json!("in"))));
}

#[test]
fn o_08_a_cancelled_parent_cancels_its_nested_calls() {
    let registry = ToolRegistry::builder().grace(ms(10)).build().expect("good");
    let inner = tool("inner").output(OutputSpec::any()).body(|_| std::future::pending());
    registry.register(inner).expect("good");
    let outer = tool("outer")
        .output(OutputSpec::any())
        .body(|cx: ToolContext| async move { Ok(json!(code(&*cx.call(cx.nested_call("inner")).await))) });
    registry.register(outer).expect("good");
    let log = Log::default();
    watch(&registry, &log);
    let token = CancellationToken::new();
    let (results, elapsed) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(20)).await;
            token.cancel();
        };
        let options = BatchOptions::new().cancellation(token.clone());
        tokio::join!(registry.execute_batch([ToolCall::new("c", "outer")], options), cancel).0
    });
    assert_eq!((codes(&results), elapsed), (vec!["ABORTED"], 30));
    assert_eq!(log.all(), ["seen:c/1", "seen:c"]);
}

#[test]
fn o_35_two_calls_with_one_id_are_two_calls_in_a_batch() {
    let registry = ToolRegistry::new();
    sleeper(&registry, "read", true);
    for id in ["call_0", ""] {
        let made = ["a", "b"].map(|path| ToolCall::from_model(id, "read", format!(r#"{{"path":"{path}"}}"#)));
        let (results, elapsed) = paused(registry.execute_batch(made, BatchOptions::new()));
        assert_eq!(results[0].value(), Some(&json!({"path": "a"})));
        assert_eq!(results[1].value(), Some(&json!({"path": "b"})));
        assert_eq!(elapsed, 50);
    }
}

#[test]
fn o_15_a_panicking_call_costs_its_siblings_nothing() {
    let registry = ToolRegistry::new();
    sleeper(&registry, "t", true);
    let boom = tool("boom").output(OutputSpec::any()).concurrency_safe(|_| true).body(|_| async { panic!("scripted") });
    registry.register(boom).expect("good");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let made = [ToolCall::new("c1", "boom"), ToolCall::new("c2", "t")];
    let (results, _) = paused(registry.execute_batch(made, BatchOptions::new().on_commit(|_, _| panic!("scripted"))));
    std::panic::set_hook(hook);
    assert_eq!(codes(&results), ["TOOL_PANICKED", "ok"]);
    let (results, _) = paused(registry.execute_batch(calls("t", 3), BatchOptions::new()));
    assert_eq!(codes(&results), ["ok"; 3], "nothing is held");
}

#[test]
fn a_dropped_batch_gives_every_call_its_result_in_order() {
    for at in [0_u64, 10, 60, 110] {
        let (registry, log) = (ToolRegistry::new(), Log::default());
        sleeper(&registry, "t", false);
        let ends = Arc::new(Mutex::new(Vec::new()));
        let kept = ends.clone();
        let observer = toolgate::observer_fn("ends", move |_, result| {
            kept.lock().expect("sound").push(result.error().map(|e| (e.code.to_string(), e.effects)));
        });
        registry.observer(observer).expect("good");
        watch(&registry, &log);
        paused(async {
            let _ = tokio::time::timeout(ms(at), registry.execute_batch(calls("t", 4), BatchOptions::new())).await;
        });
        assert_eq!(log.all(), ["seen:c0", "seen:c1", "seen:c2", "seen:c3"], "dropped at {at} ms");
        let ends = ends.lock().expect("sound");
        let done = usize::try_from(at / 50).expect("small");
        assert!(ends[..done].iter().all(Option::is_none));
        assert_eq!(ends[done], Some(("ABORTED".to_owned(), Effects::Unknown)));
        assert!(ends[done + 1..].iter().all(|e| *e == Some(("ABORTED_BEFORE_DISPATCH".to_owned(), Effects::None))));
    }
}

#[test]
fn a_batch_that_was_never_polled_never_was() {
    let (registry, log) = (ToolRegistry::new(), Log::default());
    sleeper(&registry, "t", true);
    watch(&registry, &log);
    drop(registry.execute_batch(calls("t", 2), BatchOptions::new()));
    assert!(log.all().is_empty());
}

#[test]
fn ten_thousand_calls_at_once() {
    let registry = ToolRegistry::new();
    sleeper(&registry, "t", true);
    let (results, elapsed) =
        paused(registry.execute_batch(calls("t", 10_000), BatchOptions::new().max_parallel(10_000)));
    assert_eq!((results.len(), elapsed), (10_000, 50));
    assert!(results.iter().all(|r| r.is_success()));
}

#[test]
fn an_interrupted_history_is_completed() {
    let registry = ToolRegistry::new();
    sleeper(&registry, "t", true);
    let made = calls("t", 3);
    let (one, _) = paused(registry.execute(made[1].clone()));
    let whole = repair_history(&made, [None, Some(one.clone())]);
    assert_eq!(codes(&whole), ["ABORTED", "ok", "ABORTED"]);
    assert!(Arc::ptr_eq(&whole[1], &one));
    assert_eq!(whole[0].error().map(|e| e.effects), Some(Effects::Unknown), "it may have run");
}
