//! Tools as a scenario declares them.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolgate::{ContentBlock, OutputSpec, Restriction, ToolDefinition, ToolResult, tool};

use crate::{
    body,
    part::Part,
    scenario::{Concurrency, FinalizeAct, FinalizeSpec, Render, RestrictSpec, ToolSpec},
    silence::scripted_panic,
    world::World,
};

pub(crate) fn definition(spec: &ToolSpec, world: &Arc<World>) -> ToolDefinition {
    let part = Arc::new(Part::new(spec, world));
    let mut definition = tool(spec.name.as_str()).output(output(spec)).body({
        let part = part.clone();
        move |cx| {
            let part = part.clone();
            async move { body::run(&part, cx).await }
        }
    });
    if let Some(description) = &spec.description {
        definition = definition.description(description.as_str());
    }
    if let Some(parameters) = &spec.parameters {
        definition = definition.parameters(parameters.clone());
    }
    if let Some(meta) = spec.meta.clone() {
        definition = definition.present(move |_, _| match meta.as_str() {
            Some("panic") => scripted_panic("presentation"),
            _ => Some(meta.clone()),
        });
    }
    if let Some(finalize) = spec.finalize.clone() {
        definition = definition.finalize_content(move |result| {
            part.world.trace.finalize(&part.spec.name);
            finalized(&finalize, result)
        });
    }
    if let Some(ms) = spec.timeout_ms {
        definition = definition.timeout(Duration::from_millis(ms));
    }
    match spec.concurrency {
        Concurrency::Exclusive => definition,
        Concurrency::Safe => definition.concurrency_safe(|_| true),
        Concurrency::Panic => definition.concurrency_safe(|_| scripted_panic("classifier")),
    }
}

pub(crate) fn restriction(spec: &RestrictSpec) -> Restriction {
    let mut restriction = Restriction::new();
    if let Some(names) = &spec.allow {
        restriction = restriction.and_allow(names.iter().map(String::as_str));
    }
    if let Some(names) = &spec.deny {
        restriction = restriction.and_deny(names.iter().map(String::as_str));
    }
    restriction
}

fn output(spec: &ToolSpec) -> OutputSpec {
    let output = OutputSpec::json(spec.output.clone().unwrap_or_else(|| json!({})));
    match spec.render {
        Render::Text => output,
        Render::Json => output.render(|value: &Value| vec![ContentBlock::text(value.to_string())]),
        Render::Panic => output.render(|_| scripted_panic("rendering")),
    }
}

fn finalized(spec: &FinalizeSpec, result: &ToolResult) -> Option<Vec<ContentBlock>> {
    let text = ContentBlock::text(spec.text.as_str());
    match spec.act {
        FinalizeAct::Append => Some(result.content().iter().cloned().chain([text]).collect()),
        FinalizeAct::Replace => Some(vec![text]),
        FinalizeAct::Keep => None,
        FinalizeAct::Panic => scripted_panic("finalizer"),
    }
}
