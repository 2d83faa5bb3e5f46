//! Builds a scenario's registry, makes its calls, and notes what came of it.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    io,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate::{ApprovalMode, BatchOptions, ScopeId, ToolCall, ToolRegistry, ToolResult};

use crate::{
    approver::Scripted,
    observer::Recorder,
    part::Part,
    place::Place,
    scenario::{BatchSpec, CallSpec, Cancel, ModeWord, Scenario},
    tools,
    world::{OwnToken, World},
};

/// What came of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) results: Vec<Map<String, Value>>,
    pub(crate) trace: Vec<String>,
    pub(crate) elapsed_ms: u128,
    pub(crate) schemas: BTreeMap<String, Vec<String>>,
    pub(crate) register_errors: Vec<String>,
    /// What is wrong whatever the scenario expects.
    pub(crate) broken: Vec<String>,
}

/// Longer than any scenario: a call that is not over by then waits for nothing.
const FOREVER: Duration = Duration::from_secs(24 * 3600);

/// Runs `scenario` on a runtime of its own, in virtual time.
pub(crate) fn run(scenario: &Scenario) -> io::Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let mut report = Report::default();
    let over = runtime.block_on(async { tokio::time::timeout(FOREVER, calls(scenario, &mut report)).await });
    if over.is_err() {
        report.broken.push("a call does not end: nothing is left to wait for".to_owned());
    }
    Ok(report)
}

async fn calls(scenario: &Scenario, report: &mut Report) {
    let (registry, world) = build(scenario);
    let started = Instant::now();
    if let Some(batch) = &scenario.batch {
        batch_of(&registry, &world, batch, &scenario.calls, report).await;
    } else {
        for spec in &scenario.calls {
            let result = one_call(&registry, &world, spec, &mut report.broken).await;
            report.results.extend(result);
        }
    }
    report.elapsed_ms = started.elapsed().as_millis();
    report.trace = world.trace.all();
    report.register_errors = world.register_errors();
    for scope in scenario.expect.schemas.keys() {
        let schemas = match scope.as_str() {
            "" => registry.schemas(),
            scope => registry.schemas_for(ScopeId::from(scope)),
        };
        report.schemas.insert(scope.clone(), schemas.iter().map(|s| s.name().to_owned()).collect());
    }
    world.close();
}

fn build(scenario: &Scenario) -> (ToolRegistry, Arc<World>) {
    let mut builder = ToolRegistry::builder();
    if let Some(ms) = scenario.grace_ms {
        builder = builder.grace(Duration::from_millis(ms));
    }
    let registry = builder.build().unwrap_or_default();
    let world = Arc::new(World::new(registry.clone(), scenario.scopes.clone()));
    for scope in &scenario.scopes {
        match &scope.parent {
            None => _ = registry.scope(scope.id.as_str()),
            Some(parent) => {
                let child = registry.scope(parent.as_str()).child(scope.id.as_str());
                world.note(child.map(|_| ()));
            }
        }
    }
    world.note(registry.observer(Recorder(world.clone())));
    let at = |scope: &Option<String>| Place::of(&registry, scope.as_deref());
    for spec in &scenario.tools {
        if let Some(registration) = world.note(at(&spec.scope).tool(tools::definition(spec, &world))) {
            world.keep_tool(spec.scope.as_deref(), &spec.name, registration);
        }
    }
    for spec in &scenario.pre {
        world.note(at(&spec.scope).pre_policy(Part::new(spec, &world)));
    }
    for spec in &scenario.guards {
        world.note(at(&spec.scope).guard(Part::new(spec, &world)));
    }
    for spec in &scenario.wrap {
        world.note(at(&spec.scope).wrapper(Part::new(spec, &world)));
    }
    for spec in &scenario.post {
        world.note(at(&spec.scope).post_policy(Part::new(spec, &world)));
    }
    for spec in &scenario.observers {
        world.note(at(&spec.scope).observer(Part::new(spec, &world)));
    }
    for spec in &scenario.restrict {
        world.note(at(&spec.scope).restrict(tools::restriction(spec)));
    }
    if let Some(approval) = &scenario.approval {
        world.note(registry.approver(Scripted::new(approval, &world)));
        if approval.mode == ModeWord::Never {
            registry.set_approval_mode(ApprovalMode::Never);
        }
    }
    (registry, world)
}

type Alarm = Option<tokio::task::JoinHandle<()>>;

/// Cancels `token` at the time that `cancel` says, from a task of its own: a call has to be woken by it.
fn arm(token: &CancellationToken, cancel: Option<Cancel>) -> Alarm {
    match cancel {
        None => None,
        Some(Cancel::Before) => {
            token.cancel();
            None
        }
        Some(Cancel::After(after)) => {
            let token = token.clone();
            Some(tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(after.after_ms)).await;
                token.cancel();
            }))
        }
    }
}

fn disarm(alarm: Alarm) {
    if let Some(alarm) = alarm {
        alarm.abort();
    }
}

/// Makes all calls as one batch.
async fn batch_of(registry: &ToolRegistry, world: &World, batch: &BatchSpec, calls: &[CallSpec], report: &mut Report) {
    let whole = CancellationToken::new();
    let mut alarms = vec![arm(&whole, batch.cancel)];
    let mut made = Vec::new();
    for spec in calls {
        let token = CancellationToken::new();
        alarms.push(arm(&token, spec.cancel));
        made.push(call(spec, token));
    }
    let committed = Arc::new(Mutex::new(Vec::new()));
    let noted = committed.clone();
    let mut options = BatchOptions::new().cancellation(whole).on_commit(move |at, result: &Arc<ToolResult>| {
        noted.lock().unwrap_or_else(PoisonError::into_inner).push((at, result.clone()));
    });
    if let Some(most) = batch.max_parallel {
        options = options.max_parallel(most);
    }
    let results = registry.execute_batch(made, options).await;
    alarms.into_iter().for_each(disarm);
    let committed = committed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let in_order = committed.iter().enumerate().all(|(i, (at, result))| i == *at && Arc::ptr_eq(result, &results[i]));
    if !in_order || committed.len() != results.len() {
        report.broken.push("the commits are not the results in model order".to_owned());
    }
    let observed = world.take_observed();
    if observed.len() != calls.len() {
        report.broken.push(format!("the observers got {} results for {} calls", observed.len(), calls.len()));
    }
    report.results.extend(calls.iter().zip(&results).map(|(spec, result)| record(&spec.id, result, false)));
}

/// Makes one call. `None` if nobody got a result.
async fn one_call(
    registry: &ToolRegistry,
    world: &World,
    spec: &CallSpec,
    broken: &mut Vec<String>,
) -> Option<Map<String, Value>> {
    let token = CancellationToken::new();
    let alarm = arm(&token, spec.cancel);
    let returned = {
        let mut execute = pin!(registry.execute(call(spec, token)));
        match spec.drop_after_ms {
            None => Some(execute.await),
            Some(ms) => {
                let mut until = pin!(tokio::time::sleep(Duration::from_millis(ms)));
                poll_fn(|cx| match execute.as_mut().poll(cx) {
                    Poll::Ready(result) => Poll::Ready(Some(result)),
                    Poll::Pending => until.as_mut().poll(cx).map(|()| None),
                })
                .await
            }
        }
    };
    disarm(alarm);
    let observed = world.take_observed();
    let [seen] = &observed[..] else {
        broken.push(format!("{}: the observers got {} results", spec.id, observed.len()));
        return returned.map(|result| record(&spec.id, &result, false));
    };
    if returned.as_ref().is_some_and(|result| !Arc::ptr_eq(result, seen)) {
        broken.push(format!("{}: observers and caller got different results", spec.id));
    }
    Some(record(&spec.id, seen, returned.is_none()))
}

fn call(spec: &CallSpec, token: CancellationToken) -> ToolCall {
    let mut call = match &spec.raw {
        Some(raw) => ToolCall::from_model(spec.id.as_str(), spec.name.as_str(), raw.as_str()),
        None => ToolCall::new(spec.id.as_str(), spec.name.as_str()),
    };
    if let Some(arguments) = &spec.arguments {
        call = call.with_arguments(arguments.clone());
    }
    if let Some(agent) = &spec.agent {
        call = call.with_agent(agent.as_str());
    }
    call.with_extension(OwnToken(token.clone())).with_cancellation(token)
}

/// A result under the keys of the format.
fn record(id: &str, result: &ToolResult, dropped: bool) -> Map<String, Value> {
    let contexts: Vec<&str> = result.additional_contexts().iter().map(|c| c.text.as_str()).collect();
    let mut record = Map::new();
    let mut put = |key: &str, value: Value| record.insert(key.to_owned(), value);
    put("id", json!(id));
    put("ok", json!(result.is_success()));
    put("text", json!(result.text()));
    put("contexts", json!(contexts));
    put("concludes", json!(result.concludes_turn()));
    if let Some(meta) = result.meta() {
        put("meta", meta.clone());
    }
    if let Some(value) = result.value() {
        put("value", value.clone());
    }
    if let Some(error) = result.error() {
        put("code", json!(error.code.as_str()));
        put("message", json!(error.message));
        put("effects", json!(error.effects));
        if let Some(source) = &error.source_name {
            put("source", json!(&**source));
        }
    }
    if dropped {
        put("dropped", json!(true));
    }
    record
}
