//! Calls on two threads, and beside somebody who registers.
//!
//! `cargo bench --bench contention`; with `-- --test` it tries everything once. On a machine with fewer than three idle
//! cores the figures say more about the machine.

#[allow(dead_code, reason = "each bench uses its part")]
mod common;

use std::{
    hint::black_box,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use common::{
    adding::{definition, from_value, full},
    rounds::{is_a_try, median, print_ratio},
};
use tokio_util::sync::CancellationToken;
use toolgate::{ToolCall, ToolRegistry};

fn main() {
    let registry = full(definition("add"));
    let (calls, rounds) = if is_a_try() { (10, 1) } else { (20_000, 31) };
    let (mut one, mut two, mut with_writer) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        one.push(on_threads(&registry, 1, calls));
        two.push(on_threads(&registry, 2, calls));
        with_writer.push(beside_a_writer(&registry, calls));
    }
    let [one, two, with_writer] = [one, two, with_writer].map(|took| median(took).as_secs_f64());
    // Two threads make twice the calls.
    print_ratio("threads_2", 2.0 * one / two);
    print_ratio("with_writer", with_writer / one);
}

/// How long so many calls take on each of some threads, from the first start to the last end.
fn on_threads(registry: &ToolRegistry, threads: usize, calls: usize) -> Duration {
    let ready = Barrier::new(threads);
    let spans: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("it can be built");
                    let token = CancellationToken::new();
                    let made: Vec<ToolCall> = (0..calls).map(|_| from_value(&token)).collect();
                    let _kept = made.clone();
                    ready.wait();
                    let start = Instant::now();
                    runtime.block_on(async {
                        for call in made {
                            drop(black_box(registry.execute(call).await));
                        }
                    });
                    (start, Instant::now())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("calls do not panic")).collect()
    });
    let start = spans.iter().map(|(start, _)| *start).min().expect("there is a thread");
    let end = spans.iter().map(|(_, end)| *end).max().expect("there is a thread");
    end - start
}

/// The same on one thread, while another registers and unregisters a tool once a millisecond.
fn beside_a_writer(registry: &ToolRegistry, calls: usize) -> Duration {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let other = registry.register(definition("other")).expect("the name is free");
                std::thread::sleep(Duration::from_millis(1));
                other.remove();
            }
        });
        let took = on_threads(registry, 1, calls);
        over.store(true, Ordering::Relaxed);
        took
    })
}
