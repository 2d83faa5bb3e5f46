//! One grace period for a whole call, also while it waits for its turn to be committed.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    Annotations, BatchOptions, GuardVerdict, OutputSpec, PolicyError, PostDecision, PostNext, PostPolicy, ToolCall,
    ToolDefinition, ToolExecution, ToolRegistry, ToolResult, guard_fn, tool,
};

use crate::{codes, ms, paused};

fn sleeper(name: &str, takes: u64) -> ToolDefinition {
    tool(name).output(OutputSpec::any()).annotations(Annotations::read_only()).body(move |_| async move {
        tokio::time::sleep(ms(takes)).await;
        Ok(json!("v"))
    })
}

/// Takes its time over some calls, deaf to their signals.
#[derive(Debug)]
struct Slow(Vec<(&'static str, u64)>);

#[async_trait]
impl PostPolicy for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    async fn review(
        &self,
        cx: &ToolExecution,
        _: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        if let Some((_, takes)) = self.0.iter().find(|(id, _)| *id == cx.call_id()) {
            tokio::time::sleep(ms(*takes)).await;
        }
        next.run().await
    }
}

/// `head` takes `takes`, `quick` settles at 10 ms and is cancelled at `cancel`; its post stage takes `post`.
fn batch(takes: u64, cancel: Option<u64>, post: u64) -> (Vec<String>, u64) {
    let registry = ToolRegistry::builder().grace(ms(2_000)).build().expect("good");
    registry.register(sleeper("head", takes)).expect("good");
    registry.register(sleeper("quick", 10)).expect("good");
    registry.post_policy(Slow(vec![("b", post)])).expect("good");
    let token = CancellationToken::new();
    let calls = vec![ToolCall::new("a", "head"), ToolCall::new("b", "quick").with_cancellation(token.clone())];
    let (results, took) = paused(async {
        let cancel = async {
            if let Some(at) = cancel {
                tokio::time::sleep(ms(at)).await;
                token.cancel();
            }
        };
        tokio::join!(registry.execute_batch(calls, BatchOptions::new()), cancel).0
    });
    (codes(&results).into_iter().map(str::to_owned).collect(), took)
}

#[test]
fn a_call_that_waits_for_its_turn_has_what_is_left_of_its_grace() {
    for (takes, cancel, post, wanted, took) in [
        // Cancelled at 1 s: over at 3 s, long before its turn. Its post stage gets as far as it gets without waiting.
        (10_000, Some(1_000), 60_000, "ABORTED", 10_000),
        (10_000, Some(1_000), 0, "ok", 10_000),
        // Half of it is left.
        (2_000, Some(1_000), 60_000, "ABORTED", 3_000),
        (2_000, Some(1_000), 999, "ok", 2_999),
        // Cancelled at its turn and after it.
        (1_000, Some(1_000), 60_000, "ABORTED", 3_000),
        (1_000, Some(1_500), 60_000, "ABORTED", 3_500),
        (1_000, None, 5_000, "ok", 6_000),
    ] {
        let got = batch(takes, cancel, post);
        assert_eq!(
            got,
            (vec!["ok".to_owned(), wanted.to_owned()], took),
            "head {takes}, cancel {cancel:?}, post {post}"
        );
    }
}

#[test]
fn a_refused_call_that_waits_for_its_turn_has_what_is_left_of_its_grace() {
    let registry = ToolRegistry::builder().grace(ms(2_000)).build().expect("good");
    registry.register(sleeper("head", 10_000)).expect("good");
    registry.register(sleeper("refused", 0)).expect("good");
    let no = guard_fn("no", |cx| match cx.name() {
        "refused" => GuardVerdict::deny("never"),
        _ => GuardVerdict::Abstain,
    });
    registry.guard(no).expect("good");
    registry.post_policy(Slow(vec![("b", 60_000)])).expect("good");
    let token = CancellationToken::new();
    let calls = vec![ToolCall::new("a", "head"), ToolCall::new("b", "refused").with_cancellation(token.clone())];
    let (results, took) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(1_000)).await;
            token.cancel();
        };
        tokio::join!(registry.execute_batch(calls, BatchOptions::new()), cancel).0
    });
    assert_eq!((codes(&results), took), (vec!["ok", "GUARD_DENIED"], 10_000));
}

#[test]
fn a_call_behind_a_slow_post_stage_has_what_is_left_of_its_grace() {
    let registry = ToolRegistry::builder().grace(ms(2_000)).build().expect("good");
    registry.register(sleeper("quick", 10)).expect("good");
    registry.post_policy(Slow(vec![("a", 10_000), ("b", 60_000)])).expect("good");
    let token = CancellationToken::new();
    let calls = vec![ToolCall::new("a", "quick"), ToolCall::new("b", "quick").with_cancellation(token.clone())];
    let (results, took) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(1_000)).await;
            token.cancel();
        };
        tokio::join!(registry.execute_batch(calls, BatchOptions::new()), cancel).0
    });
    assert_eq!((codes(&results), took), (vec!["ok", "ABORTED"], 10_010));
}

#[test]
fn what_a_call_holds_goes_when_it_is_committed_and_not_with_the_batch() {
    let registry = ToolRegistry::new();
    registry.register(sleeper("head", 1_000)).expect("good");
    registry.register(sleeper("quick", 10)).expect("good");
    registry.register(sleeper("last", 5_000)).expect("good");
    let held = Arc::new(());
    let call = |id: &'static str, name: &str| ToolCall::new(id, name).with_extension(held.clone());
    let calls = vec![call("a", "head"), call("b", "quick"), call("c", "quick"), ToolCall::new("d", "last")];
    let count = || Arc::strong_count(&held) - 1;
    let (counts, _) = paused(async {
        let look = async {
            let mut counts = Vec::new();
            for _ in 0..2 {
                tokio::time::sleep(ms(900)).await;
                counts.push(count());
            }
            counts
        };
        tokio::join!(registry.execute_batch(calls, BatchOptions::new()), look).1
    });
    assert_eq!(counts, [3, 0], "committed at 1 s; the batch goes on until 5 s");
}
