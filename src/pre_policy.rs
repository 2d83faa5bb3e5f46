//! The first stage that can say no: pre-policies, a waterfall.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{
    chain::{Chain, Decision, Link, Turn},
    error::PolicyError,
    execution::ToolExecution,
};

/// Decides about a call before anybody else does.
///
/// # When it runs
///
/// At [`Stage::PreExecute`](crate::Stage::PreExecute), once for each call whose name is known and whose arguments are
/// valid. The first policy in order is the outermost.
///
/// # What it sees
///
/// The call, with arguments that are never going to change.
///
/// # What it may do
///
/// Answer by itself, or await `next` and return or override what it got. Where several policies must only tighten one
/// another, join verdicts with [`PreDecision::strictest`]. What must hold whatever the order is a [`Guard`](crate::Guard):
/// an outer policy that answers `Allow` without awaiting `next` skips everything further in, a scope's denials too. To
/// have no objection, answer what `next` does.
///
/// # Errors
///
/// An `Err` or a panic ends the call as `POLICY_FAILED`, whatever an outer policy makes of it.
///
/// # Cancellation
///
/// The future is dropped one grace period after the caller's cancellation; the call then ends as
/// `ABORTED_BEFORE_DISPATCH`. With a `policy_timeout` it is dropped as `POLICY_FAILED` when its own time is over.
///
/// ```
/// use async_trait::async_trait;
/// use toolgate::{PolicyError, PreDecision, PreNext, PrePolicy, ToolExecution};
///
/// #[derive(Debug)]
/// struct NoSecrets;
///
/// #[async_trait]
/// impl PrePolicy for NoSecrets {
///     fn name(&self) -> &str {
///         "no-secrets"
///     }
///
///     async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
///         if cx.arguments()["path"].as_str().is_some_and(|p| p.contains(".env")) {
///             return Ok(PreDecision::deny("secrets stay where they are"));
///         }
///         next.run().await
///     }
/// }
/// ```
#[async_trait]
pub trait PrePolicy: fmt::Debug + Send + Sync + 'static {
    /// The name it goes by in results, orderings and logs.
    fn name(&self) -> &str;

    /// Decides about one call.
    ///
    /// # Errors
    ///
    /// Any error fails the call closed.
    ///
    /// # Cancellation
    ///
    /// May be dropped at any await.
    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError>;
}

/// What a pre-policy decides.
///
/// Exhaustive on purpose: a policy that reads a verdict must be able to cover every case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "policies must cover every verdict; there is no fourth")]
pub enum PreDecision {
    /// Go on. Also what the end of the chain answers.
    Allow,
    /// Do not run it; the model reads the reason.
    Deny(Reason),
    /// Ask the approver, who reads the reason.
    Ask(Reason),
}

impl PreDecision {
    /// Do not run it, because of `reason`.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(Reason::new(reason))
    }

    /// Ask somebody, because of `reason`.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask(Reason::new(reason))
    }

    /// The stricter of two verdicts: deny over ask over allow; of two equal ones the first.
    ///
    /// ```
    /// use toolgate::PreDecision;
    ///
    /// let joined = PreDecision::Allow.strictest(PreDecision::ask("two commands in one line"));
    /// assert_eq!(joined, PreDecision::ask("two commands in one line"));
    /// ```
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }
}

/// Why, and who says so.
#[derive(Clone)]
pub struct Reason {
    text: String,
    by: Option<Arc<str>>,
}

impl Reason {
    /// A reason in words. Who gives it is filled in when the participant answers.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), by: None }
    }

    /// The words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Who gave it, once the participant has answered.
    pub fn by(&self) -> Option<&str> {
        self.by.as_deref()
    }

    pub(crate) fn into_parts(self) -> (String, Option<Arc<str>>) {
        (self.text, self.by)
    }

    fn signed(&mut self, name: &Arc<str>) {
        self.by.get_or_insert_with(|| name.clone());
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Two reasons are equal if they say the same, whoever says it.
impl PartialEq for Reason {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Reason {}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// The rest of the chain, for a pre-policy to delegate to. Can be run once.
#[derive(Debug)]
pub struct PreNext<'a> {
    pub(crate) chain: Chain<'a, dyn PrePolicy>,
}

impl<'a> PreNext<'a> {
    /// What the policies further in decide; `Allow` at the end of the chain.
    ///
    /// # Errors
    ///
    /// If one of them failed. The call then fails whatever is made of the error.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the policies further in; they have not decided then.
    pub async fn run(self) -> Result<PreDecision, PolicyError> {
        self.start().await
    }

    pub(crate) fn start(self) -> Link<'a, PreDecision> {
        let cx = self.chain.execution();
        let Some(Turn { policy, clocks, next }) = self.chain.step() else { return Link::answer(PreDecision::Allow) };
        Link::start(cx, &policy.name, clocks, || policy.part.decide(cx, PreNext { chain: next }))
    }
}

impl Decision for PreDecision {
    fn sign(&mut self, name: &Arc<str>) {
        match self {
            Self::Allow => {}
            Self::Deny(reason) | Self::Ask(reason) => reason.signed(name),
        }
    }
}
