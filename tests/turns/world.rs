//! Tools of every sort of result.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use toolgate::{
    AdditionalContext, ContentBlock, OutputSpec, PostDecision, PostNext, PostPolicy, ToolDefinition, ToolError,
    ToolRegistry, tool,
};

/// All names in the registry; two of them are not portable.
pub(crate) const NAMES: [&str; 10] =
    ["fs.read", "photo", "record", "purge", "weather", "list", "silent", "note", "broken", "secret.get"];
pub(crate) const PNG: &str = "iVBORw0KGgo=";

/// One that counts how often `purge` ran.
pub(crate) fn counting() -> (ToolRegistry, Arc<AtomicUsize>) {
    let (registry, count) = (ToolRegistry::new(), Arc::new(AtomicUsize::new(0)));
    for tool in tools(&count) {
        registry.register(tool).expect("a good tool");
    }
    (registry, count)
}

pub(crate) fn registry() -> ToolRegistry {
    counting().0
}

fn tools(count: &Arc<AtomicUsize>) -> Vec<ToolDefinition> {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let days = json!({"type": "object", "properties": {"older_than_days": {"type": "integer"}}});
    let (count, shown) = (count.clone(), |block: fn() -> Vec<ContentBlock>| OutputSpec::any().render(move |_| block()));
    let photo = || vec![ContentBlock::text("a photo"), ContentBlock::image(PNG, "image/png")];
    let record = || {
        let link = ContentBlock::resource_link("file:///a.txt", "a.txt");
        vec![ContentBlock::audio("UklGRg==", "audio/wav"), link, ContentBlock::image("PHN2Zz4=", "image/svg+xml")]
    };
    vec![
        tool("fs.read").parameters(path).output(OutputSpec::text()).body(|cx| async move {
            Ok(json!(format!("content of {}", cx.arguments()["path"].as_str().unwrap_or_default())))
        }),
        tool("photo").output(shown(photo)).body(|_| async { Ok(json!("raw")) }),
        tool("record").output(shown(record)).body(|_| async { Ok(Value::Null) }),
        tool("purge").parameters(days).output(OutputSpec::text()).body(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok(json!("purged")) }
        }),
        tool("weather").output(OutputSpec::any()).body(|_| async { Ok(json!({"t": 21, "wind": "w"})) }),
        tool("list").output(OutputSpec::any()).body(|_| async { Ok(json!([1, "two"])) }),
        tool("silent").output(OutputSpec::text()).body(|_| async { Ok(json!("  ")) }),
        tool("note").output(OutputSpec::text()).body(|cx| async move {
            assert!(cx.defer_context("the disk is nearly full").is_ok());
            Ok(json!("noted"))
        }),
        tool("broken")
            .output(OutputSpec::text())
            .body(|_| async { Err(ToolError::new("TOOL_FAILED", "no such host")) }),
        tool("secret.get")
            .output(OutputSpec::any())
            .finalize_content(|_| Some(vec![ContentBlock::text("[redacted]")]))
            .body(|_| async { Ok(json!({"key": "hunter2"})) }),
    ]
}

/// Hides what went wrong, and says so in words of its own.
#[derive(Debug)]
pub(crate) struct Hush;

#[async_trait::async_trait]
impl PostPolicy for Hush {
    fn name(&self) -> &str {
        "hush"
    }

    async fn review(
        &self,
        _cx: &toolgate::ToolExecution,
        outcome: &toolgate::ToolResult,
        _next: PostNext<'_>,
    ) -> Result<PostDecision, toolgate::PolicyError> {
        let content = if outcome.is_success() { Vec::new() } else { vec![ContentBlock::text("not today")] };
        Ok(PostDecision::content(content).with_context(AdditionalContext::new("keep quiet", "hush")))
    }
}
