//! Stage 1: the name is resolved, the arguments are read and checked.

use std::sync::Arc;

use crate::{
    call::ToolCall,
    call_core::{CallCore, CallParts, Origin},
    code::ErrorCode,
    execution::DispatchExecution,
    pipeline::{
        draft::{Draft, aborted},
        exit::Exit,
        running::{Look, RunningCall},
    },
    registry::Shared,
    result::ToolFailure,
    stage::Stage,
};

/// Proof that a call may be decided about: its name is known and its arguments are valid.
pub(crate) struct Admitted(Look);

impl Admitted {
    /// The caller's cancellation was looked at on the way.
    pub(crate) fn look(self) -> Look {
        self.0
    }
}

/// Takes a token, captures what the call's scope sees, and reads the arguments: once, for every stage.
pub(crate) fn admit(registry: &Shared, call: ToolCall, origin: Origin) -> RunningCall<'_> {
    // The count first: a change in between is then seen as one, and never missed.
    let version = registry.version();
    let (view, scope) = match &origin.parent {
        None => registry.view(call.agent.as_ref()),
        // A nested call belongs to the opening that its caller does, and to no later one. If that is over it is as
        // any call of a closed scope.
        Some(parent) => (registry.snapshot().view_of(call.agent.as_ref(), parent.core.scope, &[]), parent.core.scope),
    };
    let place = view.place(&call.name);
    let (arguments, problem) = call.arguments.read(registry.limits.arguments);
    let core = CallCore::new(CallParts {
        id: call.id,
        name: call.name,
        arguments,
        agent: call.agent,
        scope,
        extensions: call.extensions,
        cancellation: call.cancellation,
        grace: place.and_then(|at| view.tool_at(at).grace).unwrap_or(registry.limits.grace),
        origin,
    });
    core.enter(Stage::Admit);
    let cx = DispatchExecution::new(Arc::new(core));
    RunningCall { cx, registry, view, version, place, problem }
}

/// Whether the call can succeed at all. In this order: cancelled, too deep, unknown, invalid.
pub(crate) fn check(call: &RunningCall) -> Result<Admitted, Exit> {
    if call.is_cancelled() {
        return Err(Exit::Finalize(Draft::failure(aborted(call.core()))));
    }
    if call.core().ancestors().len() > call.registry.limits.nesting_depth {
        let message = format!("calls within calls go deeper than {} levels", call.registry.limits.nesting_depth);
        return Err(Exit::Post(Draft::failure(ToolFailure::new(ErrorCode::CALL_DEPTH_EXCEEDED, message))));
    }
    let Some(tool) = call.tool() else {
        return Err(Exit::Post(Draft::failure(unknown(call.cx.name()))));
    };
    let (wrong, details) = match &call.problem {
        Some(problem) => {
            let problem = problem.discreet(tool.schema.parameters());
            (problem.to_string(), problem.details())
        }
        None if tool.parameters.is_valid(call.cx.arguments()) => return Ok(Admitted(Look::Fresh)),
        None => {
            let found = tool.parameters.violations(call.cx.arguments(), call.registry.limits.quote_values);
            (found.to_string(), found.details())
        }
    };
    let mut failure = ToolFailure::new(ErrorCode::INVALID_ARGS, ["invalid arguments: ", &wrong].concat());
    failure.details = Some(details);
    Err(Exit::Post(Draft::failure(failure)))
}

/// The same words for a tool that does not exist and for one that is hidden.
pub(crate) fn unknown(name: &str) -> ToolFailure {
    ToolFailure::new(ErrorCode::UNKNOWN_TOOL, format!("unknown tool \"{name}\""))
}
