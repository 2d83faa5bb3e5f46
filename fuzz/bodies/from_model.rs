//! Arguments as text: whatever they are, the call ends in a result, and runs only with what the text says.

use serde_json::{Value, json};
use toolgate::{OutputSpec, ToolCall, ToolRegistry, tool};

/// One run over any bytes.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let registry = ToolRegistry::new();
    let echo = tool("echo").output(OutputSpec::any()).body(|cx| async move { Ok(cx.arguments().clone()) });
    registry.register(echo).expect("a good tool");
    let days = json!({"type": "object", "properties": {"days": {"type": "integer", "maximum": 9}}, "additionalProperties": false});
    let strict = tool("strict").parameters(days).output(OutputSpec::any());
    registry.register(strict.body(|cx| async move { Ok(cx.arguments().clone()) })).expect("a good tool");
    let run = async {
        for name in ["echo", "strict"] {
            let result = registry.execute(ToolCall::from_model("c1", name, text.as_ref())).await;
            if let Some(value) = result.value() {
                // What ran is what a parser reads: never something mended, but for the integer `-0`, which has no sign.
                let read =
                    if text.trim().is_empty() { Value::Null } else { serde_json::from_str(&text).expect("JSON") };
                assert!(same(&read, value) || (read.is_null() && *value == json!({})), "{text:?} ran as {value}");
            } else {
                assert!(result.text().starts_with("Error: "), "{result:?}");
                assert!(result.text().len() < 8 << 10, "a message of {} bytes", result.text().len());
            }
            let result = registry.execute(ToolCall::cut_off("c1", name, text.as_ref())).await;
            assert!(!result.is_success(), "a call that was cut off ran");
        }
    };
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(run);
}

fn same(read: &Value, ran: &Value) -> bool {
    match (read, ran) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.as_f64() == Some(0.0) && b.as_f64() == Some(0.0)),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => read == ran,
    }
}
