//! Every participant with every fault: which code, which stages, how often finalizer and observers run.

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate::{
    ApprovalOutcome, Effects, GuardVerdict, OutputSpec, PreDecision, Stage, ToolCall, ToolRegistry, guard_fn,
    observer_fn, tool,
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

/// How far a participant's stage is down the path; guards are first consulted before the approver is asked.
fn reached(who: Who) -> Vec<Stage> {
    use Stage::{Admit, Approval, Execute, Guard, PostExecute, PreExecute};
    match who {
        Who::Pre(_) => vec![Admit, PreExecute],
        Who::Guard => vec![Admit, PreExecute, Guard],
        Who::Approver => vec![Admit, PreExecute, Approval, Guard],
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

fn run(who: Who, fault: Fault) -> Cell {
    let caller = CancellationToken::new();
    if fault == Fault::CancelBefore {
        caller.cancel();
    }
    let registry = ToolRegistry::builder().grace(ms(GRACE)).build().expect("good limits");
    let swap = {
        let registry = registry.clone();
        Act::run(move || swap_tool(&registry))
    };
    let act = |w: Who| match fault {
        _ if w != who => Act::GoOn,
        Fault::Error => Act::Fail,
        Fault::Panic => Act::Panic,
        Fault::Hang | Fault::DropCaller => Act::Hang,
        Fault::Slow => Act::Slow(SLOW),
        Fault::CancelBefore => Act::GoOn,
        Fault::CancelDuring => Act::Cancel(caller.clone()),
        Fault::RegistrySwap => swap.clone(),
    };
    let trace = Trace::default();
    let definition = with_finalizer(body_tool(act(Who::Body), trace.clone()), act(Who::Finalizer), trace.clone());
    let tool = registry.register(definition).expect("a good tool");
    TOOL.with(|t| *t.borrow_mut() = Some(tool));
    for (i, name) in ["p0", "p1", "p2"].into_iter().enumerate() {
        let decision = (i == 2).then(|| PreDecision::ask("why not"));
        registry.pre_policy(Pre(name, act(Who::Pre(i)), decision, trace.clone())).expect("a good policy");
    }
    registry.approver(Asked(act(Who::Approver), ApprovalOutcome::AllowedOnce, trace.clone())).expect("the first");
    let guard_act = act(Who::Guard);
    let guard = guard_fn("g", move |_| {
        guard_act.now();
        GuardVerdict::Abstain
    });
    registry.guard(guard).expect("a good guard");
    for (i, name) in ["w0", "w1"].into_iter().enumerate() {
        registry.wrapper(Wrap(name, act(Who::Wrapper(i)), trace.clone())).expect("a good wrapper");
    }
    registry.post_policy(Post("q", act(Who::Post), None, trace.clone())).expect("a good policy");
    let (last_act, told) = (act(Who::Observer), trace.clone());
    let observer = observer_fn("o", move |_, _| {
        told.add("observer");
        last_act.now();
    });
    registry.observer(observer).expect("a good observer");
    let seen = Seen::default();
    seen.watch(&registry);
    registry.scope("agent");

    let call = ToolCall::new("c", "t").with_agent("agent").with_cancellation(caller.clone());
    let ((), elapsed) = paused(async {
        let call = registry.execute(call);
        tokio::pin!(call);
        match fault {
            Fault::DropCaller => {
                let _ = tokio::time::timeout(ms(DROP_AT), call).await;
            }
            Fault::Hang => {
                tokio::select! {
                    biased;
                    _ = &mut call => return,
                    () = tokio::time::sleep(ms(CANCEL_AT)) => caller.cancel(),
                }
                call.await;
            }
            _ => {
                call.await;
            }
        }
    });
    let (result, stages) = seen.all().pop().expect("every call is observed");
    Cell {
        code: CODES.iter().copied().find(|c| result.code().is_some_and(|code| code == c)),
        effects: result.error().map(|e| e.effects),
        stages,
        bodies: trace.count("body"),
        finalizers: trace.count("finalizer"),
        observers: trace.count("observer") + seen.all().len(),
        elapsed,
    }
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
