//! Resource keys across batches, single and nested calls.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{BatchOptions, OutputSpec, ResourceKeys, ToolCall, ToolContext, ToolDefinition, ToolRegistry, tool};

use crate::{Log, code, ms, paused};

/// Reads or writes what its arguments name, for as long as they say.
fn uses(name: &'static str, log: &Log) -> ToolDefinition {
    let log = log.clone();
    tool(name)
        .output(OutputSpec::any())
        .resources(move |arguments| {
            let key = arguments["key"].as_str().unwrap_or_default().to_owned();
            if name == "read" { ResourceKeys::new().read(key) } else { ResourceKeys::new().write(key) }
        })
        .body(move |cx: ToolContext| {
            let log = log.clone();
            async move {
                log.add(format!("+{}", cx.call_id()));
                tokio::time::sleep(ms(cx.arguments()["ms"].as_u64().unwrap_or(10))).await;
                log.add(format!("-{}", cx.call_id()));
                Ok(json!(null))
            }
        })
}

fn call(id: &str, name: &str, key: &str) -> ToolCall {
    ToolCall::new(id, name).with_arguments(json!({"key": key}))
}

fn registry(log: &Log) -> ToolRegistry {
    let registry = ToolRegistry::new();
    registry.register(uses("read", log)).expect("good");
    registry.register(uses("write", log)).expect("good");
    registry
}

#[test]
fn o_04_calls_on_one_target_take_turns_and_readers_overlap() {
    let log = Log::default();
    let registry = registry(&log);
    let calls = [
        call("w1", "write", "x"),
        call("w2", "write", "x"),
        call("r1", "read", "x"),
        call("r2", "read", "x"),
        call("w3", "write", "y"),
    ];
    let (results, elapsed) = paused(registry.execute_batch(calls, BatchOptions::new()));
    assert!(results.iter().all(|r| r.is_success()));
    assert_eq!(log.all(), ["+w1", "+w3", "-w1", "-w3", "+w2", "-w2", "+r1", "+r2", "-r1", "-r2"]);
    assert_eq!(elapsed, 30, "the two reads run at the same time");
}

#[test]
fn keys_are_registry_wide() {
    let log = Log::default();
    let registry = registry(&log);
    let (_, elapsed) = paused(async {
        tokio::join!(
            registry.execute(call("a", "write", "x")),
            registry.execute_batch([call("b", "write", "x")], BatchOptions::new()),
            registry.execute(call("c", "read", "x")),
        )
    });
    assert_eq!(elapsed, 30);
    assert_eq!(log.all(), ["+a", "-a", "+b", "-b", "+c", "-c"]);
}

#[test]
fn waiting_for_a_key_counts_against_no_deadline_and_can_be_cancelled() {
    let log = Log::default();
    let registry = ToolRegistry::builder().default_timeout(ms(15)).build().expect("good");
    registry.register(uses("write", &log)).expect("good");
    let token = CancellationToken::new();
    let ((one, two, three), elapsed) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(5)).await;
            token.cancel();
        };
        let third = call("c", "write", "x").with_cancellation(token.clone());
        let all = async {
            tokio::join!(
                registry.execute(call("a", "write", "x")),
                registry.execute(call("b", "write", "x")),
                registry.execute(third),
            )
        };
        tokio::join!(all, cancel).0
    });
    assert_eq!((code(&one), code(&two), code(&three)), ("ok", "ok", "ABORTED_BEFORE_DISPATCH"));
    assert_eq!(elapsed, 20);
    assert_eq!(log.all(), ["+a", "-a", "+b", "-b"]);
}

#[test]
fn a_dropped_call_gives_its_keys_up_wherever_it_was() {
    let log = Log::default();
    let registry = registry(&log);
    let ((), _) = paused(async {
        let holder = registry.execute(call("a", "write", "x"));
        let waiter = registry.execute(call("b", "write", "x"));
        let _ = tokio::time::timeout(ms(5), async { tokio::join!(holder, waiter) }).await;
        assert!(registry.execute(call("c", "write", "x")).await.is_success());
    });
    assert_eq!(log.all(), ["+a", "+c", "-c"]);
}

#[test]
fn a_writer_is_not_passed_by_readers_for_ever() {
    let log = Log::default();
    let registry = registry(&log);
    paused(async {
        let later = async {
            tokio::time::sleep(ms(1)).await;
            tokio::join!(registry.execute(call("w", "write", "x")), async {
                tokio::time::sleep(ms(1)).await;
                registry.execute(call("r2", "read", "x")).await
            })
        };
        tokio::join!(registry.execute(call("r1", "read", "x")), later)
    });
    assert_eq!(log.all(), ["+r1", "-r1", "+w", "-w", "+r2", "-r2"]);
}

#[test]
fn a_later_call_passes_a_queued_one_but_is_committed_after_it() {
    let log = Log::default();
    let registry = registry(&log);
    let order = log.clone();
    let options = BatchOptions::new().on_commit(move |at, _| order.add(format!("commit {at}")));
    let calls = [call("a", "write", "x"), call("b", "write", "x"), call("c", "write", "y")];
    paused(registry.execute_batch(calls, options));
    let expected = ["+a", "+c", "-a", "-c", "commit 0", "+b", "-b", "commit 1", "commit 2"];
    let mut got = log.all();
    // Whether the next body starts before or after the commit of its predecessor is nobody's promise.
    got.sort_by_key(|e| expected.iter().position(|x| x == e));
    assert_eq!(got, expected);
    let commits: Vec<_> = log.all().into_iter().filter(|e| e.starts_with("commit")).collect();
    assert_eq!(commits, ["commit 0", "commit 1", "commit 2"]);
}

/// Writes a key, and calls another writer of the same key.
fn outer(name: &'static str, inner: &'static str) -> ToolDefinition {
    tool(name).output(OutputSpec::any()).resources(|_| ResourceKeys::new().write("x")).body(
        move |cx: ToolContext| async move {
            let result = cx.call(cx.nested_call(inner).with_arguments(json!({"key": "x"}))).await;
            Ok(json!(result.is_success()))
        },
    )
}

#[test]
fn a_nested_call_shares_its_ancestors_keys_also_when_others_queue() {
    let log = Log::default();
    let registry = registry(&log);
    registry.register(outer("outer", "write")).expect("good");
    registry.register(outer("outermost", "outer")).expect("good");
    let (results, _) = paused(async {
        let both = async {
            tokio::join!(registry.execute(ToolCall::new("o", "outermost")), registry.execute(call("q", "write", "x")))
        };
        tokio::time::timeout(ms(1_000), both).await
    });
    let (nested, queued) = results.expect("nobody waits for himself");
    assert_eq!(nested.value(), Some(&json!(true)));
    assert!(queued.is_success());
    assert_eq!(log.all(), ["+o/1/1", "-o/1/1", "+q", "-q"]);
}

#[test]
fn keys_that_cannot_be_computed_are_everything() {
    let log = Log::default();
    let registry = registry(&log);
    let inside = Arc::new(AtomicUsize::new(0));
    let held = inside.clone();
    let odd = tool("odd").output(OutputSpec::any()).resources(|_| panic!("scripted")).body(move |_| {
        let held = held.clone();
        async move {
            held.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(ms(10)).await;
            Ok(json!(null))
        }
    });
    registry.register(odd).expect("good");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let (_, elapsed) = paused(async {
        tokio::join!(
            registry.execute(call("a", "read", "x")),
            registry.execute(ToolCall::new("o", "odd")),
            registry.execute(call("b", "read", "x"))
        )
    });
    std::panic::set_hook(hook);
    assert_eq!((elapsed, inside.load(Ordering::SeqCst)), (30, 1), "one after the other");
}

/// Writes `own`, and after a while calls a writer of `other`.
fn crossing(name: &'static str, own: &'static str, other: &'static str) -> ToolDefinition {
    tool(name).output(OutputSpec::any()).resources(move |_| ResourceKeys::new().write(own)).body(
        move |cx: ToolContext| async move {
            tokio::time::sleep(ms(5)).await;
            let result = cx.call(cx.nested_call("write").with_arguments(json!({"key": other}))).await;
            Ok(json!(result.code().map(ToString::to_string)))
        },
    )
}

#[test]
fn calls_that_would_wait_for_each_other_for_ever_are_told_at_once() {
    let log = Log::default();
    let registry = registry(&log);
    registry.register(crossing("ab", "a", "b")).expect("good");
    registry.register(crossing("ba", "b", "a")).expect("good");
    let (results, _) = paused(async {
        let both = async {
            tokio::join!(registry.execute(ToolCall::new("1", "ab")), registry.execute(ToolCall::new("2", "ba")))
        };
        tokio::time::timeout(ms(1_000), both).await
    });
    let (one, two) = results.expect("nobody waits for ever");
    // The second to ask is refused; its caller ends, and the first gets what it waits for.
    let mut told = [one.value().cloned(), two.value().cloned()];
    told.sort_by_key(|t| *t == Some(json!(null)));
    assert_eq!(told, [Some(json!("TOOL_FAILED")), Some(json!(null))]);
    assert_eq!(log.all().len(), 2, "one of the two has written");
}
