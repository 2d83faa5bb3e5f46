//! Values too deep to walk, through every door that takes a value. In a process of its own, on the stack that a tokio
//! worker has: an overflow is then a failed test, and not a dead run.

use std::{env, process::Command, sync::Arc, thread};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolgate::{
    DispatchExecution, DispatchOutcome, ErrorCode, ExecuteNext, ExecuteWrapper, OutputSpec, PolicyError, PostDecision,
    PostNext, PostPolicy, ToolCall, ToolError, ToolExecution, ToolRegistry, ToolResult, tool,
};

use crate::support::paused;

#[test]
fn values_too_deep_to_walk_do_no_harm_whichever_door_they_come_through() {
    const MARK: &str = "TOOLGATE_DEEP_VALUES";
    if env::var_os(MARK).is_some() {
        let ran = thread::Builder::new().stack_size(2 << 20).spawn(every_door).map(thread::JoinHandle::join);
        assert!(matches!(ran, Ok(Ok(()))), "a door failed");
        return;
    }
    let name = "depth::values_too_deep_to_walk_do_no_harm_whichever_door_they_come_through";
    let exe = env::current_exe().expect("a test has a file");
    let out = Command::new(exe).args(["--exact", name, "--nocapture"]).env(MARK, "1").output().expect("it starts");
    assert!(out.status.success(), "{}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
}

fn code(result: &ToolResult) -> &str {
    result.code().map_or("ok", ErrorCode::as_str)
}

fn run(registry: &ToolRegistry, call: ToolCall) -> Arc<ToolResult> {
    paused(registry.execute(call)).0
}

/// A value of a hundred thousand levels, made without recursion.
fn bottomless() -> Value {
    (0..100_000).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[derive(Debug)]
struct Deep;

#[async_trait]
impl ExecuteWrapper for Deep {
    fn name(&self) -> &str {
        "deep"
    }

    async fn wrap(&self, _: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        drop(DispatchOutcome::value(bottomless()));
        next.run().await?;
        Ok(DispatchOutcome::value(bottomless()))
    }
}

#[derive(Debug)]
struct DeepPost(bool);

#[async_trait]
impl PostPolicy for DeepPost {
    fn name(&self) -> &str {
        if self.0 { "inner" } else { "outer" }
    }

    async fn review(&self, _: &ToolExecution, _: &ToolResult, next: PostNext<'_>) -> Result<PostDecision, PolicyError> {
        if self.0 {
            return Ok(PostDecision::value(bottomless()));
        }
        drop(next.run().await);
        Ok(PostDecision::accept())
    }
}

fn every_door() {
    let registry = ToolRegistry::new();
    let fine = || tool("fine").output(OutputSpec::any()).body(|_| async { Ok(json!(1)) });
    registry.register(fine()).expect("good");
    registry.register(tool("deep").output(OutputSpec::any()).body(|_| async { Ok(bottomless()) })).expect("good");
    let details = tool("details")
        .output(OutputSpec::any())
        .body(|_| async { Err::<Value, _>(ToolError::new("DEEP", "deep").with_details(bottomless())) });
    registry.register(details).expect("good");
    let meta =
        tool("meta").output(OutputSpec::any()).present(|_, _| Some(bottomless())).body(|_| async { Ok(json!(1)) });
    registry.register(meta).expect("good");
    assert!(registry.register(fine().parameters(bottomless())).is_err());
    drop(fine().parameters(bottomless()));
    let call = |name: &str| run(&registry, ToolCall::new("c", name));
    assert_eq!(code(&call("deep")), "INVALID_TOOL_OUTPUT");
    assert_eq!(code(&call("meta")), "INVALID_TOOL_OUTPUT");
    let failed = call("details");
    assert_eq!((code(&failed), failed.error().and_then(|e| e.details.as_ref())), ("DEEP", None));
    assert_eq!(code(&run(&registry, ToolCall::new("c", "fine").with_arguments(bottomless()))), "INVALID_ARGS");
    drop(ToolCall::new("c", "fine").with_arguments(bottomless()));

    let wrapper = registry.wrapper(Deep).expect("good");
    assert_eq!(code(&call("fine")), "INVALID_TOOL_OUTPUT");
    wrapper.remove();
    let outer = registry.post_policy(DeepPost(false)).expect("good");
    registry.post_policy(DeepPost(true)).expect("good");
    assert_eq!(code(&call("fine")), "ok", "the outer one gives the inner decision up");
    outer.remove();
    assert_eq!(code(&call("fine")), "INVALID_TOOL_OUTPUT");
}
