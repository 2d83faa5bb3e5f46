//! The stage that sees what became of a call: post-policies, a waterfall.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    chain::{Chain, Decision, Link, Turn},
    content::{AdditionalContext, ContentBlock},
    error::PolicyError,
    execution::ToolExecution,
    result::ToolResult,
    schema::{HARD_DEPTH, deeper_than, dismantle},
};

/// Looks at what became of a call, and may change what is told of it.
///
/// # When it runs
///
/// At [`Stage::PostExecute`](crate::Stage::PostExecute): for successes, failures and denials alike, but not for a call
/// that was cancelled before it was admitted, nor after a failed policy, guard or wrapper. The first in order is the
/// outermost.
///
/// # What it sees
///
/// The call and its outcome so far.
///
/// # What it may do
///
/// Accept, replace the content or the value, or block with feedback; by itself, or after awaiting `next`.
///
/// # Errors
///
/// An `Err` or a panic ends the call as `POLICY_FAILED`, whatever an outer policy makes of it.
///
/// # Cancellation
///
/// The future is dropped one grace period after the caller's cancellation: a success then becomes `ABORTED`, a failure
/// stays what it is.
#[async_trait]
pub trait PostPolicy: fmt::Debug + Send + Sync + 'static {
    /// The name it goes by in results, orderings and logs.
    fn name(&self) -> &str;

    /// Decides what is told of `outcome`.
    ///
    /// # Errors
    ///
    /// Any error fails the call closed.
    ///
    /// # Cancellation
    ///
    /// May be dropped at any await.
    async fn review(
        &self,
        cx: &ToolExecution,
        outcome: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError>;
}

/// What a post-policy decides. Content and value cannot both be replaced: there is no such case.
///
/// Exhaustive on purpose: a policy that reads a verdict must be able to cover every case.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "policies must cover every verdict; there is no fifth")]
pub enum PostDecision {
    /// The outcome stands. Also what the end of the chain answers.
    Accept(Attached),
    /// Other content for the model; value and meta stay.
    ReplaceContent(Vec<ContentBlock>, Attached),
    /// Another value: validated by the tool's output schema and rendered again. Only for a success.
    ReplaceValue(Value, Attached),
    /// The outcome is withheld; the model reads this feedback instead.
    Block(String, Attached),
}

impl PostDecision {
    /// The outcome stands.
    pub fn accept() -> Self {
        Self::Accept(Attached::default())
    }

    /// Other content for the model.
    pub fn content(content: Vec<ContentBlock>) -> Self {
        Self::ReplaceContent(content, Attached::default())
    }

    /// Another value.
    pub fn value(value: Value) -> Self {
        Self::ReplaceValue(value, Attached::default())
    }

    /// The outcome is withheld, with feedback for the model.
    pub fn block(feedback: impl Into<String>) -> Self {
        Self::Block(feedback.into(), Attached::default())
    }

    /// The decision, with something more to tell the model after the result.
    #[must_use]
    pub fn with_context(mut self, context: AdditionalContext) -> Self {
        self.attached_mut().edit().contexts.push(context);
        self
    }

    /// What is attached to it.
    pub fn attached(&self) -> &Attached {
        match self {
            Self::Accept(a) | Self::ReplaceContent(_, a) | Self::ReplaceValue(_, a) | Self::Block(_, a) => a,
        }
    }

    fn attached_mut(&mut self) -> &mut Attached {
        match self {
            Self::Accept(a) | Self::ReplaceContent(_, a) | Self::ReplaceValue(_, a) | Self::Block(_, a) => a,
        }
    }
}

/// What goes with a post-policy's decision.
#[derive(Clone, Debug, Default)]
pub struct Attached {
    /// Mostly there is nothing, and decisions are handed on often.
    parts: Option<Box<AttachedParts>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct AttachedParts {
    pub(crate) contexts: Vec<AdditionalContext>,
    pub(crate) by: Option<Arc<str>>,
    /// The value was nested too deep, and has been taken apart.
    pub(crate) too_deep: bool,
}

impl Attached {
    /// What to tell the model after the result.
    pub fn contexts(&self) -> &[AdditionalContext] {
        self.parts.as_ref().map_or(&[], |parts| &parts.contexts)
    }

    /// Who decided, once the participant has answered.
    pub fn by(&self) -> Option<&str> {
        self.parts.as_ref()?.by.as_deref()
    }

    fn edit(&mut self) -> &mut AttachedParts {
        self.parts.get_or_insert_default()
    }

    pub(crate) fn into_parts(self) -> AttachedParts {
        self.parts.map(|parts| *parts).unwrap_or_default()
    }
}

/// Equal if the same is told, whoever decided.
impl PartialEq for Attached {
    fn eq(&self, other: &Self) -> bool {
        self.contexts() == other.contexts()
    }
}

/// The rest of the chain, for a post-policy to delegate to. Can be run once.
#[derive(Debug)]
pub struct PostNext<'a> {
    pub(crate) chain: Chain<'a, dyn PostPolicy>,
    pub(crate) outcome: &'a ToolResult,
}

impl<'a> PostNext<'a> {
    /// What the policies further in decide; accept at the end of the chain.
    ///
    /// # Errors
    ///
    /// If one of them failed. The call then fails whatever is made of the error.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the policies further in; they have not decided then.
    pub async fn run(self) -> Result<PostDecision, PolicyError> {
        self.start().await
    }

    pub(crate) fn start(self) -> Link<'a, PostDecision> {
        let (cx, outcome) = (self.chain.execution(), self.outcome);
        let Some(Turn { policy, clocks, next }) = self.chain.step() else {
            return Link::answer(PostDecision::accept());
        };
        Link::start(cx, &policy.name, clocks, || policy.part.review(cx, outcome, PostNext { chain: next, outcome }))
    }
}

impl Decision for PostDecision {
    fn sign(&mut self, name: &Arc<str>) {
        if let Self::ReplaceValue(value, attached) = self
            && deeper_than(value, HARD_DEPTH)
        {
            // Whoever drops the decision as it is would overflow the stack.
            dismantle(std::mem::take(value));
            attached.edit().too_deep = true;
        }
        if !matches!(self, Self::Accept(_)) {
            self.attached_mut().edit().by.get_or_insert_with(|| name.clone());
        }
    }
}
