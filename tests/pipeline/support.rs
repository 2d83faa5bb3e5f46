//! Participants that do what a test tells them, and a record of what happened.

use std::{
    future::Future,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate::{
    ApprovalOutcome, ApprovalRequest, Approver, ContentBlock, DispatchExecution, DispatchOutcome, ExecuteNext,
    ExecuteWrapper, OutputSpec, PolicyError, PostDecision, PostNext, PostPolicy, PreDecision, PreNext, PrePolicy,
    Stage, ToolContext, ToolDefinition, ToolError, ToolExecution, ToolRegistry, ToolResult, observer_fn, tool,
};

/// What a participant does when it is entered, before it goes on as usual.
#[derive(Clone, Default)]
pub(crate) enum Act {
    #[default]
    GoOn,
    Fail,
    Panic,
    /// For ever, deaf to its signal.
    Hang,
    Slow(u64),
    Cancel(CancellationToken),
    /// Only in the call of this id; in others it goes on.
    Only(&'static str, Box<Act>),
    /// Runs foreign code, such as a change of the registry.
    Do(Arc<Mutex<Box<dyn FnMut() + Send>>>),
}

impl Act {
    pub(crate) fn run(f: impl FnMut() + Send + 'static) -> Self {
        Self::Do(Arc::new(Mutex::new(Box::new(f))))
    }

    /// The part of it that a synchronous participant can do, in the call `id`.
    pub(crate) fn now(&self, id: &str) {
        match self {
            Self::Only(only, act) if *only == id => act.now(id),
            Self::Panic => panic!("scripted panic"),
            Self::Cancel(token) => token.cancel(),
            Self::Do(f) => (f.lock().unwrap_or_else(PoisonError::into_inner))(),
            Self::GoOn | Self::Fail | Self::Hang | Self::Slow(_) | Self::Only(..) => {}
        }
    }

    pub(crate) async fn take(&self, id: &str) -> Result<(), String> {
        let act = match self {
            Self::Only(only, act) if *only == id => act,
            other => other,
        };
        match act {
            Self::Fail => return Err("scripted error".to_owned()),
            Self::Hang => std::future::pending().await,
            Self::Slow(ms) => tokio::time::sleep(Duration::from_millis(*ms)).await,
            other => other.now(id),
        }
        Ok(())
    }
}

impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Act")
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Trace")
    }
}

/// Who was entered, in order.
#[derive(Clone, Default)]
pub(crate) struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    pub(crate) fn add(&self, what: impl Into<String>) {
        self.0.lock().expect("no test panics in there").push(what.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("no test panics in there").clone()
    }

    pub(crate) fn count(&self, what: &str) -> usize {
        self.all().iter().filter(|w| *w == what).count()
    }
}

#[derive(Debug)]
pub(crate) struct Pre(pub(crate) &'static str, pub(crate) Act, pub(crate) Option<PreDecision>, pub(crate) Trace);

#[async_trait]
impl PrePolicy for Pre {
    fn name(&self) -> &str {
        self.0
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        self.3.add(self.0);
        self.1.take(cx.call_id()).await.map_err(PolicyError::new)?;
        match &self.2 {
            Some(decision) => Ok(decision.clone()),
            None => next.run().await,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Asked(pub(crate) Act, pub(crate) ApprovalOutcome, pub(crate) Trace);

#[async_trait]
impl Approver for Asked {
    fn name(&self) -> &str {
        "approver"
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        self.2.add("approver");
        self.0.take(&request.call_id).await.map_err(PolicyError::new)?;
        Ok(self.1)
    }
}

#[derive(Debug)]
pub(crate) struct Wrap(pub(crate) &'static str, pub(crate) Act, pub(crate) Trace);

#[async_trait]
impl ExecuteWrapper for Wrap {
    fn name(&self) -> &str {
        self.0
    }

    async fn wrap(&self, cx: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        self.2.add(self.0);
        self.1.take(cx.call_id()).await.map_err(PolicyError::new)?;
        next.run().await
    }
}

#[derive(Debug)]
pub(crate) struct Post(pub(crate) &'static str, pub(crate) Act, pub(crate) Option<PostDecision>, pub(crate) Trace);

#[async_trait]
impl PostPolicy for Post {
    fn name(&self) -> &str {
        self.0
    }

    async fn review(
        &self,
        cx: &ToolExecution,
        _: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        self.3.add(self.0);
        self.1.take(cx.call_id()).await.map_err(PolicyError::new)?;
        match &self.2 {
            Some(decision) => Ok(decision.clone()),
            None => next.run().await,
        }
    }
}

/// A tool `t` that does `act` and answers "v".
pub(crate) fn body_tool(act: Act, trace: Trace) -> ToolDefinition {
    tool("t").output(OutputSpec::text()).body(move |cx: ToolContext| {
        let (act, trace) = (act.clone(), trace.clone());
        async move {
            trace.add("body");
            act.take(cx.call_id()).await.map_err(ToolError::failed)?;
            Ok(json!("v"))
        }
    })
}

/// The finalizer adds one block; `act` is what it does before.
pub(crate) fn with_finalizer(definition: ToolDefinition, act: Act, trace: Trace) -> ToolDefinition {
    definition.finalize_content(move |result| {
        trace.add("finalizer");
        act.now("");
        let mut content = result.content().to_vec();
        content.push(ContentBlock::text("!"));
        Some(content)
    })
}

/// What the observers saw: results and the stages entered by then.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<Sight>>>);

/// A result, and the stages that the call had entered by then.
pub(crate) type Sight = (Arc<ToolResult>, Vec<Stage>);

impl Seen {
    pub(crate) fn watch(&self, registry: &ToolRegistry) {
        let seen = self.clone();
        let watch = observer_fn("seen", move |cx, result| {
            seen.0.lock().expect("no test panics in there").push((result.clone(), cx.stages().iter().collect()));
        });
        registry.observer(watch).expect("a good observer");
    }

    pub(crate) fn all(&self) -> Vec<Sight> {
        self.0.lock().expect("no test panics in there").clone()
    }

    pub(crate) fn only(&self) -> Arc<ToolResult> {
        let all = self.all();
        assert_eq!(all.len(), 1, "each call is observed exactly once");
        all[0].0.clone()
    }
}

/// Runs `future` on a paused clock, with panics kept quiet; gives the virtual milliseconds it took.
pub(crate) fn paused<F: Future>(future: F) -> (F::Output, u64) {
    quiet();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let start = tokio::time::Instant::now();
        let out = future.await;
        (out, u64::try_from(start.elapsed().as_millis()).expect("short"))
    })
}

/// Scripted panics are part of these tests; what they print is not.
pub(crate) fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
            if !text.unwrap_or_default().starts_with("scripted") {
                usual(info);
            }
        }));
    });
}

/// A counter that closures share.
#[derive(Clone, Default, Debug)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(crate) fn up(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A tool called `name` that counts its runs and answers with its arguments.
pub(crate) fn counting(name: &str, runs: &Count) -> ToolDefinition {
    let runs = runs.clone();
    tool(name).output(OutputSpec::any()).body(move |cx: ToolContext| {
        runs.up();
        let arguments: Value = cx.arguments().clone();
        async move { Ok(arguments) }
    })
}

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}
