//! Keys and concurrency over Rust types.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{BatchOptions, OutputSpec, ResourceKeys, ToolCall, ToolContext, ToolDefinition, tool};

use crate::{only, paused};

#[derive(Deserialize)]
struct Edit {
    line: u32,
}

/// How many calls of the tool, with these lines, were in their bodies at once.
fn most_at_once(definition: ToolDefinition, lines: &[Value]) -> usize {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let body = move |_: ToolContext| {
        let (now, most) = (now.clone(), seen.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(json!(null))
        }
    };
    let parameters = json!({"properties": {"line": {"type": ["integer", "string"]}}});
    let registry = only(definition.parameters(parameters).output(OutputSpec::any()).body(body));
    let calls: Vec<_> =
        lines.iter().map(|line| ToolCall::new("c", "t").with_arguments(json!({ "line": line }))).collect();
    let results = paused(registry.execute_batch(calls, BatchOptions::default()));
    assert!(results.iter().all(|result| result.is_success()));
    most.load(Ordering::SeqCst)
}

#[test]
fn keys_come_from_typed_arguments() {
    let edit = || tool("t").resources_for(|edit: &Edit| ResourceKeys::new().write(format!("line:{}", edit.line)));
    assert_eq!(most_at_once(edit(), &[json!(1), json!(2)]), 2);
    assert_eq!(most_at_once(edit(), &[json!(1), json!(1)]), 1);
    assert_eq!(most_at_once(edit(), &[json!(1), json!(1.0)]), 1, "read as leniently as a handler reads");
    assert_eq!(most_at_once(edit(), &[json!("x"), json!(2)]), 1, "what does not fit is everything");
}

#[test]
fn safety_comes_from_typed_arguments() {
    let safe = || tool("t").concurrency_safe_for(|edit: &Edit| edit.line > 0);
    assert_eq!(most_at_once(safe(), &[json!(1), json!(1.0)]), 2);
    assert_eq!(most_at_once(safe(), &[json!(0), json!(0)]), 1);
    assert_eq!(most_at_once(safe(), &[json!("x"), json!("x")]), 1, "what does not fit is not safe");
}
