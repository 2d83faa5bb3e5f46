//! Deadlines that are over before anybody has looked at them.

use serde_json::json;
use toolgate::{Effects, ErrorCode, OutputSpec, ToolCall, ToolError, ToolRegistry, tool};

use crate::{
    functions::wrap,
    support::{Count, counting, ms, paused},
};

#[test]
fn no_body_starts_under_a_deadline_that_is_over() {
    // At its very instant a deadline is not over yet: bodies come before clocks.
    for (waits, wanted) in [(99, None), (100, None), (101, Some(ErrorCode::ABORTED_BEFORE_DISPATCH))] {
        let (registry, runs) = (ToolRegistry::new(), Count::default());
        registry.register(counting("t", &runs)).expect("good");
        let late = wrap("late", move |cx, mut next| {
            Box::pin(async move {
                let deadline = cx.signal().with_timeout(ms(100));
                tokio::time::sleep(ms(waits)).await;
                next.run_with(deadline).await
            })
        });
        registry.wrapper(late).expect("good");
        let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
        assert_eq!((result.code(), runs.get()), (wanted.as_ref(), usize::from(wanted.is_none())), "after {waits} ms");
    }
}

#[test]
fn no_body_starts_again_after_the_deadline_of_all_tries() {
    let (registry, runs) = (ToolRegistry::new(), Count::default());
    let counted = runs.clone();
    let flaky = tool("t").output(OutputSpec::any()).body(move |_| {
        let first = counted.up() == 1;
        async move { if first { Err(ToolError::failed("again")) } else { Ok(json!("late")) } }
    });
    registry.register(flaky).expect("good");
    let retrying = wrap("retrying", |cx, mut next| {
        Box::pin(async move {
            let overall = cx.signal().with_timeout(ms(100));
            next.run_with(overall.clone()).await?;
            tokio::time::sleep(ms(500)).await;
            next.run_with(overall).await
        })
    });
    registry.wrapper(retrying).expect("good");
    let (result, _) = paused(registry.execute(ToolCall::new("c", "t")));
    let failure = result.error().expect("no time was left");
    assert_eq!((&failure.code, failure.effects, runs.get()), (&ErrorCode::ABORTED, Effects::Settled, 1));
}
