//! What registration and repairs log. One test, in a process of its own: whether a log line is wanted is remembered for all threads.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
};

use serde_json::json;
use toolgate::{OutputSpec, Repairs, ToolCall, ToolDefinition, ToolRegistry, tool};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

fn suspicious() -> ToolDefinition {
    tool("t")
        .parameters(
            json!({"type": "object", "requried": ["a"], "properties": {"a": {"type": "integer", "enum": ["1"]}}}),
        )
        .output(OutputSpec::json(json!({"type": "string", "items": {}})))
        .body(|_cx| async { Ok(json!("done")) })
}

/// Keeps the warnings of the crate, and what it tells of repairs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if ["message", "repairs"].contains(&field.name()) {
            self.0.lock().expect("no panic while it is held").push(format!("{value:?}"));
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn what_is_suspicious_is_logged_once_it_is_there() {
    let registry = ToolRegistry::new();
    let log = Log::default();
    let lines = || log.0.lock().expect("no panic while it is held").clone();
    let registration =
        tracing::subscriber::with_default(log.clone(), || registry.register(suspicious())).expect("it is taken");
    let logged = lines();
    assert_eq!((logged.len(), registration.warnings().len()), (3, 3), "{logged:?}");
    assert!(logged.iter().zip(registration.warnings()).all(|(line, w)| line.ends_with(w.message())), "{logged:?}");
    let refused = tracing::subscriber::with_default(log.clone(), || registry.register(suspicious()));
    assert!(refused.is_err());
    assert_eq!(lines().len(), 3, "nobody is warned of what is not there");

    // A repair is in the log with its places, and without what was sent there.
    let list = json!({"type": "object", "properties": {"l": {"type": "array"}}});
    let body = |_| async { Ok(json!("done")) };
    registry.register(tool("list").parameters(list).output(OutputSpec::text()).body(body)).expect("good");
    let sent = ToolCall::from_model("c", "list", r#"{"l": "[\"hunter2\"]"}"#);
    tracing::subscriber::with_default(log.clone(), || registry.repair(sent, Repairs::all()));
    assert_eq!(lines()[3..], ["arguments were repaired", "/l: was JSON inside a string"]);
}
