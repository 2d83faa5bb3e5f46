//! The invariants of the pipeline, over random chains of participants that allow, deny, ask, fail, panic, hang, cancel
//! and are dropped.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate::{
    ApprovalOutcome, ApprovalRequest, Approver, ContentBlock, DispatchExecution, DispatchOutcome, Effects, ExecuteNext,
    ExecuteWrapper, GuardVerdict, OutputSpec, PolicyError, PostDecision, PostNext, PostPolicy, PreDecision, PreNext,
    PrePolicy, ToolCall, ToolContext, ToolError, ToolExecution, ToolRegistry, ToolResult, guard_fn, observer_fn, tool,
};

use crate::support::{ms, paused};

const GRACE: u64 = 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Do {
    Next,
    Allow,
    Deny,
    Ask,
    Fail,
    Panic,
    Hang,
    Slow,
    Cancel,
    /// Awaits what is further in, and answers yes whatever came back.
    Override,
    Value,
    Retry,
    Detach,
    Deadline,
}

#[derive(Clone, Debug)]
struct Plan {
    pre: Vec<Do>,
    approver: Option<Do>,
    guards: Vec<Do>,
    wrappers: Vec<Do>,
    body: Do,
    post: Vec<Do>,
    finalizer: bool,
    observer_panics: bool,
    cancel_at: Option<u64>,
    drop_at: Option<u64>,
}

fn plan() -> impl Strategy<Value = Plan> {
    use Do::{Allow, Ask, Cancel, Deadline, Deny, Detach, Fail, Hang, Next, Override, Panic, Retry, Slow, Value};
    let pick = |of: &'static [Do]| prop::sample::select(of);
    let pre = pick(&[Next, Next, Next, Next, Allow, Allow, Deny, Ask, Ask, Fail, Panic, Hang, Slow, Cancel, Override]);
    let approver = pick(&[Allow, Allow, Allow, Deny, Fail, Panic, Hang, Slow, Cancel]);
    let guard = pick(&[Next, Next, Next, Next, Next, Next, Deny, Panic, Cancel]);
    let wrapper =
        pick(&[Next, Next, Next, Value, Override, Fail, Panic, Hang, Slow, Cancel, Retry, Retry, Detach, Deadline]);
    let body = pick(&[Next, Next, Next, Fail, Fail, Panic, Hang, Slow, Cancel]);
    let post = pick(&[Next, Next, Allow, Deny, Fail, Panic, Hang, Slow, Cancel, Value, Override]);
    let times = prop::option::weighted(0.4, prop::sample::select(&[0_u64, 3, 8, 15, 40, 90][..]));
    let drops = prop::option::weighted(0.25, prop::sample::select(&[2_u64, 7, 12, 35, 60][..]));
    (
        prop::collection::vec(pre, 0..4),
        prop::option::weighted(0.8, approver),
        prop::collection::vec(guard, 0..3),
        prop::collection::vec(wrapper, 0..4),
        body,
        prop::collection::vec(post, 0..3),
        (any::<bool>(), any::<bool>()),
        times,
        drops,
    )
        .prop_map(
            |(pre, approver, guards, wrappers, body, post, (finalizer, observer_panics), cancel_at, drop_at)| Plan {
                pre,
                approver,
                guards,
                wrappers,
                body,
                post,
                finalizer,
                observer_panics,
                // What hangs needs somebody who ends it.
                cancel_at: cancel_at.or(Some(150)),
                drop_at,
            },
        )
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Pre,
    Asked,
    Guard { denied: bool },
    Wrapper(usize),
    Body,
    Post,
    Finalizer,
    Observer,
}

/// What all participants of one run share.
#[derive(Clone, Debug, Default)]
struct World {
    events: Arc<Mutex<Vec<Event>>>,
    arguments: Arc<Mutex<Vec<usize>>>,
    caller: CancellationToken,
}

impl World {
    fn saw(&self, event: Event, arguments: &Value) {
        self.events.lock().expect("sound").push(event);
        self.arguments.lock().expect("sound").push(std::ptr::from_ref(arguments).addr());
    }

    async fn act(&self, what: Do) -> Result<(), PolicyError> {
        match what {
            Do::Fail => return Err(PolicyError::new("scripted")),
            Do::Panic => panic!("scripted"),
            Do::Hang => std::future::pending().await,
            Do::Slow => tokio::time::sleep(ms(10)).await,
            Do::Cancel => self.caller.cancel(),
            _ => {}
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Actor(String, usize, Do, World);

#[async_trait]
impl PrePolicy for Actor {
    fn name(&self) -> &str {
        &self.0
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        self.3.saw(Event::Pre, cx.arguments());
        self.3.act(self.2).await?;
        match self.2 {
            Do::Allow => Ok(PreDecision::Allow),
            Do::Deny => Ok(PreDecision::deny("no")),
            Do::Ask => Ok(PreDecision::ask("?")),
            Do::Override => {
                let _ = next.run().await;
                Ok(PreDecision::Allow)
            }
            _ => next.run().await,
        }
    }
}

#[async_trait]
impl Approver for Actor {
    fn name(&self) -> &str {
        &self.0
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        self.3.saw(Event::Asked, request.arguments());
        self.3.act(self.2).await?;
        Ok(if self.2 == Do::Deny { ApprovalOutcome::Rejected } else { ApprovalOutcome::AllowedOnce })
    }
}

#[async_trait]
impl ExecuteWrapper for Actor {
    fn name(&self) -> &str {
        &self.0
    }

    async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        self.3.saw(Event::Wrapper(self.1), cx.arguments());
        self.3.act(self.2).await?;
        match self.2 {
            Do::Value => Ok(DispatchOutcome::value(json!("w"))),
            Do::Override => {
                let _ = next.run().await;
                Ok(DispatchOutcome::value(json!("w")))
            }
            Do::Retry => {
                let first = next.run().await?;
                if first.is_success() { Ok(first) } else { next.run().await }
            }
            Do::Detach => next.run_with(CancellationToken::new()).await,
            Do::Deadline => next.run_with(cx.signal().with_timeout(ms(5))).await,
            _ => next.run().await,
        }
    }
}

#[async_trait]
impl PostPolicy for Actor {
    fn name(&self) -> &str {
        &self.0
    }

    async fn review(
        &self,
        cx: &ToolExecution,
        _: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        self.3.saw(Event::Post, cx.arguments());
        self.3.act(self.2).await?;
        match self.2 {
            Do::Allow => Ok(PostDecision::accept()),
            Do::Deny => Ok(PostDecision::block("blocked")),
            Do::Value => Ok(PostDecision::value(json!("p"))),
            Do::Override => {
                let _ = next.run().await;
                Ok(PostDecision::content(vec![ContentBlock::text("other")]))
            }
            _ => next.run().await,
        }
    }
}

struct Outcome {
    events: Vec<Event>,
    arguments: Vec<usize>,
    /// What the two observers got.
    observed: Vec<Arc<ToolResult>>,
    returned: Option<Arc<ToolResult>>,
    elapsed: u64,
    cancelled: bool,
}

impl Outcome {
    fn count(&self, event: &Event) -> usize {
        self.events.iter().filter(|e| *e == event).count()
    }

    fn code(&self) -> Option<&str> {
        self.observed.first().and_then(|r| r.code()).map(toolgate::ErrorCode::as_str)
    }

    fn told(&self) -> Option<String> {
        self.observed.first().map(|r| serde_json::to_string(&**r).expect("a result is JSON"))
    }
}

fn build(plan: &Plan, world: &World, observed: &Arc<Mutex<Vec<Arc<ToolResult>>>>) -> ToolRegistry {
    let registry = ToolRegistry::builder().grace(ms(GRACE)).build().expect("good");
    let (what, w) = (plan.body, world.clone());
    let mut definition = tool("t").output(OutputSpec::text()).body(move |cx: ToolContext| {
        let w = w.clone();
        async move {
            w.saw(Event::Body, cx.arguments());
            w.act(what).await.map_err(|_| ToolError::failed("bad"))?;
            Ok(json!("v"))
        }
    });
    if plan.finalizer {
        let w = world.clone();
        definition = definition.finalize_content(move |_| {
            w.events.lock().expect("sound").push(Event::Finalizer);
            None
        });
    }
    registry.register(definition).expect("good");
    for (i, what) in plan.pre.iter().enumerate() {
        registry.pre_policy(Actor(format!("p{i}"), i, *what, world.clone())).expect("good");
    }
    if let Some(what) = plan.approver {
        registry.approver(Actor("a".into(), 0, what, world.clone())).expect("good");
    }
    for (i, what) in plan.guards.iter().enumerate() {
        let (what, w) = (*what, world.clone());
        let guard = guard_fn(format!("g{i}"), move |cx| {
            w.saw(Event::Guard { denied: what == Do::Deny }, cx.arguments());
            match what {
                Do::Deny => return GuardVerdict::deny("no"),
                Do::Panic => panic!("scripted"),
                Do::Cancel => w.caller.cancel(),
                _ => {}
            }
            GuardVerdict::Abstain
        });
        registry.guard(guard).expect("good");
    }
    for (i, what) in plan.wrappers.iter().enumerate() {
        registry.wrapper(Actor(format!("w{i}"), i, *what, world.clone())).expect("good");
    }
    for (i, what) in plan.post.iter().enumerate() {
        registry.post_policy(Actor(format!("q{i}"), i, *what, world.clone())).expect("good");
    }
    for i in 0..2 {
        let (w, results, panics) = (world.clone(), observed.clone(), plan.observer_panics && i == 0);
        let watch = observer_fn(format!("o{i}"), move |cx, result: &Arc<ToolResult>| {
            w.saw(Event::Observer, cx.arguments());
            results.lock().expect("sound").push(result.clone());
            assert!(!panics, "scripted");
        });
        registry.observer(watch).expect("good");
    }
    registry.scope("agent");
    registry
}

fn run(plan: &Plan) -> Outcome {
    let world = World::default();
    let observed = Arc::new(Mutex::new(Vec::new()));
    let registry = build(plan, &world, &observed);
    let call = ToolCall::new("c", "t")
        .with_arguments(json!({"x": [1, 2]}))
        .with_agent("agent")
        .with_cancellation(world.caller.clone());
    let (returned, elapsed) = paused(async {
        if plan.cancel_at == Some(0) {
            world.caller.cancel();
        }
        let never = std::future::pending::<()>;
        let timer = async {
            match plan.cancel_at {
                Some(at) => {
                    tokio::time::sleep(ms(at)).await;
                    world.caller.cancel();
                    never().await;
                }
                None => never().await,
            }
        };
        let end = async {
            match plan.drop_at {
                Some(at) => tokio::time::sleep(ms(at)).await,
                None => never().await,
            }
        };
        tokio::select! {
            biased;
            result = registry.execute(call) => Some(result),
            () = timer => None,
            () = end => None,
        }
    });
    let events = world.events.lock().expect("sound").clone();
    let arguments = world.arguments.lock().expect("sound").clone();
    let observed = observed.lock().expect("sound").clone();
    Outcome { events, arguments, observed, returned, elapsed, cancelled: world.caller.is_cancelled() }
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Exactly one result, the same for everybody, also when the call is dropped.
    #[test]
    fn i1_exactly_one_result(plan in plan()) {
        let out = run(&plan);
        prop_assert_eq!(out.observed.len(), 2);
        prop_assert!(Arc::ptr_eq(&out.observed[0], &out.observed[1]));
        if let Some(result) = &out.returned {
            prop_assert!(Arc::ptr_eq(result, &out.observed[0]));
        } else {
            let failure = out.observed[0].error().expect("a dropped call is no success");
            prop_assert!(failure.code == "ABORTED" || failure.code == "ABORTED_BEFORE_DISPATCH");
            prop_assert_eq!(failure.effects == Effects::None, failure.code == "ABORTED_BEFORE_DISPATCH");
        }
    }

    /// Where a guard denies, no body ever runs.
    #[test]
    fn i2_a_guards_denial_is_final(mut plan in plan(), at in 0_usize..3) {
        plan.guards.insert(at.min(plan.guards.len()), Do::Deny);
        let out = run(&plan);
        prop_assert_eq!(out.count(&Event::Body), 0);
        prop_assert!(out.observed[0].error().is_some_and(|e| e.effects == Effects::None));
    }

    /// Before each run of the body all guards have abstained, and after a refusal there is none.
    #[test]
    fn i3_no_body_after_a_denial_nor_before_all_guards(plan in plan()) {
        let out = run(&plan);
        let mut abstained = 0;
        for event in &out.events {
            match event {
                Event::Guard { denied: false } => abstained += 1,
                Event::Guard { denied: true } => abstained = 0,
                Event::Body => {
                    prop_assert!(abstained >= plan.guards.len(), "{:?}", out.events);
                    abstained = 0;
                }
                _ => {}
            }
        }
        let refused = ["DENIED", "APPROVAL_REJECTED", "APPROVAL_UNAVAILABLE", "GUARD_DENIED", "ABORTED_BEFORE_DISPATCH"];
        if out.code().is_some_and(|code| refused.contains(&code)) {
            prop_assert_eq!(out.count(&Event::Body), 0);
        }
    }

    /// Everybody sees the same arguments: the same allocation.
    #[test]
    fn i4_the_same_arguments_for_everybody(plan in plan()) {
        let out = run(&plan);
        prop_assert!(out.arguments.windows(2).all(|pair| pair[0] == pair[1]));
        prop_assert!(!out.arguments.is_empty());
    }

    /// The finalizer once, each observer once, and in this order at the very end.
    #[test]
    fn i5_finalizer_and_observers_once(plan in plan()) {
        let out = run(&plan);
        prop_assert_eq!(out.count(&Event::Finalizer), usize::from(plan.finalizer));
        prop_assert_eq!(out.count(&Event::Observer), 2);
        let end = out.events.len() - 2 - usize::from(plan.finalizer);
        prop_assert!(out.events[..end].iter().all(|e| !matches!(e, Event::Finalizer | Event::Observer)));
    }

    /// Whatever the wrappers do to the signal, the caller's cancellation ends a body that hangs.
    #[test]
    fn i6_no_wrapper_detaches_the_caller(mut plan in plan(), at in 1_u64..50) {
        plan.pre.retain(|p| matches!(p, Do::Next | Do::Allow));
        plan.guards.retain(|g| *g == Do::Next);
        plan.wrappers.retain(|w| matches!(w, Do::Next | Do::Detach | Do::Retry));
        plan.wrappers.push(Do::Detach);
        plan.post.clear();
        (plan.body, plan.cancel_at, plan.drop_at) = (Do::Hang, Some(at), None);
        let out = run(&plan);
        prop_assert_eq!(out.elapsed, at + GRACE);
        prop_assert_eq!(out.code(), Some("ABORTED"));
    }

    /// One guard more never lets a body run that did not run without it.
    #[test]
    fn i7_a_guard_more_never_allows_more(plan in plan(), extra in prop::sample::select(&[Do::Next, Do::Deny, Do::Panic][..])) {
        let without = run(&plan).count(&Event::Body);
        let mut more = plan;
        more.guards.push(extra);
        let with = run(&more).count(&Event::Body);
        prop_assert!(with <= without, "{with} bodies instead of {without}");
    }

    /// What observers do changes no result.
    #[test]
    fn i8_results_do_not_depend_on_observers(mut plan in plan()) {
        plan.observer_panics = false;
        let quiet = run(&plan);
        plan.observer_panics = true;
        let loud = run(&plan);
        prop_assert_eq!(quiet.told(), loud.told());
        prop_assert_eq!(quiet.elapsed, loud.elapsed);
    }

    /// A cancelled call ends within one grace period, whatever its participants do.
    #[test]
    fn i9_a_cancelled_call_ends_within_grace(mut plan in plan(), at in 0_u64..100) {
        (plan.cancel_at, plan.drop_at) = (Some(at), None);
        let out = run(&plan);
        prop_assert!(out.returned.is_some());
        prop_assert!(out.elapsed <= at + GRACE, "{} ms", out.elapsed);
        prop_assert!(out.cancelled || out.elapsed <= at);
    }

    /// A further run goes through every wrapper below the one that retries.
    #[test]
    fn i10_a_retry_runs_the_whole_inner_chain(inner in prop::collection::vec(Just(Do::Next), 0..4), fails in any::<bool>()) {
        let mut wrappers = vec![Do::Retry];
        wrappers.extend(inner);
        let body = if fails { Do::Fail } else { Do::Next };
        let plan = Plan {
            pre: vec![], approver: None, guards: vec![Do::Next], wrappers: wrappers.clone(), body, post: vec![],
            finalizer: false, observer_panics: false, cancel_at: None, drop_at: None,
        };
        let out = run(&plan);
        let runs = if fails { 2 } else { 1 };
        for i in 1..wrappers.len() {
            prop_assert_eq!(out.count(&Event::Wrapper(i)), runs);
        }
        prop_assert_eq!(out.count(&Event::Body), runs);
        prop_assert_eq!(out.count(&Event::Guard { denied: false }), runs);
    }
}
