//! The same tools through toolgate and its peers, side by side. See README.md beside this.

#[allow(dead_code, clippy::unused_async, reason = "the benches of toolgate use the rest")]
#[path = "../../common/mod.rs"]
mod common;
mod mcp;
mod naive;
mod rig;

use std::{hint::black_box, time::Duration};

use common::{
    adding::{self, add, bare, definition, from_text, from_value, full},
    floor::Floor,
    rounds::{self, Rounds, repeated},
    texts::{read, read_call, read_definition, read_output, read_parameters},
};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const TEXT: &str = r#"{"a": 2, "b": 3}"#;
const READ: &str = r#"{"bytes": 102400}"#;
const LONG: usize = 100 * 1024;

fn main() {
    println!("toolgate beside rig-agent 0.44.0 and rmcp 3.11.0");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    adding(&runtime);
    reading(&runtime);
}

/// How long calls take whose requests are made ready before; nothing is kept of them.
fn made_ready<T>(runtime: &Runtime, calls: u64, make: impl Fn() -> T, call: impl AsyncFn(T)) -> Duration {
    runtime.block_on(rounds::made_ready(calls, || (make(), ()), call))
}

fn adding(runtime: &Runtime) {
    let floor = Floor::new(&adding::parameters(), &adding::output(), add);
    let (args, token) = (json!({"a": 2, "b": 3}), CancellationToken::new());
    let (bare, full) = (bare(definition("add")), full(definition("add")));
    let (set, server) = (rig::set(), rig::server(1_000));
    let mcp = runtime.block_on(mcp::connect());
    let (naive, naive_full) = (naive::adding(0), naive::adding(5));
    let expected = json!({"ok": true, "value": 5, "content": [{"type": "text", "text": "5"}]});
    assert_eq!(runtime.block_on(naive_full.execute("1", "add", &args, &token)), expected);
    assert_eq!(runtime.block_on(full.execute(from_text(&token))).value(), Some(&json!(5)));

    let mut rounds = Rounds::new();
    rounds.row("floor_v", |n| runtime.block_on(repeated(n, || floor.call(black_box(&args)))));
    rounds.row("toolgate_bare", |n| {
        made_ready(runtime, n, || from_value(&token), async |call| drop(black_box(bare.execute(call).await)))
    });
    rounds.row("toolgate_full", |n| {
        made_ready(runtime, n, || from_value(&token), async |call| drop(black_box(full.execute(call).await)))
    });
    rounds.row("toolgate_full_from_text", |n| {
        made_ready(runtime, n, || from_text(&token), async |call| drop(black_box(full.execute(call).await)))
    });
    rounds.row("rig_set_from_text", |n| {
        made_ready(runtime, n, || rig::request(TEXT), async |ready| rig::call(&set, "add", ready).await)
    });
    rounds.row("rig_server_1000_from_text", |n| {
        made_ready(runtime, n, || rig::request(TEXT), async |ready| rig::call_server(&server, ready).await)
    });
    let at_router = |(request, context)| mcp.at_router(request, context);
    rounds.row("rmcp_router", |n| {
        made_ready(runtime, n, || (mcp::request("add", TEXT), mcp.context()), async |ready| at_router(ready).await)
    });
    rounds.row("rmcp_duplex", |n| {
        made_ready(runtime, n, || mcp::request("add", TEXT), async |request| mcp.over_duplex(request).await)
    });
    rounds.row("naive_bare", |n| runtime.block_on(repeated(n, || naive.execute("1", "add", &args, &token))));
    rounds.row("naive_full", |n| runtime.block_on(repeated(n, || naive_full.execute("1", "add", &args, &token))));
    rounds.row("naive_full_spawned", |n| {
        runtime.block_on(repeated(n, || naive_full.execute_spawned("1", "add", &args, &token)))
    });
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("floor_v");
    medians.ratio("full_text_vs_rig", "rig_set_from_text", "toolgate_full_from_text");
    medians.ratio("full_text_vs_rig_server_1000", "rig_server_1000_from_text", "toolgate_full_from_text");
    medians.ratio("bare_vs_rmcp_router", "rmcp_router", "toolgate_bare");
    medians.ratio("full_vs_rmcp_router", "rmcp_router", "toolgate_full");
    medians.ratio("bare_vs_rmcp_duplex", "rmcp_duplex", "toolgate_bare");
    medians.ratio("full_vs_naive", "naive_full", "toolgate_full");
}

fn reading(runtime: &Runtime) {
    let floor = Floor::new(&read_parameters(), &read_output(), read);
    let args = json!({ "bytes": LONG });
    let (bare, full) = (bare(read_definition()), full(read_definition()));
    let set = rig::set();
    let mcp = runtime.block_on(mcp::connect());
    assert_eq!(runtime.block_on(full.execute(read_call(LONG))).text().len(), LONG);

    let mut rounds = Rounds::new();
    rounds.row("floor_read", |n| runtime.block_on(repeated(n, || floor.call(black_box(&args)))));
    rounds.row("toolgate_bare_read", |n| {
        made_ready(runtime, n, || read_call(LONG), async |call| drop(black_box(bare.execute(call).await)))
    });
    rounds.row("toolgate_full_read", |n| {
        made_ready(runtime, n, || read_call(LONG), async |call| drop(black_box(full.execute(call).await)))
    });
    rounds.row("rig_read", |n| {
        made_ready(runtime, n, || rig::request(READ), async |ready| rig::call(&set, "read", ready).await)
    });
    let at_router = |(request, context)| mcp.at_router(request, context);
    rounds.row("rmcp_read", |n| {
        made_ready(runtime, n, || (mcp::request("read", READ), mcp.context()), async |ready| at_router(ready).await)
    });
    let Some(medians) = rounds.try_or_measure() else { return };
    medians.print("floor_read");
    for (name, row) in [("full", "toolgate_full_read"), ("rig", "rig_read"), ("rmcp", "rmcp_read")] {
        medians.ratio(&format!("read_{name}_vs_floor"), row, "floor_read");
    }
}
