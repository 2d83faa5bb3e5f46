//! Rows that compare: timed in turns, in one process, so that what disturbs one disturbs them all.

#![expect(clippy::print_stdout, reason = "a bench tells what it found")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use toolgate::{ToolCall, ToolRegistry};

/// How long one row is timed in one round. Short, so that most rounds are not interrupted.
const SLICE: Duration = Duration::from_millis(2);
/// Each row's figure is the median of so many rounds.
const ROUNDS: usize = 101;
/// Calls that are made ready at a time, so that they are still in the cache when their turn comes.
const AT_A_TIME: u64 = 32;

type Timed<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

/// Rows to be timed against one another.
#[derive(Default)]
pub(crate) struct Rounds<'a> {
    rows: Vec<(String, Timed<'a>)>,
}

/// The median of each row, in nanoseconds a call.
pub(crate) struct Medians {
    rows: Vec<(String, f64)>,
}

impl<'a> Rounds<'a> {
    pub(crate) fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// A row. `timed` says how long the given number of calls took.
    pub(crate) fn row(&mut self, name: impl Into<String>, timed: impl FnMut(u64) -> Duration + 'a) {
        self.rows.push((name.into(), Box::new(timed)));
    }

    /// A row of calls through a registry, one after the other, with the drop of their results.
    pub(crate) fn calls(
        &mut self,
        name: impl Into<String>,
        runtime: &'a tokio::runtime::Runtime,
        registry: &'a ToolRegistry,
        make: impl Fn() -> ToolCall + 'a,
    ) {
        self.row(name, move |calls| runtime.block_on(timed(registry, calls, &make)));
    }

    /// Runs every row once, if the command line says `--test`.
    pub(crate) fn try_or_measure(self) -> Option<Medians> {
        if is_a_try() {
            for (name, mut timed) in self.rows {
                timed(1);
                println!("{name}: runs");
            }
            return None;
        }
        Some(self.measure())
    }

    fn measure(mut self) -> Medians {
        let calls: Vec<u64> = self.rows.iter_mut().map(|(_, timed)| calls_in_a_slice(timed)).collect();
        let mut samples = vec![Vec::with_capacity(ROUNDS); self.rows.len()];
        for _ in 0..ROUNDS {
            for (((_, timed), calls), samples) in self.rows.iter_mut().zip(&calls).zip(&mut samples) {
                samples.push(nanoseconds(timed(*calls), *calls));
            }
        }
        let medians = samples.into_iter().map(|mut samples| {
            samples.sort_by(f64::total_cmp);
            samples[samples.len() / 2]
        });
        Medians { rows: self.rows.into_iter().map(|(name, _)| name).zip(medians).collect() }
    }
}

impl Medians {
    /// A row's median, in nanoseconds.
    pub(crate) fn of(&self, name: &str) -> f64 {
        self.rows.iter().find(|(row, _)| row == name).unwrap_or_else(|| panic!("no row {name}")).1
    }

    /// One table, in multiples of the row `floor`.
    pub(crate) fn print(&self, floor: &str) {
        let floor = self.of(floor);
        println!("{:<34} {:>12} {:>9}", "row", "ns", "ratio");
        for (name, median) in &self.rows {
            println!("{name:<34} {median:>12.1} {:>9.2}", median / floor);
        }
    }

    /// One line for whoever checks goals: how many times `of` costs what `to` does.
    pub(crate) fn ratio(&self, name: &str, of: &str, to: &str) {
        print_ratio(name, self.of(of) / self.of(to));
    }
}

/// Whether everything is to be run once, and nothing measured.
pub(crate) fn is_a_try() -> bool {
    std::env::args().any(|arg| arg == "--test")
}

/// One line for whoever checks goals, about a figure that is no ratio.
pub(crate) fn print_value(name: &str, value: f64) {
    println!("value {name} {value:.3}");
}

/// One line for whoever checks goals.
pub(crate) fn print_ratio(name: &str, ratio: f64) {
    println!("ratio {name} {ratio:.3}");
}

#[expect(clippy::cast_precision_loss, reason = "far fewer calls and nanoseconds than a float tells apart")]
fn nanoseconds(took: Duration, calls: u64) -> f64 {
    took.as_nanos() as f64 / calls as f64
}

fn calls_in_a_slice(timed: &mut Timed<'_>) -> u64 {
    let mut calls = 1;
    loop {
        let took = timed(calls);
        if took >= SLICE || calls >= 1 << 22 {
            return calls;
        }
        calls *= 2;
    }
}

/// The median of some durations.
pub(crate) fn median(mut took: Vec<Duration>) -> Duration {
    took.sort();
    took[took.len() / 2]
}

/// How long `calls` calls of something take whose requests are made ready before, with what is kept until after.
pub(crate) async fn made_ready<T, K>(calls: u64, make: impl Fn() -> (T, K), call: impl AsyncFn(T)) -> Duration {
    let (mut took, mut left) = (Duration::ZERO, calls);
    while left > 0 {
        let (some, kept): (Vec<T>, Vec<K>) = (0..left.min(AT_A_TIME)).map(|_| make()).unzip();
        left = left.saturating_sub(AT_A_TIME);
        let start = Instant::now();
        for request in some {
            call(request).await;
        }
        took += start.elapsed();
        drop(kept);
    }
    took
}

/// How long `calls` calls take, with the drop of their results. Making a call, and dropping its arguments, which a host
/// keeps in its history, is the host's cost and not timed: the floor does neither.
pub(crate) async fn timed(registry: &ToolRegistry, calls: u64, make: impl Fn() -> ToolCall) -> Duration {
    let with_a_copy = || {
        let call = make();
        (call.clone(), call)
    };
    made_ready(calls, with_a_copy, async |call| drop(black_box(registry.execute(call).await))).await
}

/// How long `calls` runs of something take.
pub(crate) async fn repeated<T, F: Future<Output = T>>(calls: u64, run: impl Fn() -> F) -> Duration {
    let start = Instant::now();
    for _ in 0..calls {
        drop(black_box(run().await));
    }
    start.elapsed()
}
