//! Calls within calls.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    ApprovalOutcome, ApprovalRequest, Approver, ErrorCode, GuardVerdict, OutputSpec, PolicyError, ToolCall,
    ToolContext, ToolRegistry, guard_fn, observer_fn, tool,
};

use crate::{answering, ms, paused};

#[test]
fn a_nested_call_inherits_agent_root_extensions_and_parent() {
    #[derive(Debug, PartialEq)]
    struct Tenant(u8);
    #[derive(Debug, PartialEq)]
    struct Level(u8);

    let registry = ToolRegistry::new();
    registry.scope("a");
    registry.register(answering("inner", "in")).expect("good");
    let outer = tool("outer").output(OutputSpec::text()).body(|cx: ToolContext| async move {
        let call = cx.nested_call("inner").with_agent("another").with_extension(Level(2));
        let result = cx.call(call).await;
        Ok(json!(result.text()))
    });
    registry.register(outer).expect("good");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let observer = observer_fn("o", move |cx, _| {
        let mut kept = kept.lock().expect("sound");
        kept.push((cx.call_id().to_owned(), cx.root_call_id().to_owned(), cx.token(), cx.parent()));
        assert_eq!(cx.agent().map(toolgate::ScopeId::as_str), Some("a"), "never another scope's");
        assert_eq!(cx.extensions().get::<Tenant>(), Some(&Tenant(7)));
        assert_eq!(cx.extensions().get::<Level>().map(|l| l.0), Some(if cx.parent().is_some() { 2 } else { 1 }));
    });
    registry.observer(observer).expect("good");
    let call = ToolCall::new("c1", "outer").with_agent("a").with_extension(Tenant(7)).with_extension(Level(1));
    assert_eq!(paused(registry.execute(call)).text(), "in");
    let seen = seen.lock().expect("sound");
    let [inner, outer] = &seen[..] else { panic!("two calls, the inner one first: {seen:?}") };
    assert_eq!((inner.0.as_str(), inner.1.as_str(), inner.3), ("c1/1", "c1", Some(outer.2)));
    assert_eq!((outer.0.as_str(), outer.1.as_str(), outer.3), ("c1", "c1", None));
}

#[test]
fn contexts_and_conclusion_are_the_bodys_to_forward() {
    for forwards in [true, false] {
        let registry = ToolRegistry::new();
        let inner = tool("inner").output(OutputSpec::text()).body(|cx: ToolContext| async move {
            cx.defer_context("remember this").expect("the run is on");
            cx.conclude_turn();
            Ok(json!("in"))
        });
        registry.register(inner).expect("good");
        let outer = tool("outer").output(OutputSpec::text()).body(move |cx: ToolContext| async move {
            let result = cx.call(cx.nested_call("inner")).await;
            assert!(result.concludes_turn());
            if forwards {
                assert!(cx.forward(&result));
            }
            Ok(json!("out"))
        });
        registry.register(outer).expect("good");
        let result = paused(registry.execute(ToolCall::new("c", "outer")));
        assert_eq!(result.additional_contexts().len(), usize::from(forwards));
        assert_eq!(result.concludes_turn(), forwards);
    }
}

#[test]
fn a_guard_holds_for_nested_calls() {
    let registry = ToolRegistry::new();
    registry.register(answering("inner", "in")).expect("good");
    let outer = tool("outer").output(OutputSpec::text()).body(|cx: ToolContext| async move {
        let result = cx.call(cx.nested_call("inner")).await;
        Ok(json!(result.code().map_or("ok", ErrorCode::as_str)))
    });
    registry.register(outer).expect("good");
    let guard = guard_fn("g", |cx| match cx.name() {
        "inner" => GuardVerdict::deny("not this one"),
        _ => GuardVerdict::Abstain,
    });
    registry.guard(guard).expect("good");
    assert_eq!(paused(registry.execute(ToolCall::new("c", "outer"))).text(), "GUARD_DENIED");
}

/// A tool that calls itself as often as its argument says.
fn recursive(registry: &ToolRegistry) {
    let dive = tool("dive").output(OutputSpec::any()).body(|cx: ToolContext| async move {
        let left = cx.arguments()["left"].as_u64().unwrap_or(0);
        if left == 0 {
            return Ok(json!("bottom"));
        }
        let result = cx.call(cx.nested_call("dive").with_arguments(json!({"left": left - 1}))).await;
        Ok(result.value().cloned().unwrap_or_else(|| json!(result.code().map(ErrorCode::as_str))))
    });
    registry.register(dive).expect("good");
}

#[test]
fn depth_is_bounded_and_the_bound_does_not_overflow_the_stack() {
    for (limit, levels, wanted) in
        [(None, 32, "bottom"), (None, 33, "CALL_DEPTH_EXCEEDED"), (Some(3), 4, "CALL_DEPTH_EXCEEDED")]
    {
        let mut builder = ToolRegistry::builder();
        if let Some(limit) = limit {
            builder = builder.nesting_depth(limit);
        }
        let registry = builder.build().expect("good");
        recursive(&registry);
        let call = ToolCall::new("c", "dive").with_arguments(json!({"left": levels}));
        let run = move || paused(registry.execute(call)).value().cloned();
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
        assert_eq!(thread.join().expect("no overflow"), Some(json!(wanted)));
    }
}

#[test]
fn a_deadline_of_the_outer_call_ends_the_inner_one() {
    let registry = ToolRegistry::builder().grace(ms(20)).build().expect("good");
    let inner = tool("inner").output(OutputSpec::any()).body(|_| std::future::pending());
    registry.register(inner).expect("good");
    let outer = tool("outer").output(OutputSpec::any()).timeout(ms(50)).body(|cx: ToolContext| async move {
        let result = cx.call(cx.nested_call("inner")).await;
        Ok(json!(result.code().map(ErrorCode::as_str)))
    });
    registry.register(outer).expect("good");
    let ends = Arc::new(Mutex::new(Vec::new()));
    let kept = ends.clone();
    let observer = observer_fn("o", move |cx, result| {
        kept.lock().expect("sound").push((cx.name().to_owned(), result.code().map(ToString::to_string)));
    });
    registry.observer(observer).expect("good");
    paused(registry.execute(ToolCall::new("c", "outer")));
    let expected = [("inner", "ABORTED"), ("outer", "TOOL_TIMEOUT")];
    let ends = ends.lock().expect("sound");
    let ends: Vec<_> = ends.iter().map(|(name, code)| (name.as_str(), code.as_deref().unwrap_or("ok"))).collect();
    assert_eq!(ends, expected);
}

#[test]
fn a_nested_call_that_outlives_its_run_is_cancelled() {
    let registry = ToolRegistry::builder().grace(ms(20)).build().expect("good");
    let inner = tool("inner").output(OutputSpec::any()).body(|_| std::future::pending());
    registry.register(inner).expect("good");
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let late = Arc::new(Mutex::new(None));
    let keep = late.clone();
    let outer = tool("outer").output(OutputSpec::any()).body(move |cx: ToolContext| {
        *keep.lock().expect("sound") = Some(cx.clone());
        let sender = sender.lock().expect("sound").take();
        async move {
            tokio::spawn(async move {
                let result = cx.call(cx.nested_call("inner")).await;
                sender.map(|s| s.send(result))
            });
            tokio::time::sleep(ms(10)).await;
            Ok(json!(null))
        }
    });
    registry.register(outer).expect("good");
    paused(async {
        let result = registry.execute(ToolCall::new("c", "outer")).await;
        assert!(result.is_success());
        let inner = receiver.await.expect("it has a result");
        assert_eq!(inner.code(), Some(&ErrorCode::ABORTED));
        let cx = late.lock().expect("sound").take().expect("kept");
        let after = cx.call(cx.nested_call("inner")).await;
        assert_eq!(after.code(), Some(&ErrorCode::ABORTED_BEFORE_DISPATCH), "the run is over");
    });
}

#[test]
fn a_context_keeps_no_registry_and_makes_no_calls_when_it_is_gone() {
    struct Dropped(Arc<Mutex<bool>>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            *self.0.lock().expect("sound") = true;
        }
    }
    let (registry, late, dropped) = (ToolRegistry::new(), Arc::new(Mutex::new(None)), Arc::new(Mutex::new(false)));
    let (keep, held) = (late.clone(), Dropped(dropped.clone()));
    let approver = approver_that_holds(held);
    registry.approver(approver).expect("there is none");
    let outer = tool("outer").output(OutputSpec::any()).body(move |cx: ToolContext| {
        *keep.lock().expect("sound") = Some(cx);
        async { Ok(json!(null)) }
    });
    registry.register(outer).expect("good");
    paused(async {
        assert!(registry.execute(ToolCall::new("c", "outer")).await.is_success());
        drop(registry);
        assert!(*dropped.lock().expect("sound"), "what is registered beside the tools is gone");
        let cx: ToolContext = late.lock().expect("sound").take().expect("kept");
        let after = cx.call(cx.nested_call("outer")).await;
        assert_eq!(after.code(), Some(&ErrorCode::ABORTED_BEFORE_DISPATCH));
        assert_eq!(after.text(), "Error: tool call aborted before dispatch");
    });
}

fn approver_that_holds(held: impl Send + Sync + 'static) -> impl Approver {
    struct Holds<T>(T);
    impl<T> std::fmt::Debug for Holds<T> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Holds")
        }
    }
    #[async_trait::async_trait]
    impl<T: Send + Sync + 'static> Approver for Holds<T> {
        fn name(&self) -> &str {
            "holds"
        }
        async fn request(&self, _request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
            Ok(ApprovalOutcome::Rejected)
        }
    }
    Holds(held)
}

#[test]
fn no_two_executions_of_any_threads_have_one_token() {
    let registry = ToolRegistry::new();
    registry.register(answering("t", "in")).expect("good");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let observer = observer_fn("o", move |cx, _| kept.lock().expect("sound").push(cx.token()));
    registry.observer(observer).expect("good");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            // More than a thread takes at once.
            scope.spawn(|| {
                paused(async {
                    for _ in 0..1_100 {
                        registry.execute(ToolCall::new("c", "t")).await;
                    }
                });
            });
        }
    });
    let mut seen = seen.lock().expect("sound").clone();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4 * 1_100);
}

#[test]
fn a_nested_call_has_a_token_of_its_own() {
    let registry = ToolRegistry::builder().grace(ms(0)).build().expect("good");
    let inner = tool("inner").output(OutputSpec::any()).body(|_| std::future::pending());
    registry.register(inner).expect("good");
    let outer = tool("outer").output(OutputSpec::any()).body(|cx: ToolContext| async move {
        let token = CancellationToken::new();
        let nested = cx.call(cx.nested_call("inner").with_cancellation(token.clone()));
        let cancel = async {
            tokio::time::sleep(ms(5)).await;
            token.cancel();
        };
        let (result, ()) = tokio::join!(nested, cancel);
        Ok(json!(result.code().map(ErrorCode::as_str)))
    });
    registry.register(outer).expect("good");
    let result = paused(registry.execute(ToolCall::new("c", "outer")));
    assert_eq!(result.value(), Some(&json!("ABORTED")));
}
