//! Execute wrappers.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolgate::{
    AdditionalContext, DispatchExecution, DispatchOutcome, ExecuteNext, ExecuteWrapper, PolicyError, Signal, ToolError,
};

use crate::{
    part::Part,
    scenario::{WrapAct, WrapSpec},
    silence::scripted_panic,
    world::{cancel, matches, pause},
};

type Outcome = Result<DispatchOutcome, PolicyError>;

/// What lies further in, with what the wrapper does each time it has come back.
struct Inner<'a, 'n> {
    part: &'a Part<WrapSpec>,
    cx: &'a DispatchExecution,
    next: ExecuteNext<'n>,
}

impl Inner<'_, '_> {
    fn back(&self) {
        self.part.world.trace.after("wrap", &self.part.spec.name, self.cx);
        if self.part.spec.cancel_after {
            cancel(self.cx);
        }
    }

    async fn run(&mut self) -> Outcome {
        let outcome = self.next.run().await;
        self.back();
        outcome
    }

    async fn run_with(&mut self, signal: impl Into<Signal> + Send) -> Outcome {
        let outcome = self.next.run_with(signal).await;
        self.back();
        outcome
    }

    async fn retry(&mut self, times: u32) -> Outcome {
        let mut outcome = self.run().await?;
        for _ in 1..times {
            if outcome.is_success() {
                break;
            }
            outcome = self.run().await?;
        }
        Ok(outcome)
    }
}

#[async_trait]
impl ExecuteWrapper for Part<WrapSpec> {
    fn name(&self) -> &str {
        &self.spec.name
    }

    async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Outcome {
        let Self { spec, world } = self;
        if !matches(spec.only.as_ref(), cx) {
            return next.run().await;
        }
        world.trace.enter("wrap", &spec.name, cx);
        pause(spec.sleep_ms).await;
        let value = || DispatchOutcome::value(spec.value.clone().unwrap_or(Value::Null));
        let mut inner = Inner { part: self, cx, next };
        let outcome = match spec.act {
            WrapAct::Next => inner.run().await?,
            WrapAct::Value => value(),
            WrapAct::Fail => {
                // Whatever came back, an error included.
                drop(inner.run().await);
                DispatchOutcome::failure(ToolError::failed(spec.message.as_deref().unwrap_or("failed")))
            }
            WrapAct::ReplaceValue => {
                drop(inner.run().await);
                value()
            }
            WrapAct::Error => return Err(PolicyError::new("scripted")),
            WrapAct::Panic => scripted_panic("wrapper"),
            WrapAct::Retry => inner.retry(spec.times.unwrap_or(1)).await?,
            WrapAct::Twice => {
                inner.run().await?;
                inner.run().await?
            }
            WrapAct::Deadline => {
                let limit = Duration::from_millis(spec.ms.unwrap_or(0));
                inner.run_with(cx.signal().with_timeout(limit)).await?
            }
            WrapAct::Detach => inner.run_with(CancellationToken::new()).await?,
            WrapAct::Cancelled => {
                let fired = CancellationToken::new();
                fired.cancel();
                inner.run_with(fired).await?
            }
        };
        let contexts = spec.contexts.iter().map(|text| AdditionalContext::new(text, &spec.name));
        Ok(contexts.fold(outcome, DispatchOutcome::with_context))
    }
}
