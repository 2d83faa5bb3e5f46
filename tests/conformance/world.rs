//! What the participants of one running scenario share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio_util::sync::CancellationToken;
use toolgate::{RegisterError, Registration, ToolExecution, ToolRegistry, ToolResult};

use crate::{
    part::Part,
    place::Place,
    scenario::{GuardSpec, Only, ScopeSpec},
    trace::Trace,
};

#[derive(Debug)]
pub(crate) struct World {
    /// Taken out at the end: the registry holds participants that hold this.
    registry: Mutex<Option<ToolRegistry>>,
    pub(crate) trace: Trace,
    scopes: Vec<ScopeSpec>,
    tools: Mutex<HashMap<(Option<String>, String), Registration>>,
    observed: Mutex<Vec<Observed>>,
    register_errors: Mutex<Vec<String>>,
}

/// One result, as an observer got it.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub(crate) top_level: bool,
    pub(crate) result: Arc<ToolResult>,
}

/// The token of a call, for participants that cancel it.
#[derive(Clone, Debug)]
pub(crate) struct OwnToken(pub(crate) CancellationToken);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    pub(crate) fn new(registry: ToolRegistry, scopes: Vec<ScopeSpec>) -> Self {
        Self {
            registry: Mutex::new(Some(registry)),
            trace: Trace::default(),
            scopes,
            tools: Mutex::default(),
            observed: Mutex::default(),
            register_errors: Mutex::default(),
        }
    }

    pub(crate) fn close(&self) {
        locked(&self.registry).take();
    }

    /// Where `scope` registers; `None` when the scenario is over.
    pub(crate) fn place(&self, scope: Option<&str>) -> Option<Place> {
        let registry = locked(&self.registry).clone()?;
        Some(Place::of(&registry, scope))
    }

    /// Notes what could not be registered.
    pub(crate) fn note<T>(&self, registered: Result<T, RegisterError>) -> Option<T> {
        match registered {
            Ok(registration) => Some(registration),
            Err(error) => {
                locked(&self.register_errors).push(error.to_string());
                None
            }
        }
    }

    pub(crate) fn register_errors(&self) -> Vec<String> {
        locked(&self.register_errors).clone()
    }

    pub(crate) fn add_guard(self: &Arc<Self>, spec: &GuardSpec) {
        if let Some(place) = self.place(spec.scope.as_deref()) {
            self.note(place.guard(Part::new(spec, self)));
        }
    }

    pub(crate) fn keep_tool(&self, scope: Option<&str>, name: &str, registration: Registration) {
        locked(&self.tools).insert((scope.map(str::to_owned), name.to_owned()), registration);
    }

    /// Takes out the definition of `name` that the scope `agent` sees.
    pub(crate) fn unregister(&self, agent: Option<&str>, name: &str) {
        let mut scope = agent;
        loop {
            let found = locked(&self.tools).remove(&(scope.map(str::to_owned), name.to_owned()));
            if let Some(registration) = found {
                registration.remove();
                return;
            }
            let Some(id) = scope else { return };
            scope = self.scopes.iter().find(|s| s.id == id).and_then(|s| s.parent.as_deref());
        }
    }

    pub(crate) fn observe(&self, cx: &ToolExecution, result: &Arc<ToolResult>) {
        self.trace.fill_in(cx);
        locked(&self.observed).push(Observed { top_level: cx.parent().is_none(), result: result.clone() });
    }

    /// The results of top-level calls that were observed since this was last asked.
    pub(crate) fn take_observed(&self) -> Vec<Arc<ToolResult>> {
        let observed = std::mem::take(&mut *locked(&self.observed));
        observed.into_iter().filter(|o| o.top_level).map(|o| o.result).collect()
    }
}

/// Whether a participant that is limited to some calls takes part in this one.
pub(crate) fn matches(only: Option<&Only>, cx: &ToolExecution) -> bool {
    only.is_none_or(|only| only.tool == cx.name())
}

/// Waits, deaf to every signal.
pub(crate) async fn pause(ms: Option<u64>) {
    if let Some(ms) = ms {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}

/// Cancels the call's own token.
pub(crate) fn cancel(cx: &ToolExecution) {
    if let Some(OwnToken(token)) = cx.extensions().get() {
        token.cancel();
    }
}
