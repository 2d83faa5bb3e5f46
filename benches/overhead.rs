//! What a call costs beside its body. Rows compare within one run of one binary only.
//!
//! `cargo bench --bench overhead` times every row; with `-- --test` it tries each once; with `-- --calls ROW N` it makes
//! and runs `N` calls of one row and no more, with `-- --ready ROW N` it only makes them, for those who count instructions.

#[allow(dead_code, reason = "each bench uses its part")]
mod common;

use std::hint::black_box;

use common::{
    adding::{add, bare, definition, from_text, from_value, full, invalid, output, parameters},
    floor::Floor,
    rounds::{Rounds, repeated},
    texts::{
        put, put_arguments, put_call, put_definition, put_output, put_parameters, read, read_call, read_definition,
        read_output, read_parameters,
    },
};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use toolgate::{ToolCall, ToolRegistry};

const KIB: usize = 1024;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--calls" || arg == "--ready") {
        let calls = args[at + 2].parse().expect("--calls takes a row and a number");
        return only(&runtime, &args[at + 1], calls, args[at] == "--calls");
    }
    adding(&runtime);
    sizes(&runtime);
}

fn checked(runtime: &Runtime, registry: ToolRegistry, make: impl Fn() -> ToolCall, succeeds: bool) -> ToolRegistry {
    assert_eq!(runtime.block_on(registry.execute(make())).is_success(), succeeds);
    registry
}

fn adding(runtime: &Runtime) {
    let floor = Floor::new(&parameters(), &output(), add);
    let args = json!({"a": 2, "b": 3});
    assert_eq!(runtime.block_on(floor.call(&args)), Some(json!(5)));
    let token = CancellationToken::new();
    let (bare, full) = (bare(definition("add")), full(definition("add")));
    let bare = checked(runtime, bare, || from_value(&token), true);
    let full = checked(runtime, full, || from_text(&token), true);
    let full = checked(runtime, full, || invalid(&token), false);

    let mut rounds = Rounds::new();
    rounds.row("floor_v", |n| runtime.block_on(repeated(n, || floor.call(black_box(&args)))));
    rounds.calls("bare", runtime, &bare, || from_value(&token));
    rounds.calls("full", runtime, &full, || from_value(&token));
    rounds.calls("full_from_text", runtime, &full, || from_text(&token));
    rounds.calls("rejected", runtime, &full, || invalid(&token));
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("floor_v");
    for row in ["bare", "full", "full_from_text", "rejected"] {
        medians.ratio(row, row, "floor_v");
    }
}

fn sizes(runtime: &Runtime) {
    let reading = Floor::new(&read_parameters(), &read_output(), read);
    let putting = Floor::new(&put_parameters(), &put_output(), put);
    let (small, large) = (json!({"lines": ["x"]}), put_arguments());
    let (reads, puts) = (full(read_definition()), full(put_definition()));

    let mut rounds = Rounds::new();
    let sizes = [("0", 0), ("4_kib", 4 * KIB), ("100_kib", 100 * KIB)];
    for (name, bytes) in sizes {
        let (args, reading) = (json!({ "bytes": bytes }), &reading);
        assert!(runtime.block_on(reads.execute(read_call(bytes))).is_success());
        rounds.row(format!("floor_result_{name}"), move |n| {
            runtime.block_on(repeated(n, || reading.call(black_box(&args))))
        });
        rounds.calls(format!("full_result_{name}"), runtime, &reads, move || read_call(bytes));
    }
    for (name, args) in [("small", &small), ("16_kib", &large)] {
        let putting = &putting;
        assert!(runtime.block_on(puts.execute(put_call(args.clone()))).is_success());
        rounds.row(format!("floor_args_{name}"), move |n| {
            runtime.block_on(repeated(n, || putting.call(black_box(args))))
        });
        rounds.calls(format!("full_args_{name}"), runtime, &puts, || put_call(args.clone()));
    }
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("floor_result_0");
    for (name, _) in sizes {
        medians.ratio(&format!("result_{name}"), &format!("full_result_{name}"), &format!("floor_result_{name}"));
    }
    for name in ["small", "16_kib"] {
        medians.ratio(&format!("args_{name}"), &format!("full_args_{name}"), &format!("floor_args_{name}"));
    }
}

/// Makes so many calls of one row without timing them, and runs them or does not.
fn only(runtime: &Runtime, row: &str, calls: u64, run: bool) {
    let token = CancellationToken::new();
    let through = |registry: ToolRegistry, make: fn(&CancellationToken) -> ToolCall| {
        let ready: Vec<ToolCall> = (0..calls).map(|_| make(&token)).collect();
        std::mem::forget(ready.clone());
        if !run {
            return std::mem::forget(ready);
        }
        runtime.block_on(async {
            for call in ready {
                drop(black_box(registry.execute(call).await));
            }
        });
    };
    match row {
        "floor_v" => {
            let (floor, args) = (Floor::new(&parameters(), &output(), add), json!({"a": 2, "b": 3}));
            runtime.block_on(repeated(if run { calls } else { 0 }, || floor.call(black_box(&args))));
        }
        "bare" => through(bare(definition("add")), from_value),
        "full" => through(full(definition("add")), from_value),
        "full_from_text" => through(full(definition("add")), from_text),
        "rejected" => through(full(definition("add")), invalid),
        other => panic!("there is no row {other}"),
    }
}
