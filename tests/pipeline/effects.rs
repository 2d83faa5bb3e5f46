//! What those who look at a failure on its way read of the body's effects.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    DispatchOutcome, Effects, ErrorCode, OutputSpec, ToolCall, ToolError, ToolFailure, ToolRegistry, ToolResult, tool,
};

use crate::{
    functions::{post, wrap},
    support::{Count, counting, ms, paused},
};

type Sights = Arc<Mutex<Vec<(&'static str, Option<(String, Effects)>)>>>;

fn told(failure: Option<&ToolFailure>) -> Option<(String, Effects)> {
    failure.map(|f| (f.code.to_string(), f.effects))
}

/// A wrapper that notes the outcome of its one run of `next`.
fn noting(name: &'static str, sights: &Sights) -> impl toolgate::ExecuteWrapper {
    let sights = sights.clone();
    wrap(name, move |_, mut next| {
        let sights = sights.clone();
        Box::pin(async move {
            let outcome = next.run().await?;
            sights.lock().expect("sound").push((name, told(outcome.error())));
            Ok(outcome)
        })
    })
}

fn noting_post(registry: &ToolRegistry, sights: &Sights) {
    let sights = sights.clone();
    let policy = post("post", move |_, outcome, next| {
        let sights = sights.clone();
        Box::pin(async move {
            sights.lock().expect("sound").push(("post", told(outcome.error())));
            next.run().await
        })
    });
    registry.post_policy(policy).expect("good");
}

fn run(registry: &ToolRegistry) -> Arc<ToolResult> {
    paused(registry.execute(ToolCall::new("c", "t"))).0
}

#[test]
fn wrappers_and_post_policies_read_the_effects_of_the_body() {
    let failing = || tool("t").output(OutputSpec::any()).body(|_| async { Err(ToolError::failed("half of it")) });
    let panicking = || tool("t").output(OutputSpec::any()).body(|_| async { panic!("scripted") });
    let endless = || tool("t").output(OutputSpec::any()).timeout(ms(10)).grace(ms(0)).body(|_| std::future::pending());
    let wrong = || tool("t").output(OutputSpec::text()).body(|_| async { Ok(json!(1)) });
    for (definition, code, effects) in [
        (failing(), "TOOL_FAILED", Effects::Settled),
        (panicking(), "TOOL_PANICKED", Effects::Settled),
        (endless(), "TOOL_TIMEOUT", Effects::Unknown),
        (wrong(), "INVALID_TOOL_OUTPUT", Effects::Settled),
    ] {
        let (registry, sights) = (ToolRegistry::new(), Sights::default());
        registry.register(definition).expect("good");
        registry.wrapper(noting("wrapper", &sights)).expect("good");
        noting_post(&registry, &sights);
        let result = run(&registry);
        let wanted = Some((code.to_owned(), effects));
        assert_eq!(told(result.error()), wanted);
        assert_eq!(*sights.lock().expect("sound"), [("wrapper", wanted.clone()), ("post", wanted)]);
    }
}

#[test]
fn of_several_runs_the_worst_is_read_also_from_an_outcome_that_was_kept() {
    let (registry, sights) = (ToolRegistry::new(), Sights::default());
    let runs = Count::default();
    let worse = tool("t").output(OutputSpec::any()).grace(ms(0)).body(move |_| {
        let first = runs.up() == 1;
        async move { if first { Err(ToolError::failed("first")) } else { std::future::pending().await } }
    });
    registry.register(worse).expect("good");
    registry.wrapper(noting("outer", &sights)).expect("good");
    let keeping = wrap("keeping", |cx, mut next| {
        Box::pin(async move {
            let kept = next.run().await?;
            let second = next.run_with(cx.signal().with_timeout(ms(10))).await?;
            assert_eq!(told(second.error()), Some(("ABORTED".to_owned(), Effects::Unknown)));
            Ok(kept)
        })
    });
    registry.wrapper(keeping).expect("good");
    noting_post(&registry, &sights);
    assert_eq!(told(run(&registry).error()), Some(("TOOL_FAILED".to_owned(), Effects::Unknown)));
    let wanted = Some(("TOOL_FAILED".to_owned(), Effects::Unknown));
    assert_eq!(*sights.lock().expect("sound"), [("outer", wanted.clone()), ("post", wanted)]);
}

#[test]
fn an_outcome_from_before_the_body_denies_it_to_nobody() {
    let (registry, sights) = (ToolRegistry::new(), Sights::default());
    registry.register(counting("t", &Count::default())).expect("good");
    registry.wrapper(noting("outer", &sights)).expect("good");
    let keeping = wrap("keeping", |_, mut next| {
        Box::pin(async move {
            let fired = CancellationToken::new();
            fired.cancel();
            let kept = next.run_with(fired).await?;
            next.run().await?;
            Ok(kept)
        })
    });
    registry.wrapper(keeping).expect("good");
    run(&registry);
    let wanted = Some(("ABORTED".to_owned(), Effects::Settled));
    assert_eq!(*sights.lock().expect("sound"), [("outer", wanted)]);
}

#[test]
fn a_wrappers_own_failure_has_no_say_on_effects_nor_on_trying_again() {
    for runs_the_body in [true, false] {
        let (registry, sights) = (ToolRegistry::new(), Sights::default());
        registry.register(counting("t", &Count::default())).expect("good");
        registry.wrapper(noting("outer", &sights)).expect("good");
        let own = wrap("own", move |_, mut next| {
            Box::pin(async move {
                if runs_the_body {
                    next.run().await?;
                }
                Ok(DispatchOutcome::failure(ToolError::new("OWN", "own").with_retryable(true)))
            })
        });
        registry.wrapper(own).expect("good");
        noting_post(&registry, &sights);
        let result = run(&registry);
        let effects = if runs_the_body { Effects::Settled } else { Effects::None };
        let wanted = Some(("OWN".to_owned(), effects));
        assert_eq!(told(result.error()), wanted);
        assert_eq!(result.error().and_then(|f| f.retryable), None, "only a body's error says whether");
        assert_eq!(*sights.lock().expect("sound"), [("outer", wanted.clone()), ("post", wanted)]);
    }
}

#[test]
fn a_bodys_word_on_trying_again_passes_through() {
    let (registry, sights) = (ToolRegistry::new(), Sights::default());
    let failing = tool("t").output(OutputSpec::any());
    let failing = failing.body(|_| async { Err(ToolError::failed("later").with_retryable(true)) });
    registry.register(failing).expect("good");
    registry.wrapper(noting("outer", &sights)).expect("good");
    let result = run(&registry);
    let failure = result.error().expect("it failed");
    assert_eq!((&failure.code, failure.retryable), (&ErrorCode::TOOL_FAILED, Some(true)));
}

#[test]
fn what_another_call_came_to_says_nothing_of_this_one() {
    let registry = ToolRegistry::new();
    let slot: Arc<Mutex<Option<DispatchOutcome>>> = Arc::default();
    let failing = tool("t").output(OutputSpec::any());
    let failing = failing.body(|_| async { Err(ToolError::new("OWN", "own").with_retryable(true)) });
    registry.register(failing).expect("good");
    let swapping = wrap("swapping", move |cx, mut next| {
        let slot = slot.clone();
        Box::pin(async move {
            if cx.call_id() == "c" {
                return slot.lock().expect("sound").take().ok_or_else(|| toolgate::PolicyError::new("scripted"));
            }
            let outcome = next.run().await?;
            *slot.lock().expect("sound") = Some(outcome);
            Ok(DispatchOutcome::value(json!(1)))
        })
    });
    registry.wrapper(swapping).expect("good");
    paused(registry.execute(ToolCall::new("other", "t")));
    let result = run(&registry);
    let failure = result.error().expect("it failed");
    assert_eq!((failure.code.as_str(), failure.effects, failure.retryable), ("OWN", Effects::None, None));
}
