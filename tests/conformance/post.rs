//! Post-policies.

use async_trait::async_trait;
use serde_json::Value;
use toolgate::{
    AdditionalContext, ContentBlock, PolicyError, PostDecision, PostNext, PostPolicy, ToolExecution, ToolResult,
};

use crate::{
    part::Part,
    scenario::{PostAct, PostSpec},
    silence::scripted_panic,
    world::{cancel, matches, pause},
};

#[async_trait]
impl PostPolicy for Part<PostSpec> {
    fn name(&self) -> &str {
        &self.spec.name
    }

    async fn review(
        &self,
        cx: &ToolExecution,
        _outcome: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        let Self { spec, world } = self;
        if !matches(spec.only.as_ref(), cx) {
            return next.run().await;
        }
        world.trace.enter("post", &spec.name, cx);
        pause(spec.sleep_ms).await;
        if spec.cancel {
            cancel(cx);
        }
        let text = || spec.text.clone().unwrap_or_default();
        let mut inner = Ok(PostDecision::accept());
        if spec.delegate || matches!(spec.act, PostAct::Next) {
            inner = next.run().await;
            // An `Err` is passed on at once, but by who answers whatever came back.
            if inner.is_err() && matches!(spec.act, PostAct::Next) {
                return inner;
            }
            world.trace.after("post", &spec.name, cx);
        }
        let decision = match spec.act {
            PostAct::Next => inner?,
            PostAct::Accept => PostDecision::accept(),
            PostAct::Content => PostDecision::content(vec![ContentBlock::text(text())]),
            PostAct::Value => PostDecision::value(spec.value.clone().unwrap_or(Value::Null)),
            PostAct::Block => PostDecision::block(text()),
            PostAct::Fail => return Err(PolicyError::new("scripted")),
            PostAct::Panic => scripted_panic("post-policy"),
        };
        let contexts = spec.contexts.iter().map(|text| AdditionalContext::new(text, &spec.name));
        Ok(contexts.fold(decision, PostDecision::with_context))
    }
}
