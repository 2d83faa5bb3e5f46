//! Every participant with every fault: which code, which stages, how often finalizer and observers run.

use std::future::Future;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    ApprovalOutcome, BatchOptions, Effects, GuardVerdict, OutputSpec, PreDecision, Stage, ToolCall, ToolRegistry,
    ToolResult, guard_fn, observer_fn, tool,
};

use crate::support::{Act, Asked, Post, Pre, Seen, Trace, Wrap, body_tool, ms, paused, with_finalizer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Pre(usize),
    Approver,
    Guard,
    Wrapper(usize),
    Body,
    Post,
    Finalizer,
    Observer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Error,
    Panic,
    Hang,
    Slow,
    CancelBefore,
    CancelDuring,
    DropCaller,
    RegistrySwap,
}

const WHO: [Who; 11] = [
    Who::Pre(0),
    Who::Pre(1),
    Who::Pre(2),
    Who::Approver,
    Who::Guard,
    Who::Wrapper(0),
    Who::Wrapper(1),
    Who::Body,
    Who::Post,
    Who::Finalizer,
    Who::Observer,
];

const FAULTS: [Fault; 8] = [
    Fault::Error,
    Fault::Panic,
    Fault::Hang,
    Fault::Slow,
    Fault::CancelBefore,
    Fault::CancelDuring,
    Fault::DropCaller,
    Fault::RegistrySwap,
];

/// A synchronous participant has no error value, and cannot wait without blocking its thread.
fn impossible(who: Who, fault: Fault) -> bool {
    let sync = matches!(who, Who::Guard | Who::Finalizer | Who::Observer);
    sync && matches!(fault, Fault::Error | Fault::Hang | Fault::Slow | Fault::DropCaller)
}

#[derive(Debug, PartialEq, Eq)]
struct Cell {
    code: Option<&'static str>,
    effects: Option<Effects>,
    stages: Vec<Stage>,
    bodies: usize,
    finalizers: usize,
    observers: usize,
    elapsed: u64,
}

const CANCEL_AT: u64 = 100;
const GRACE: u64 = 50;
const DROP_AT: u64 = 20;
const SLOW: u64 = 10;

/// How far a participant's stage is down the path.
fn reached(who: Who) -> Vec<Stage> {
    use Stage::{Admit, Approval, Execute, Guard, PostExecute, PreExecute};
    match who {
        Who::Pre(_) => vec![Admit, PreExecute],
        Who::Guard => vec![Admit, PreExecute, Guard],
        Who::Approver => vec![Admit, PreExecute, Approval],
        Who::Wrapper(_) | Who::Body => vec![Admit, PreExecute, Approval, Guard, Execute],
        Who::Post | Who::Finalizer | Who::Observer => {
            vec![Admit, PreExecute, Approval, Guard, Execute, PostExecute]
        }
    }
}

fn expected(who: Who, fault: Fault) -> Cell {
    let started = matches!(who, Who::Body | Who::Post | Who::Finalizer | Who::Observer);
    let settled = if started { Effects::Settled } else { Effects::None };
    let through_post = |mut stages: Vec<Stage>| {
        if !stages.contains(&Stage::PostExecute) {
            stages.push(Stage::PostExecute);
        }
        stages
    };
    let aborted = if started { "ABORTED" } else { "ABORTED_BEFORE_DISPATCH" };
    let success = (None, None, reached(Who::Post), 0);
    let (code, effects, mut stages, elapsed) = match fault {
        Fault::Error | Fault::Panic => match who {
            Who::Pre(_) | Who::Post => (Some("POLICY_FAILED"), Some(settled), reached(who), 0),
            Who::Approver => (Some("APPROVAL_UNAVAILABLE"), Some(settled), through_post(reached(who)), 0),
            Who::Guard => (Some("GUARD_FAILED"), Some(settled), reached(who), 0),
            Who::Wrapper(_) => (Some("WRAPPER_FAILED"), Some(settled), reached(who), 0),
            Who::Body if fault == Fault::Error => (Some("TOOL_FAILED"), Some(settled), through_post(reached(who)), 0),
            Who::Body => (Some("TOOL_PANICKED"), Some(settled), through_post(reached(who)), 0),
            Who::Finalizer => (Some("FINALIZER_FAILED"), Some(settled), reached(who), 0),
            Who::Observer => success,
        },
        // The caller cancels meanwhile; an approver is dropped at once, everybody else after the grace period.
        Fault::Hang => {
            let effects = if who == Who::Body { Effects::Unknown } else { settled };
            let elapsed = if who == Who::Approver { CANCEL_AT } else { CANCEL_AT + GRACE };
            (Some(aborted), Some(effects), through_post(reached(who)), elapsed)
        }
        Fault::Slow => (None, None, reached(Who::Post), SLOW),
        Fault::CancelBefore => (Some("ABORTED_BEFORE_DISPATCH"), Some(Effects::None), vec![Stage::Admit], 0),
        Fault::CancelDuring => match who {
            // Whatever was decided before: the question is not asked any more.
            Who::Pre(_) | Who::Guard => (Some(aborted), Some(settled), through_post(reached(Who::Approver)), 0),
            Who::Finalizer | Who::Observer => success,
            _ => (Some(aborted), Some(settled), through_post(reached(who)), 0),
        },
        Fault::DropCaller => {
            let effects = if who == Who::Body { Effects::Unknown } else { settled };
            (Some(aborted), Some(effects), reached(who), DROP_AT)
        }
        Fault::RegistrySwap if started => success,
        Fault::RegistrySwap => (Some("TOOL_CHANGED"), Some(Effects::None), reached(Who::Post), 0),
    };
    let bodies = usize::from(code.is_none() || started) * usize::from(fault != Fault::CancelBefore);
    stages.extend([Stage::Finalize, Stage::Result]);
    Cell { code, effects, stages, bodies, finalizers: 1, observers: 2, elapsed }
}

/// A registry with every kind of participant, one of which has a fault.
struct Scene {
    registry: ToolRegistry,
    caller: CancellationToken,
    trace: Trace,
    seen: Seen,
}

/// The call that meets the fault: by its id, and by its place among those that are finalized.
const FAULTY: &str = "c3";
const PLACE: usize = 3;

impl Scene {
    /// In a batch only the call [`FAULTY`] meets the fault.
    fn new(who: Who, fault: Fault, batch: bool) -> Self {
        let caller = CancellationToken::new();
        if fault == Fault::CancelBefore {
            caller.cancel();
        }
        let registry = ToolRegistry::builder().grace(ms(GRACE)).build().expect("good limits");
        let swap = {
            let registry = registry.clone();
            Act::run(move || swap_tool(&registry))
        };
        let act = |w: Who| {
            let act = match fault {
                _ if w != who => Act::GoOn,
                Fault::Error => Act::Fail,
                Fault::Panic => Act::Panic,
                Fault::Hang | Fault::DropCaller => Act::Hang,
                Fault::Slow => Act::Slow(SLOW),
                Fault::CancelBefore => Act::GoOn,
                Fault::CancelDuring => Act::Cancel(caller.clone()),
                Fault::RegistrySwap => swap.clone(),
            };
            if batch && w != Who::Finalizer { Act::Only(FAULTY, Box::new(act)) } else { act }
        };
        let trace = Trace::default();
        let finalizer = if batch { at_place(act(Who::Finalizer)) } else { act(Who::Finalizer) };
        let definition = with_finalizer(body_tool(act(Who::Body), trace.clone()), finalizer, trace.clone());
        let tool = registry.register(definition.concurrency_safe(|_| true)).expect("a good tool");
        TOOL.with(|t| *t.borrow_mut() = Some(tool));
        for (i, name) in ["p0", "p1", "p2"].into_iter().enumerate() {
            let decision = (i == 2).then(|| PreDecision::ask("why not"));
            registry.pre_policy(Pre(name, act(Who::Pre(i)), decision, trace.clone())).expect("a good policy");
        }
        registry.approver(Asked(act(Who::Approver), ApprovalOutcome::AllowedOnce, trace.clone())).expect("the first");
        let guard_act = act(Who::Guard);
        let guard = guard_fn("g", move |cx| {
            guard_act.now(cx.call_id());
            GuardVerdict::Abstain
        });
        registry.guard(guard).expect("a good guard");
        for (i, name) in ["w0", "w1"].into_iter().enumerate() {
            registry.wrapper(Wrap(name, act(Who::Wrapper(i)), trace.clone())).expect("a good wrapper");
        }
        registry.post_policy(Post("q", act(Who::Post), None, trace.clone())).expect("a good policy");
        let (last_act, told) = (act(Who::Observer), trace.clone());
        let observer = observer_fn("o", move |cx, _| {
            told.add("observer");
            last_act.now(cx.call_id());
        });
        registry.observer(observer).expect("a good observer");
        let seen = Seen::default();
        seen.watch(&registry);
        registry.scope("agent");
        Self { registry, caller, trace, seen }
    }

    fn call(&self, id: &str) -> ToolCall {
        let call = ToolCall::new(id, "t").with_agent("agent");
        if id == FAULTY { call.with_cancellation(self.caller.clone()) } else { call }
    }

    /// Drives `calls`, with what comes from outside.
    async fn drive(&self, fault: Fault, calls: impl Future<Output = ()>) {
        tokio::pin!(calls);
        match fault {
            Fault::DropCaller => {
                let _ = tokio::time::timeout(ms(DROP_AT), calls).await;
            }
            Fault::Hang => {
                tokio::select! {
                    biased;
                    () = &mut calls => return,
                    () = tokio::time::sleep(ms(CANCEL_AT)) => self.caller.cancel(),
                }
                calls.await;
            }
            _ => calls.await,
        }
    }
}

/// A finalizer is not told which call it is for: it acts the one time that is the faulty call's.
fn at_place(act: Act) -> Act {
    let mut before = 0;
    Act::run(move || {
        before += 1;
        if before == PLACE + 1 {
            act.now("");
        }
    })
}

fn known_code(result: &ToolResult) -> Option<&'static str> {
    CODES.iter().copied().find(|c| result.code().is_some_and(|code| code == c))
}

fn run(who: Who, fault: Fault) -> Cell {
    let scene = Scene::new(who, fault, false);
    let ((), elapsed) = paused(scene.drive(fault, async {
        scene.registry.execute(scene.call(FAULTY)).await;
    }));
    let (result, stages) = scene.seen.all().pop().expect("every call is observed");
    Cell {
        code: known_code(&result),
        effects: result.error().map(|e| e.effects),
        stages,
        bodies: scene.trace.count("body"),
        finalizers: scene.trace.count("finalizer"),
        observers: scene.trace.count("observer") + scene.seen.all().len(),
        elapsed,
    }
}

/// The same fault in one of eight calls: that call ends as it does alone, and the others as they would without it.
fn run_in_batch(who: Who, fault: Fault) -> Result<(), String> {
    let scene = Scene::new(who, fault, true);
    let calls: Vec<_> = (0..8).map(|i| scene.call(&format!("c{i}"))).collect();
    paused(scene.drive(fault, async {
        scene.registry.execute_batch(calls, BatchOptions::new()).await;
    }));
    let alone = expected(who, fault);
    let all = scene.seen.all();
    let check = |fits: bool, what: String| if fits { Ok(()) } else { Err(format!("{who:?} × {fault:?}: {what}")) };
    check(all.len() == 8, format!("{} results", all.len()))?;
    // The definition that is swapped in has no finalizer.
    let finalized = scene.trace.count("finalizer");
    check(finalized == 8 || fault == Fault::RegistrySwap, format!("{finalized} finalized"))?;
    let (faulty, stages) = &all[PLACE];
    let (code, effects) = (known_code(faulty), faulty.error().map(|e| e.effects));
    check(code == alone.code && effects == alone.effects, format!("{code:?} with {effects:?}"))?;
    check(*stages == alone.stages, format!("stages {stages:?}, alone {:?}", alone.stages))?;
    for (at, (other, _)) in all.iter().enumerate().filter(|(at, _)| *at != PLACE) {
        let code = other.code().map(toolgate::ErrorCode::as_str);
        let fits = match fault {
            // All are dropped together: those before may have ended, those after may have been on their way.
            Fault::DropCaller if at > PLACE => matches!(code, Some("ABORTED" | "ABORTED_BEFORE_DISPATCH")),
            // Those behind are called by the same name, and find the other definition; those dispatched together with
            // the swapping one found the first.
            Fault::RegistrySwap => code.is_none() || code == Some("TOOL_CHANGED"),
            _ => code.is_none(),
        };
        check(fits, format!("call {at} ended as {code:?}"))?;
    }
    Ok(())
}

thread_local! {
    static TOOL: std::cell::RefCell<Option<toolgate::Registration>> = const { std::cell::RefCell::new(None) };
}

/// Another definition under the same name.
fn swap_tool(registry: &ToolRegistry) {
    let old = TOOL.with(|t| t.borrow_mut().take());
    if let Some(old) = old {
        assert!(old.remove());
        let other = tool("t").output(OutputSpec::any()).body(|_| async { Ok(json!("another")) });
        registry.register(other).expect("the name is free");
    }
}

const CODES: [&str; 11] = [
    "POLICY_FAILED",
    "APPROVAL_UNAVAILABLE",
    "GUARD_FAILED",
    "WRAPPER_FAILED",
    "TOOL_FAILED",
    "TOOL_PANICKED",
    "FINALIZER_FAILED",
    "ABORTED",
    "ABORTED_BEFORE_DISPATCH",
    "TOOL_CHANGED",
    "UNKNOWN_TOOL",
];

#[test]
fn every_participant_with_every_fault_in_a_batch_of_eight() {
    let cells = WHO.into_iter().flat_map(|who| FAULTS.map(|fault| (who, fault)));
    let possible = cells.filter(|(who, fault)| !impossible(*who, *fault));
    let wrong: Vec<_> = possible.filter_map(|(who, fault)| run_in_batch(who, fault).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_participant_with_every_fault() {
    let (mut wrong, mut cells, mut skipped) = (Vec::new(), 0, 0);
    for who in WHO {
        for fault in FAULTS {
            if impossible(who, fault) {
                skipped += 1;
                continue;
            }
            cells += 1;
            let (got, want) = (run(who, fault), expected(who, fault));
            if got != want {
                wrong.push(format!("{who:?} × {fault:?}\n  expected {want:?}\n  got      {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cells} cells:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((cells, skipped), (76, 12));
}
