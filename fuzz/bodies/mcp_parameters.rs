//! The tools of a hostile server: a line of JSON with its `tools/list`, or one schema, and after the first line feed the
//! arguments of a call. Registering says no, or the tool works.

use serde_json::Value;
use toolgate::{OutputSpec, ToolCall, ToolRegistry, tool};

/// One run over any bytes.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (list, arguments) = text.split_once('\n').unwrap_or((&text, "{}"));
    let Ok(list) = serde_json::from_str::<Value>(list) else { return };
    let tools = list.get("tools").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![list.clone()]);
    let registry = ToolRegistry::new();
    let mut registered = Vec::new();
    for (i, one) in tools.iter().take(8).enumerate() {
        let name = one["name"].as_str().map_or(format!("tool_{i}"), str::to_owned);
        let schema = one.get("inputSchema").unwrap_or(one).clone();
        let output = one.get("outputSchema").map_or(OutputSpec::any(), |schema| OutputSpec::json(schema.clone()));
        let definition = tool(name.as_str()).parameters(schema).output(output);
        // One that is refused takes no other with it.
        if registry.register(definition.body(|cx| async move { Ok(cx.arguments().clone()) })).is_ok() {
            registered.push(name);
        }
    }
    assert_eq!(registry.tools().len(), registered.len());
    let run = async {
        for name in registered {
            let result = registry.execute(ToolCall::from_model("c1", name.as_str(), arguments)).await;
            let code = result.code().map_or("ok", toolgate::ErrorCode::as_str);
            assert!(matches!(code, "ok" | "INVALID_ARGS" | "INVALID_TOOL_OUTPUT"), "{name}: {result:?}");
        }
    };
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(run);
}
