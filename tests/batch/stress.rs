//! Many tasks register, unload and close while many others call.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use toolgate::{
    BatchOptions, GuardVerdict, OutputSpec, ToolCall, ToolDefinition, ToolRegistry, guard_fn, observer_fn, tool,
};

/// Counts its runs; `guarded` is whether the standing guard was asked about this call before.
fn counting(name: String, runs: &Arc<AtomicU64>, skipped: &Arc<AtomicU64>) -> ToolDefinition {
    let (runs, skipped) = (runs.clone(), skipped.clone());
    tool(name).output(OutputSpec::any()).concurrency_safe(|_| true).body(move |cx| {
        runs.fetch_add(1, Ordering::Relaxed);
        if cx.extensions().get::<Asked>().is_none_or(|asked| !asked.0.load(Ordering::Acquire)) {
            skipped.fetch_add(1, Ordering::Relaxed);
        }
        async move {
            // Made on first use; they must not keep the call alive.
            let _ends = (cx.signal().token(), cx.signal());
            Ok(json!(null))
        }
    })
}

/// Set by the guard that stands during the whole run. Lives as long as the state of its call.
struct Asked(AtomicBool);

/// How many of them there are: memory is flat if it comes back to none.
static LIVE: AtomicU64 = AtomicU64::new(0);

impl Asked {
    fn new() -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Self(AtomicBool::new(false))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

fn call(task: u64, n: u64) -> ToolCall {
    let call = ToolCall::new(format!("{task}-{n}"), format!("t{}", n % 8)).with_extension(Asked::new());
    if n.is_multiple_of(3) { call.with_agent(format!("s{}", n % 4)) } else { call }
}

async fn writer(
    registry: ToolRegistry,
    task: u64,
    stop: Arc<AtomicBool>,
    runs: Arc<AtomicU64>,
    skipped: Arc<AtomicU64>,
) {
    let mut n = task;
    while !stop.load(Ordering::Relaxed) {
        n += 1;
        let scope = registry.scope(format!("s{}", n % 4));
        let definition = || counting(format!("t{}", n % 8), &runs, &skipped);
        let _own = scope.register(definition());
        let global = registry.register(definition());
        let passing = registry.guard(guard_fn("passing", |_| GuardVerdict::Abstain)).expect("a good guard");
        tokio::task::yield_now().await;
        if n.is_multiple_of(5) {
            scope.close();
        }
        if let Ok(global) = global {
            assert!(global.remove());
        }
        assert!(passing.remove());
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
}

#[test]
fn every_call_has_one_result_and_no_guard_is_skipped() {
    let seconds = std::env::var("TOOLGATE_STRESS_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    let most = 1_000_000;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    let registry = ToolRegistry::new();
    let (observed, runs, skipped) =
        (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let guard = guard_fn("standing", |cx| {
        if let Some(asked) = cx.extensions().get::<Asked>() {
            asked.0.store(true, Ordering::Release);
        }
        GuardVerdict::Abstain
    });
    registry.guard(guard).expect("a good guard");
    let counted = observed.clone();
    registry.observer(observer_fn("count", move |_, _| _ = counted.fetch_add(1, Ordering::Relaxed))).expect("good");
    let (made, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    runtime.block_on(async {
        let writers: Vec<_> = (0..16)
            .map(|task| tokio::spawn(writer(registry.clone(), task, stop.clone(), runs.clone(), skipped.clone())))
            .collect();
        let end = Instant::now() + Duration::from_secs(seconds);
        let callers: Vec<_> = (0..64)
            .map(|task| {
                let (registry, made) = (registry.clone(), made.clone());
                tokio::spawn(async move {
                    let mut n = 0;
                    while Instant::now() < end && made.load(Ordering::Relaxed) < most {
                        n += 1;
                        if n % 16 == 0 {
                            let batch = (0..8).map(|i| call(task, n + i));
                            let results = registry.execute_batch(batch, BatchOptions::new()).await;
                            made.fetch_add(u64::try_from(results.len()).expect("8"), Ordering::Relaxed);
                        } else {
                            registry.execute(call(task, n)).await;
                            made.fetch_add(1, Ordering::Relaxed);
                        }
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.expect("no caller panics");
        }
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await.expect("no writer panics");
        }
    });
    let made = made.load(Ordering::Relaxed);
    assert!(made > 1_000, "only {made} calls");
    assert_eq!(observed.load(Ordering::Relaxed), made, "one result for each call");
    assert_eq!(skipped.load(Ordering::Relaxed), 0, "the standing guard is always asked");
    assert!(runs.load(Ordering::Relaxed) > 100, "some of them did run");
    assert_eq!(LIVE.load(Ordering::Relaxed), 0, "nothing of a call is kept once it has ended");
}
