//! What a result says, and what it does not.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate::{
    AdditionalContext, ContentBlock, ErrorCode, OutputSpec, PostDecision, ToolCall, ToolContext, ToolError,
    ToolRegistry, ToolResult, tool,
};

use crate::support::{Act, Post, Trace, paused};

fn run(registry: &ToolRegistry) -> Arc<ToolResult> {
    paused(registry.execute(ToolCall::new("c", "t"))).0
}

fn failing(error: impl Fn() -> ToolError + Send + Sync + 'static) -> Arc<ToolResult> {
    let registry = ToolRegistry::new();
    let definition = tool("t").output(OutputSpec::any()).body(move |_| {
        let error = error();
        async move { Err::<Value, _>(error) }
    });
    registry.register(definition).expect("good");
    run(&registry)
}

#[test]
fn a_replaced_value_is_rendered_anew_and_concludes_as_the_body_said() {
    for concludes in [true, false] {
        for (value, code) in [(json!("other"), None), (json!(7), Some("INVALID_TOOL_OUTPUT"))] {
            let registry = ToolRegistry::new();
            let definition = tool("t")
                .output(OutputSpec::text())
                .present(|_, value| Some(json!({ "shown": value })))
                .body(move |cx: ToolContext| async move {
                    cx.defer_context("of the body").expect("the run is on");
                    if concludes {
                        cx.conclude_turn();
                    }
                    Ok(json!("own"))
                });
            registry.register(definition).expect("good");
            let own = AdditionalContext::new("of the policy", "q");
            let decision = PostDecision::value(value.clone()).with_context(own);
            registry.post_policy(Post("q", Act::GoOn, Some(decision), Trace::default())).expect("good");
            let result = run(&registry);
            assert_eq!(result.code().map(ErrorCode::as_str), code);
            assert_eq!(result.concludes_turn(), concludes && code.is_none());
            let told: Vec<_> = result.additional_contexts().iter().map(|c| c.text.as_str()).collect();
            assert_eq!(told, ["of the body", "of the policy"]);
            if code.is_none() {
                assert_eq!(result.content(), [ContentBlock::text("other")]);
                assert_eq!(result.meta(), Some(&json!({"shown": "other"})));
            }
        }
    }
}

#[test]
fn a_code_that_is_not_a_tools_to_give_becomes_tool_failed() {
    for wanted in ["DENIED", "ABORTED", "GUARD_DENIED", "lower", "", "1ST", "TWO WORDS"] {
        let result = failing(move || ToolError::new(wanted, "no").with_details(json!({"more": 1})));
        let failure = result.error().expect("it failed");
        assert_eq!((failure.code.as_str(), failure.message.as_str()), ("TOOL_FAILED", "no"));
        assert_eq!(failure.details, Some(json!({"wanted_code": wanted, "details": {"more": 1}})));
        assert!(ErrorCode::custom(wanted).is_err());
    }
    let result = failing(|| ToolError::new("RATE_LIMITED", "later").with_retryable(true).with_details(json!(3)));
    let failure = result.error().expect("it failed");
    assert_eq!(failure.code, ErrorCode::custom("RATE_LIMITED").expect("free"));
    assert_eq!((failure.retryable, failure.details.as_ref()), (Some(true), Some(&json!(3))));
}

#[test]
fn a_result_serialises_to_what_a_log_needs_and_no_more() {
    let registry = ToolRegistry::new();
    registry.register(tool("t").output(OutputSpec::any()).body(|_| async { Ok(json!({"n": 1})) })).expect("good");
    let logged = serde_json::to_value(&*run(&registry)).expect("a result is JSON");
    assert_eq!(logged, json!({"ok": true, "value": {"n": 1}, "content": [{"type": "text", "text": "{\"n\":1}"}]}));
    let secret = std::io::Error::other("tok-EXAMPLE");
    let logged = serde_json::to_value(&*failing(move || {
        ToolError::new("OWN", "own").with_source(std::io::Error::other(secret.to_string()))
    }));
    let failure = json!({"code": "OWN", "message": "own", "effects": "settled"});
    let content = json!([{"type": "text", "text": "Error: own"}]);
    assert_eq!(logged.expect("a result is JSON"), json!({"ok": false, "error": failure, "content": content}));
}
