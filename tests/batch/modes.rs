//! Whether a call overlaps is read again right before its start.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{Annotations, BatchOptions, OutputSpec, ToolCall, ToolDefinition, ToolRegistry, observer_fn, tool};

use crate::{code, codes, ms, paused};

/// How many bodies are inside, and how many were at most.
#[derive(Clone, Default)]
struct Floor(Arc<Mutex<(usize, usize)>>);

impl Floor {
    fn body(&self, definition: ToolDefinition, takes: u64) -> ToolDefinition {
        let floor = self.clone();
        definition.body(move |_| {
            let floor = floor.clone();
            async move {
                {
                    let mut now = floor.0.lock().expect("sound");
                    now.0 += 1;
                    now.1 = now.1.max(now.0);
                }
                tokio::time::sleep(ms(takes)).await;
                floor.0.lock().expect("sound").0 -= 1;
                Ok(json!(1))
            }
        })
    }

    fn most(&self) -> usize {
        self.0.lock().expect("sound").1
    }
}

fn safe(name: &str) -> ToolDefinition {
    tool(name).output(OutputSpec::any()).annotations(Annotations::read_only())
}

fn exclusive(name: &str) -> ToolDefinition {
    tool(name).output(OutputSpec::any())
}

/// Puts `to` in the place of `t` when the call `at` is committed.
fn swap_after(registry: &ToolRegistry, at: &'static str, from: ToolDefinition, to: ToolDefinition) {
    let old = registry.register(from).expect("good");
    let (again, to) = (registry.clone(), Mutex::new(Some(to)));
    let swap = observer_fn("swap", move |cx, _| {
        if cx.call_id() == at
            && let Some(to) = to.lock().expect("sound").take()
        {
            assert!(old.remove());
            again.register(to).expect("free now");
        }
    });
    registry.observer(swap).expect("good");
}

fn made(names: &[&str]) -> Vec<ToolCall> {
    names.iter().enumerate().map(|(i, name)| ToolCall::new(i.to_string(), *name)).collect()
}

#[test]
fn an_exclusive_call_that_may_overlap_by_its_turn_is_no_barrier() {
    let (registry, floor) = (ToolRegistry::new(), Floor::default());
    registry.register(floor.body(safe("safe"), 100)).expect("good");
    swap_after(&registry, "0", floor.body(exclusive("t"), 100), floor.body(safe("t"), 100));
    let (results, took) = paused(registry.execute_batch(made(&["safe", "t", "safe"]), BatchOptions::new()));
    assert_eq!((codes(&results), took), (vec!["ok"; 3], 200));
}

#[test]
fn a_call_that_may_not_overlap_any_more_by_its_turn_is_a_barrier() {
    let (registry, floor) = (ToolRegistry::new(), Floor::default());
    registry.register(floor.body(safe("safe"), 100)).expect("good");
    registry.register(floor.body(safe("long"), 300)).expect("good");
    swap_after(&registry, "0", floor.body(safe("t"), 100), floor.body(exclusive("t"), 100));
    // No room for `t` before the first is committed; the long one is still at it then.
    let options = BatchOptions::new().max_parallel(2);
    let (results, took) = paused(registry.execute_batch(made(&["safe", "long", "t", "safe"]), options));
    assert_eq!((codes(&results), took), (vec!["ok"; 4], 500));
}

#[test]
fn a_call_that_may_overlap_by_its_turn_waits_for_room_like_any_other() {
    let (registry, floor) = (ToolRegistry::new(), Floor::default());
    registry.register(floor.body(safe("short"), 10)).expect("good");
    registry.register(floor.body(safe("long"), 100)).expect("good");
    // Exclusive while there is no room for it, and safe when the first is committed and the long ones take all there is.
    swap_after(&registry, "0", floor.body(exclusive("t"), 100), floor.body(safe("t"), 100));
    let options = BatchOptions::new().max_parallel(2);
    let (results, _) = paused(registry.execute_batch(made(&["short", "long", "t", "t"]), options));
    assert_eq!((codes(&results), floor.most()), (vec!["ok"; 4], 2));
}

#[test]
fn a_classifier_that_answers_otherwise_each_time_neither_hangs_nor_overlaps_what_it_must_not() {
    for first in [true, false] {
        let (registry, floor) = (ToolRegistry::new(), Floor::default());
        let (mood, again) = (Arc::new(Mutex::new(first)), registry.clone());
        let moody = exclusive("t").concurrency_safe(move |_| {
            // A change of the registry each time, too.
            again.scope("a").close();
            let mut mood = mood.lock().expect("sound");
            *mood = !*mood;
            *mood
        });
        registry.register(floor.body(moody, 10)).expect("good");
        let options = BatchOptions::new().max_parallel(2);
        let (results, _) = paused(registry.execute_batch(made(&["t"; 7]), options));
        assert_eq!(codes(&results), vec!["ok"; 7]);
        assert!(floor.most() <= 2);
    }
}

#[test]
fn a_cancelled_call_waits_for_no_room() {
    let (registry, floor) = (ToolRegistry::new(), Floor::default());
    registry.register(floor.body(safe("long"), 100)).expect("good");
    let token = CancellationToken::new();
    let calls = vec![
        ToolCall::new("0", "long"),
        ToolCall::new("1", "long").with_cancellation(token.clone()),
        ToolCall::new("2", "long"),
    ];
    let (results, took) = paused(async {
        let cancel = async {
            tokio::time::sleep(ms(50)).await;
            token.cancel();
        };
        tokio::join!(registry.execute_batch(calls, BatchOptions::new().max_parallel(1)), cancel).0
    });
    assert_eq!((code(&results[1]), took), ("ABORTED_BEFORE_DISPATCH", 200));
}
