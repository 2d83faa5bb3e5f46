//! An approver with scripted answers, one for each question.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use toolgate::{ApprovalOutcome, ApprovalRequest, Approver, PolicyError};

use crate::{
    scenario::{AnswerWord, ApprovalSpec},
    silence::scripted_panic,
    world::{World, pause},
};

#[derive(Debug)]
pub(crate) struct Scripted {
    spec: ApprovalSpec,
    asked: AtomicUsize,
    world: Arc<World>,
}

impl Scripted {
    pub(crate) fn new(spec: &ApprovalSpec, world: &Arc<World>) -> Self {
        Self { spec: spec.clone(), asked: AtomicUsize::new(0), world: world.clone() }
    }
}

#[async_trait]
impl Approver for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        self.world.trace.ask(&request.call_id);
        let question = self.asked.fetch_add(1, Ordering::Relaxed);
        pause(Some(self.spec.delay_ms).filter(|ms| *ms > 0)).await;
        match self.spec.outcomes.get(question) {
            Some(AnswerWord::AllowedOnce) => Ok(ApprovalOutcome::AllowedOnce),
            Some(AnswerWord::Rejected) => Ok(ApprovalOutcome::Rejected),
            Some(AnswerWord::Cancelled) => Ok(ApprovalOutcome::Cancelled),
            Some(AnswerWord::Unavailable) | None => Ok(ApprovalOutcome::Unavailable),
            Some(AnswerWord::Error) => Err(PolicyError::new("scripted")),
            Some(AnswerWord::Panic) => scripted_panic("approver"),
        }
    }
}
