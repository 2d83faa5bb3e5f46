//! Observers: the scenario's, and one of the runner's own.

use std::sync::Arc;

use toolgate::{ResultObserver, ToolExecution, ToolResult};

use crate::{part::Part, scenario::ObserverSpec, silence::scripted_panic, world::World};

impl ResultObserver for Part<ObserverSpec> {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn observe(&self, cx: &ToolExecution, _result: &Arc<ToolResult>) {
        self.world.trace.enter("observe", &self.spec.name, cx);
        if let Some(text) = &self.spec.panic {
            scripted_panic(text);
        }
    }
}

/// Gets every result and leaves no trace. Registered first.
#[derive(Debug)]
pub(crate) struct Recorder(pub(crate) Arc<World>);

impl ResultObserver for Recorder {
    fn name(&self) -> &'static str {
        "the runner"
    }

    fn observe(&self, cx: &ToolExecution, result: &Arc<ToolResult>) {
        self.0.observe(cx, result);
    }
}
