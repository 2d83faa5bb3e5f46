//! Wrappers that run `next` in ways nobody had in mind: before and after refusals, leaked, under shared signals.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, Ordering},
    },
    task::Poll,
    time::Duration,
};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    DispatchOutcome, Effects, ErrorCode, GuardVerdict, OutputSpec, Signal, ToolCall, ToolContext, ToolRegistry,
    guard_fn, observer_fn, tool,
};

use crate::{
    functions::wrap,
    support::{Count, counting, ms, paused, quiet},
};

fn fired() -> CancellationToken {
    let token = CancellationToken::new();
    token.cancel();
    token
}

/// A guard that abstains (0), denies (1) or panics (2), as it is told at the moment.
fn moody(registry: &ToolRegistry) -> Arc<AtomicU8> {
    let mood = Arc::new(AtomicU8::new(0));
    let own = mood.clone();
    let guard = guard_fn("moody", move |_| match own.load(Ordering::SeqCst) {
        0 => GuardVerdict::Abstain,
        1 => GuardVerdict::deny("not now"),
        _ => panic!("scripted"),
    });
    registry.guard(guard).expect("good");
    mood
}

#[test]
fn a_run_after_one_that_started_no_body_asks_the_guards_again() {
    let (registry, runs) = (ToolRegistry::new(), Count::default());
    registry.register(counting("t", &runs)).expect("good");
    let mood = moody(&registry);
    let wrapper = wrap("w", move |_, mut next| {
        let mood = mood.clone();
        Box::pin(async move {
            let first = next.run_with(fired()).await?;
            assert_eq!(first.error().map(|e| &e.code), Some(&ErrorCode::ABORTED_BEFORE_DISPATCH));
            mood.store(1, Ordering::SeqCst);
            next.run().await
        })
    });
    registry.wrapper(wrapper).expect("good");
    let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
    assert_eq!((result.code(), runs.get()), (Some(&ErrorCode::GUARD_DENIED), 0));
}

#[test]
fn no_body_runs_after_a_guard_has_refused_even_if_it_changes_its_mind() {
    for (mood_of_two, wanted) in [(1, ErrorCode::GUARD_DENIED), (2, ErrorCode::GUARD_FAILED)] {
        let (registry, runs) = (ToolRegistry::new(), Count::default());
        registry.register(counting("t", &runs)).expect("good");
        let mood = moody(&registry);
        let wrapper = wrap("w", move |_, mut next| {
            let mood = mood.clone();
            Box::pin(async move {
                next.run().await?;
                mood.store(mood_of_two, Ordering::SeqCst);
                let _ = next.run().await;
                mood.store(0, Ordering::SeqCst);
                next.run().await
            })
        });
        registry.wrapper(wrapper).expect("good");
        let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
        assert_eq!((result.code(), runs.get()), (Some(&wanted), 1));
    }
}

#[test]
fn an_outcome_from_before_the_body_does_not_deny_that_it_ran() {
    let (registry, runs) = (ToolRegistry::new(), Count::default());
    registry.register(counting("t", &runs)).expect("good");
    let wrapper = wrap("w", |_, mut next| {
        Box::pin(async move {
            let kept = next.run_with(fired()).await?;
            next.run().await?;
            Ok(kept)
        })
    });
    registry.wrapper(wrapper).expect("good");
    let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
    let failure = result.error().expect("the kept outcome is a failure");
    assert_eq!((&failure.code, failure.effects, runs.get()), (&ErrorCode::ABORTED, Effects::Settled, 1));
}

#[test]
fn a_leaked_run_is_over_when_the_next_begins_and_when_the_call_ends() {
    for again in [true, false] {
        let registry = ToolRegistry::new();
        let kept: Arc<Mutex<Vec<(ToolContext, Signal)>>> = Arc::default();
        let keep = kept.clone();
        let definition = tool("t").output(OutputSpec::any()).body(move |cx| {
            let mut kept = keep.lock().expect("sound");
            kept.push((cx.clone(), cx.signal()));
            let first = kept.len() == 1;
            async move {
                if first {
                    std::future::pending::<()>().await;
                }
                Ok(json!(cx.signal().is_cancelled()))
            }
        });
        registry.register(definition).expect("good");
        let wrapper = wrap("w", move |_, mut next| {
            Box::pin(async move {
                {
                    let mut first = Box::pin(next.run());
                    assert!(std::future::poll_fn(|cx| Poll::Ready(first.as_mut().poll(cx).is_pending())).await);
                    std::mem::forget(first);
                }
                if again { next.run().await } else { Ok(DispatchOutcome::value(json!("own"))) }
            })
        });
        registry.wrapper(wrapper).expect("good");
        let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
        let wanted = if again { json!(false) } else { json!("own") };
        assert_eq!(result.value(), Some(&wanted), "the second run has a signal of its own");
        let (cx, signal) = kept.lock().expect("sound")[0].clone();
        assert!(signal.is_cancelled() && cx.defer_context("late").is_err() && !cx.conclude_turn());
        let (nested, _) = paused(cx.call(cx.nested_call("t")));
        assert_eq!(nested.code(), Some(&ErrorCode::ABORTED_BEFORE_DISPATCH));
    }
}

#[test]
fn the_end_of_a_run_ends_no_signal_but_its_own() {
    let registry = ToolRegistry::new();
    registry.register(counting("t", &Count::default())).expect("good");
    let seen: Arc<Mutex<Vec<bool>>> = Arc::default();
    let (outer, inner, last) = (seen.clone(), seen.clone(), seen.clone());
    let retrying = wrap("outer", move |cx, mut next| {
        let seen = outer.clone();
        Box::pin(async move {
            let overall = cx.signal().with_timeout(Duration::from_secs(30));
            next.run_with(overall.clone()).await?;
            let outcome = next.run_with(overall).await;
            seen.lock().expect("sound").push(cx.signal().token().is_cancelled());
            next.run_with(cx.signal()).await?;
            outcome
        })
    });
    registry.wrapper(retrying).expect("good");
    let looking = wrap("inner", move |cx, mut next| {
        let seen = inner.clone();
        Box::pin(async move {
            seen.lock().expect("sound").push(cx.signal().token().is_cancelled());
            next.run().await
        })
    });
    registry.wrapper(looking).expect("good");
    let guard = guard_fn("g", move |cx| {
        last.lock().expect("sound").push(cx.signal().token().is_cancelled());
        GuardVerdict::Abstain
    });
    registry.guard(guard).expect("good");
    paused(registry.execute(ToolCall::new("c", "t")));
    assert_eq!(*seen.lock().expect("sound"), vec![false; 7]);
}

#[test]
fn tokens_fire_when_their_run_or_call_has_ended_also_those_made_late() {
    let registry = ToolRegistry::new();
    let tokens: Arc<Mutex<Vec<CancellationToken>>> = Arc::default();
    let (body, observer) = (tokens.clone(), tokens.clone());
    let definition = tool("t").output(OutputSpec::any()).timeout(ms(50)).body(move |cx| {
        // Of the view, under the deadline; not the context's own signal.
        let view: &toolgate::ToolExecution = &cx;
        body.lock().expect("sound").push(view.signal().token());
        async { Ok(json!(1)) }
    });
    registry.register(definition).expect("good");
    let late = observer_fn("late", move |cx, _| observer.lock().expect("sound").push(cx.signal().token()));
    registry.observer(late).expect("good");
    paused(registry.execute(ToolCall::new("c", "t")));
    let fired: Vec<_> = tokens.lock().expect("sound").iter().map(CancellationToken::is_cancelled).collect();
    assert_eq!(fired, [true, true]);
}

#[test]
fn signals_that_are_joined_at_every_level_stay_quick_to_look_at() {
    quiet();
    let registry = ToolRegistry::new();
    let dive = tool("dive").output(OutputSpec::any()).body(|cx: ToolContext| async move {
        let left = cx.arguments()["left"].as_u64().unwrap_or(0);
        if left == 0 {
            return Ok(json!("bottom"));
        }
        let result = cx.call(cx.nested_call("dive").with_arguments(json!({"left": left - 1}))).await;
        Ok(result.value().cloned().unwrap_or_default())
    });
    registry.register(dive).expect("good");
    let joining = wrap("w", |cx, mut next| {
        Box::pin(async move {
            let (one, two) =
                (cx.signal().with_token(CancellationToken::new()), cx.signal().with_token(CancellationToken::new()));
            let own = Signal::new(CancellationToken::new()).narrowed_by(cx.signal());
            next.run_with(one.narrowed_by(two).narrowed_by(own)).await
        })
    });
    registry.wrapper(joining).expect("good");
    let (done, finished) = std::sync::mpsc::channel();
    let call = ToolCall::new("c", "dive").with_arguments(json!({"left": 32}));
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    let spawned = thread.spawn(move || done.send(paused(registry.execute(call)).0.value().cloned()));
    assert!(spawned.is_ok());
    // An upper bound so wide that only work which doubles with every level misses it.
    assert_eq!(finished.recv_timeout(Duration::from_secs(30)).ok().flatten(), Some(json!("bottom")));
}

#[test]
fn a_timeout_at_the_end_of_the_clock_is_none() {
    let mut longest = Duration::from_secs(1);
    while tokio::time::Instant::now().checked_add(longest * 2).is_some() {
        longest *= 2;
    }
    let mut step = longest;
    while step > Duration::from_nanos(1) {
        step /= 2;
        if tokio::time::Instant::now().checked_add(longest + step).is_some() {
            longest += step;
        }
    }
    let registry = ToolRegistry::builder().policy_timeout(longest).approval_timeout(longest).grace(longest).build();
    let registry = registry.expect("good");
    let slow = tool("t").output(OutputSpec::any()).timeout(longest).body(|_| async {
        tokio::time::sleep(ms(1)).await;
        Ok(json!(1))
    });
    registry.register(slow).expect("good");
    let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
    assert!(result.is_success());
}
