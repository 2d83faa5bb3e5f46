//! What goes around a body: deadlines, retries, metrics.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::{
    body::{BodyRun, Ended},
    chain::Named,
    code::ErrorCode,
    contain::{Contained, Panicked},
    error::PolicyError,
    execution::DispatchExecution,
    grace::{Grace, Waited},
    outcome::DispatchOutcome,
    result::ToolFailure,
    signal::Signal,
};

/// Goes around the dispatch of a call.
///
/// # When it runs
///
/// At [`Stage::Execute`](crate::Stage::Execute), once the guards have cleared the call. The first in order is the
/// outermost.
///
/// # What it sees
///
/// The call under the signal of this run, and what came back from further in.
///
/// # What it may do
///
/// Run `next` as it is, again, or under a narrower signal; answer with what came back, or with an outcome of its own,
/// whose value is validated and rendered like a body's. It cannot change the arguments, detach a cancellation, or skip
/// a guard: before each further run the guards are asked again.
///
/// # Errors
///
/// An `Err` or a panic ends the call as `WRAPPER_FAILED`, whatever an outer wrapper makes of it.
///
/// # Cancellation
///
/// The future is dropped one grace period after the caller's cancellation, or after that of a signal which an outer
/// wrapper has set.
///
/// ```
/// use async_trait::async_trait;
/// use toolgate::{DispatchExecution, DispatchOutcome, ExecuteNext, ExecuteWrapper, PolicyError};
///
/// /// Runs a call a second time if its error says that this may help.
/// #[derive(Debug)]
/// struct Twice;
///
/// #[async_trait]
/// impl ExecuteWrapper for Twice {
///     fn name(&self) -> &str {
///         "twice"
///     }
///
///     async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
///         let first = next.run().await?;
///         let again = first.error().is_some_and(|e| e.retryable == Some(true));
///         if again && !cx.is_cancelled() { next.run().await } else { Ok(first) }
///     }
/// }
/// ```
#[async_trait]
pub trait ExecuteWrapper: fmt::Debug + Send + Sync + 'static {
    /// The name it goes by in results, orderings and logs.
    fn name(&self) -> &str;

    /// Goes around one dispatch.
    ///
    /// # Errors
    ///
    /// Any error fails the call closed.
    ///
    /// # Cancellation
    ///
    /// May be dropped at any await; what it awaits from `next` is dropped first.
    async fn wrap(&self, cx: &DispatchExecution, next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError>;
}

/// What lies inside of all wrappers. The pipeline's dispatch implements it; only a cleared call has one.
pub(crate) trait Innermost: Sync {
    /// Starts one run of the body, or says why there is none.
    fn begin<'c>(&self, cx: &'c DispatchExecution) -> Begun<'c>;

    /// Makes an outcome of how the run ended.
    fn settle(&self, run: Ended) -> Result<DispatchOutcome, PolicyError>;

    /// Holds what a wrapper answered to the tool's own declaration, before a wrapper farther out sees it.
    fn adopt(&self, outcome: DispatchOutcome) -> DispatchOutcome;

    /// The outcome of a run that was dropped by `run_with`.
    fn abandoned(&self) -> DispatchOutcome;
}

pub(crate) enum Begun<'c> {
    Body(BodyRun<'c>),
    Answer(Result<DispatchOutcome, PolicyError>),
}

/// The rest of the chain and the body. Can be run again, but not twice at the same time.
pub struct ExecuteNext<'a> {
    pub(crate) cx: &'a DispatchExecution,
    pub(crate) rest: &'a [Named<dyn ExecuteWrapper>],
    pub(crate) innermost: &'a dyn Innermost,
}

impl ExecuteNext<'_> {
    /// Runs what is further in, under the signal of this run.
    ///
    /// # Errors
    ///
    /// If a wrapper further in failed. The call then fails whatever is made of the error.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the run; the body's effects are unknown then. It can be run again.
    pub async fn run(&mut self) -> Result<DispatchOutcome, PolicyError> {
        start(self.cx, self.rest, self.innermost).await
    }

    /// Runs what is further in under `signal` too: the run is cancelled when either fires, and dropped when the grace
    /// period after that is over. It then answers `ABORTED`, or `ABORTED_BEFORE_DISPATCH` if no body was started.
    ///
    /// Build the signal on [`ToolExecution::signal`](crate::ToolExecution::signal), or give a token of your own. In
    /// either case the call's own cancellation stays in force.
    ///
    /// # Errors
    ///
    /// If a wrapper further in failed. The call then fails whatever is made of the error.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the run; the body's effects are unknown then. It can be run again.
    pub async fn run_with(&mut self, signal: impl Into<Signal> + Send) -> Result<DispatchOutcome, PolicyError> {
        // With a link of the run's own on top: its end is the end of nobody else's signal.
        let given = self.cx.signal().narrowed_by(signal.into());
        let (signal, _) = given.scoped();
        let narrowed = Narrowed(self.cx.narrowed(signal));
        let grace = Grace::new(self.cx.core.grace);
        let step = Some(start(&narrowed.0, self.rest, self.innermost));
        Run { step, innermost: self.innermost, grace, given, narrowed: &narrowed.0 }.await
    }
}

/// Starts the first of `rest`, or the body.
pub(crate) fn start<'a>(
    cx: &'a DispatchExecution,
    rest: &'a [Named<dyn ExecuteWrapper>],
    innermost: &'a dyn Innermost,
) -> Step<'a> {
    let Some((wrapper, rest)) = rest.split_first() else {
        return match innermost.begin(cx) {
            Begun::Body(body) => Step::Body { body, innermost },
            Begun::Answer(answer) => Step::Answer(Some(answer)),
        };
    };
    let future = Contained::start(|| wrapper.part.wrap(cx, ExecuteNext { cx, rest, innermost }));
    Step::Wrapper { future, cx, wrapper, innermost }
}

/// One link of the chain around the body, on its way.
pub(crate) enum Step<'a> {
    Answer(Option<Result<DispatchOutcome, PolicyError>>),
    Body {
        body: BodyRun<'a>,
        innermost: &'a dyn Innermost,
    },
    Wrapper {
        future: Contained<'a, Result<DispatchOutcome, PolicyError>>,
        cx: &'a DispatchExecution,
        wrapper: &'a Named<dyn ExecuteWrapper>,
        innermost: &'a dyn Innermost,
    },
}

impl Future for Step<'_> {
    type Output = Result<DispatchOutcome, PolicyError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Answer(answer) => answer.take().map_or(Poll::Pending, Poll::Ready),
            Self::Body { body, innermost } => body.poll(cx).map(|ended| innermost.settle(ended)),
            Self::Wrapper { future, cx: call, wrapper, innermost } => future.poll(cx).map(|settled| match settled {
                Ok(Ok(outcome)) => Ok(innermost.adopt(outcome)),
                Ok(Err(error)) => Err(fail(call, wrapper, error)),
                Err(panic) => Err(fail(call, wrapper, panic.into())),
            }),
        }
    }
}

#[cold]
fn fail(call: &DispatchExecution, wrapper: &Named<dyn ExecuteWrapper>, error: PolicyError) -> PolicyError {
    call.core.fail(
        ToolFailure::new(ErrorCode::WRAPPER_FAILED, format!("wrapper \"{}\" failed", wrapper.name))
            .by(Some(wrapper.name.clone()))
            .caused_by(error.into_source()),
    );
    PolicyError::inner()
}

/// A run that a wrapper asked for, under a signal of its own.
struct Run<'a> {
    /// Dropped when the grace period is over.
    step: Option<Step<'a>>,
    innermost: &'a dyn Innermost,
    grace: Grace,
    given: Signal,
    narrowed: &'a DispatchExecution,
}

/// The view of a run under a signal of its own. It outlives the run: the tokens of the signal fire when that is gone.
struct Narrowed(DispatchExecution);

impl Drop for Narrowed {
    fn drop(&mut self) {
        self.0.link().end(false);
    }
}

impl Future for Run<'_> {
    type Output = Result<DispatchOutcome, PolicyError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { step, innermost, grace, given, narrowed } = self.get_mut();
        let Some(running) = step else { return Poll::Pending };
        let waited = grace.poll(cx, narrowed, || given.follow(), |cx| running.poll_unpin(cx).map(Ok::<_, Panicked>));
        waited.map(|waited| match waited {
            Waited::Settled(answer) => answer,
            Waited::Panicked(_) | Waited::Dropped => {
                *step = None;
                Ok(innermost.abandoned())
            }
        })
    }
}

impl fmt::Debug for ExecuteNext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecuteNext").field("wrappers_left", &self.rest.len()).finish_non_exhaustive()
    }
}
