//! Batches: order, barriers, room, resource keys, cancellation and drops.

mod cases;
mod clocks;
mod keys;
mod modes;
mod order;
mod schedule;
mod stress;

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use toolgate::{ToolRegistry, ToolResult, observer_fn};

/// Runs `future` on a paused clock; gives the virtual milliseconds it took.
fn paused<F: Future>(future: F) -> (F::Output, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let start = tokio::time::Instant::now();
        let out = future.await;
        (out, u64::try_from(start.elapsed().as_millis()).expect("short"))
    })
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn code(result: &ToolResult) -> &str {
    result.code().map_or("ok", toolgate::ErrorCode::as_str)
}

fn codes(results: &[Arc<ToolResult>]) -> Vec<&str> {
    results.iter().map(|r| code(r)).collect()
}

/// What happened, in order.
#[derive(Clone, Default, Debug)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, what: impl Into<String>) {
        self.0.lock().expect("sound").push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().expect("sound").clone()
    }
}

/// Logs `seen:<call>` for each result.
fn watch(registry: &ToolRegistry, log: &Log) {
    let log = log.clone();
    let observer = observer_fn("log", move |cx, _| log.add(format!("seen:{}", cx.call_id())));
    registry.observer(observer).expect("a good observer");
}
