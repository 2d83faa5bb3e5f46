//! Pre-policies and guards.

use async_trait::async_trait;
use toolgate::{Guard, GuardVerdict, PolicyError, PreDecision, PreNext, PrePolicy, ToolExecution};

use crate::{
    part::Part,
    scenario::{GuardAct, GuardSpec, PreAct, PreSpec, VerdictWord},
    silence::scripted_panic,
    world::{cancel, matches, pause},
};

#[async_trait]
impl PrePolicy for Part<PreSpec> {
    fn name(&self) -> &str {
        &self.spec.name
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        let Self { spec, world } = self;
        if !matches(spec.only.as_ref(), cx) {
            return next.run().await;
        }
        world.trace.enter("pre", &spec.name, cx);
        pause(spec.sleep_ms).await;
        if let Some(guard) = &spec.add_guard {
            world.add_guard(guard);
        }
        if spec.cancel {
            cancel(cx);
        }
        let reason = || spec.reason.as_str();
        match spec.act {
            PreAct::Allow => Ok(PreDecision::Allow),
            PreAct::Deny => Ok(PreDecision::deny(reason())),
            PreAct::Ask => Ok(PreDecision::ask(reason())),
            PreAct::Fail => Err(PolicyError::new("scripted")),
            PreAct::Panic => scripted_panic("pre-policy"),
            PreAct::Next | PreAct::Override => {
                let inner = next.run().await;
                // An `Err` is passed on at once, but by who overrides it.
                if inner.is_err() && matches!(spec.act, PreAct::Next) {
                    return inner;
                }
                world.trace.after("pre", &spec.name, cx);
                match (spec.act, spec.with) {
                    (PreAct::Override, Some(VerdictWord::Allow)) => Ok(PreDecision::Allow),
                    (PreAct::Override, Some(VerdictWord::Deny)) => Ok(PreDecision::deny(reason())),
                    (PreAct::Override, Some(VerdictWord::Ask)) => Ok(PreDecision::ask(reason())),
                    _ => inner,
                }
            }
        }
    }
}

impl Guard for Part<GuardSpec> {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn check(&self, cx: &ToolExecution) -> GuardVerdict {
        let Self { spec, world } = self;
        if !matches(spec.only.as_ref(), cx) {
            return GuardVerdict::Abstain;
        }
        world.trace.enter("guard", &spec.name, cx);
        match spec.act {
            GuardAct::Abstain => GuardVerdict::Abstain,
            GuardAct::Deny => GuardVerdict::deny(spec.reason.as_str()),
            GuardAct::Panic => scripted_panic("guard"),
        }
    }
}
