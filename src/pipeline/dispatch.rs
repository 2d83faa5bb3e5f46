//! Inside of all wrappers: the body itself.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::Value;

use crate::{
    body::{BodyRun, Ended, Under},
    code::ErrorCode,
    contain::{Contained, Panicked, contained, let_go},
    context::ToolContext,
    error::{PolicyError, ToolError},
    execution::DispatchExecution,
    grace::Waited,
    outcome::{Answer, DispatchOutcome, tool_failure},
    pipeline::{
        admit::unknown,
        draft::{Draft, aborted, make_honest},
        exit::Exit,
        guard::{self, Cleared},
        running::RunningCall,
    },
    result::{ToolFailure, ToolResult},
    schema::{HARD_DEPTH, deeper_than, dismantle},
    view::{Live, RegisteredTool},
    wrapper::{Begun, Innermost},
};

/// The dispatch of one cleared call.
pub(crate) struct Dispatch<'a> {
    call: &'a RunningCall<'a>,
    /// Whether a run was begun, whatever came of it.
    begun: AtomicBool,
    /// The first denial of a guard: no further run comes after it.
    denied: OnceLock<Arc<ToolResult>>,
}

impl<'a> Dispatch<'a> {
    pub(crate) fn new(call: &'a RunningCall<'a>, _cleared: &Cleared) -> Self {
        Self { call, begun: AtomicBool::new(false), denied: OnceLock::new() }
    }

    /// What wrappers see of a run.
    fn outcome(&self, mut draft: Draft) -> DispatchOutcome {
        make_honest(self.call.core(), &mut draft);
        DispatchOutcome::settled(self.call.cx.token(), draft.into_inner())
    }

    fn refused(&self, failure: ToolFailure) -> Begun<'static> {
        Begun::Answer(Ok(self.outcome(Draft::failure(failure))))
    }

    fn denied_by(&self, denied: &Arc<ToolResult>) -> Begun<'static> {
        Begun::Answer(Ok(DispatchOutcome::settled(self.call.cx.token(), denied.clone())))
    }

    /// Makes a result of how a run ended.
    pub(crate) fn result(&self, run: Ended) -> Draft {
        let Ended { how, cancelled, timed_out } = run;
        let mut draft = match (timed_out, how) {
            (Some(limit), late) => timeout(late, limit),
            (None, Waited::Settled(Ok(value))) => match checked(self.call, value) {
                Ok(value) if !cancelled => rendered(self.call, value),
                Ok(_) => Draft::failure(aborted(self.call.core())),
                Err(failure) => Draft::failure(*failure),
            },
            (None, Waited::Settled(Err(error))) => Draft::failure(tool_failure(error)),
            (None, Waited::Panicked(panic)) => Draft::failure(panicked(panic)),
            (None, Waited::Dropped) => Draft::failure(aborted(self.call.core())),
        };
        make_honest(self.call.core(), &mut draft);
        draft
    }

    /// What failed or was denied stays so; before a further run the guards are asked again.
    fn no_longer_cleared(&self, again: bool) -> Option<Begun<'static>> {
        if self.call.core().failure().is_some() {
            return Some(Begun::Answer(Err(PolicyError::inner())));
        }
        if !again {
            return None;
        }
        match guard::consult(self.call) {
            // Whoever denied before may be gone or have changed his mind: the denial is final all the same.
            Ok(_) => self.denied.get().map(|denied| self.denied_by(denied)),
            Err(Exit::Post(mut draft)) => {
                make_honest(self.call.core(), &mut draft);
                Some(self.denied_by(self.denied.get_or_init(|| draft.into_inner())))
            }
            Err(Exit::Finalize(draft)) => {
                if let Some(failure) = draft.result().error() {
                    self.call.core().fail(failure.clone());
                }
                Some(Begun::Answer(Err(PolicyError::inner())))
            }
        }
    }

    /// What was approved is what runs, or nothing does.
    fn same_tool(&self) -> Result<(usize, &'a RegisteredTool), Box<ToolFailure>> {
        let name = self.call.cx.name();
        let (Some(place), Some(then)) = (self.call.place, self.call.tool()) else {
            return Err(Box::new(unknown(name)));
        };
        let live = match self.call.live() {
            Live::Same(_) => return Ok((place, then)),
            Live::Changed(live) => live,
        };
        match live.tool(name) {
            None => Err(Box::new(unknown(name))),
            Some(now) if Arc::ptr_eq(now, then) => Ok((place, then)),
            Some(_) => {
                let message = format!("tool \"{name}\" was replaced while the call was on its way; call it again");
                Err(Box::new(ToolFailure::new(ErrorCode::TOOL_CHANGED, message)))
            }
        }
    }
}

impl Innermost for Dispatch<'_> {
    fn begin<'c>(&self, cx: &'c DispatchExecution) -> Begun<'c> {
        let core = self.call.core();
        let again = self.begun.swap(true, Ordering::AcqRel);
        // Exact, with a look at the clock where there is a deadline: nobody may have looked since it was over. Straight
        // from the guards, they have.
        if (again || !self.call.view.wrappers.is_empty()) && cx.is_cancelled() {
            return self.refused(aborted(core));
        }
        if let Some(refused) = self.no_longer_cleared(again) {
            return refused;
        }
        let (place, tool) = match self.same_tool() {
            Ok(same) => same,
            Err(failure) => return self.refused(*failure),
        };
        let timeout = tool.timeout.or(self.call.registry.limits.default_timeout);
        let deadline = timeout.and_then(|t| cx.signal().deadline(t));
        let timeout = timeout.filter(|_| deadline.is_some());
        let run = deadline.map_or(Under::Outer(cx), |signal| Under::Own(cx.narrowed(signal)));
        let quote = self.call.registry.limits.quote_values;
        let context = ToolContext::new(run.clone(), core.runs.begin(), self.call.view.clone(), place, quote);
        let future = Contained::start(|| (tool.body)(context));
        Begun::Body(BodyRun::new(run, timeout, future))
    }

    fn settle(&self, run: Ended) -> Result<DispatchOutcome, PolicyError> {
        Ok(DispatchOutcome::settled(self.call.cx.token(), self.result(run).into_inner()))
    }

    fn adopt(&self, outcome: DispatchOutcome) -> DispatchOutcome {
        let DispatchOutcome { answer, contexts } = outcome;
        let result = result_of(self.call, answer).into_inner();
        DispatchOutcome { answer: Answer::Settled { by: self.call.cx.token(), result }, contexts }
    }

    fn abandoned(&self) -> DispatchOutcome {
        self.outcome(Draft::failure(aborted(self.call.core())))
    }
}

/// What came back after the deadline goes; a value may be too deep to drop as it is.
#[cold]
fn timeout(late: Waited<Result<Value, ToolError>>, limit: Duration) -> Draft {
    match late {
        Waited::Settled(Ok(value)) => dismantle(value),
        other => let_go(other),
    }
    let message = format!("tool call timed out after {} ms", limit.as_millis());
    Draft::failure(ToolFailure::new(ErrorCode::TOOL_TIMEOUT, message))
}

fn panicked(panic: Panicked) -> ToolFailure {
    ToolFailure::new(ErrorCode::TOOL_PANICKED, "the tool panicked").caused_by(panic.into_source())
}

/// An answer as a result of this call. What this very dispatch made is taken as it is; a wrapper's own value, and what
/// another call's dispatch made, are held to the tool's declaration. Of the body every failure says what is so.
pub(crate) fn result_of(call: &RunningCall, answer: Answer) -> Draft {
    let mut draft = match answer {
        Answer::Settled { by, result } if by == call.cx.token() => Draft::of(result),
        Answer::Settled { result, .. } => {
            let draft = match result.outcome() {
                Ok(value) => made(call, value.clone()),
                Err(failure) => Draft::failure(foreign(failure.clone())),
            };
            let_go(result);
            draft
        }
        Answer::Value(value) => made(call, value.into_inner()),
        Answer::Failure(failure) => Draft::failure(*failure),
    };
    make_honest(call.core(), &mut draft);
    draft
}

/// Another call's failure, as a wrapper's own: the codes of this crate are not the wrapper's to give, and only a body
/// says whether trying again may help.
fn foreign(mut failure: ToolFailure) -> ToolFailure {
    failure.retryable = None;
    if failure.code.is_reserved() && failure.code != ErrorCode::TOOL_FAILED {
        failure.details = Some(serde_json::json!({ "wanted_code": failure.code.as_str() }));
        failure.code = ErrorCode::TOOL_FAILED;
    }
    failure
}

/// A success from a value, or the failure that the value makes: what every value goes through, whoever made it.
pub(crate) fn made(call: &RunningCall, value: Value) -> Draft {
    match checked(call, value) {
        Ok(value) => rendered(call, value),
        Err(failure) => Draft::failure(*failure),
    }
}

fn checked(call: &RunningCall, value: Value) -> Result<Value, Box<ToolFailure>> {
    if deeper_than(&value, HARD_DEPTH) {
        dismantle(value);
        return Err(Box::new(too_deep()));
    }
    match call.tool() {
        Some(tool) if !tool.output.is_valid(&value) => {
            let wrong = tool.output.violations(&value, call.registry.limits.quote_values);
            Err(Box::new(invalid_output(&wrong.to_string())))
        }
        _ => Ok(value),
    }
}

pub(crate) fn too_deep() -> ToolFailure {
    invalid_output(&format!("nested deeper than {HARD_DEPTH} levels"))
}

fn invalid_output(violations: &str) -> ToolFailure {
    ToolFailure::new(ErrorCode::INVALID_TOOL_OUTPUT, format!("invalid tool output: {violations}"))
}

fn rendered(call: &RunningCall, value: Value) -> Draft {
    let Some(tool) = call.tool() else { return Draft::failure(unknown(call.cx.name())) };
    if !tool.shows_by_itself() {
        let content = tool.render(&value);
        return Draft::new(ToolResult::success(value, content, None));
    }
    shown_by_itself(call, tool, value)
}

/// What foreign code makes of a value, which may panic.
fn shown_by_itself(call: &RunningCall, tool: &RegisteredTool, value: Value) -> Draft {
    let top_level = call.cx.parent().is_none();
    let made = contained(|| {
        let content = tool.render(&value);
        let meta = if top_level { tool.present(call.cx.arguments(), &value) } else { None };
        (content, meta)
    });
    match made {
        Ok((_, Some(meta))) if deeper_than(&meta, HARD_DEPTH) => {
            dismantle(meta);
            Draft::failure(invalid_output(&format!("presentation nested deeper than {HARD_DEPTH} levels")))
        }
        Ok((content, meta)) => Draft::new(ToolResult::success(value, content, meta.map(Box::new))),
        Err(panic) => Draft::failure(invalid_output("it could not be rendered").caused_by(panic.into_source())),
    }
}
