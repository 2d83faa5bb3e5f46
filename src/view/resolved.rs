//! One scope's view: what it sees, and who looks at its calls.

use std::sync::{Arc, OnceLock, Weak};

use indexmap::IndexMap;

use super::layer::joined;
use crate::{
    approval::ApprovalMode,
    call_core::Caller,
    chain::Named,
    guard::Guard,
    observer::ResultObserver,
    post_policy::PostPolicy,
    pre_policy::PrePolicy,
    tool_info::ToolInfo,
    tool_schema::ToolSchema,
    view::{Layer, Opening, RegisteredTool},
    wrapper::ExecuteWrapper,
};

/// The resolved view of one scope, computed once after a change. Listing, lookup and dispatch all read this.
pub(crate) struct View {
    tools: IndexMap<Arc<str>, Arc<RegisteredTool>>,
    /// The registry that all this is registered with.
    caller: Weak<dyn Caller>,
    /// The ancestors of the scope when this was made, the nearest first.
    pub(crate) above: Box<[Opening]>,
    schemas: OnceLock<Arc<[ToolSchema]>>,
    pub(crate) pre: Box<[Named<dyn PrePolicy>]>,
    pub(crate) guards: Box<[Named<dyn Guard>]>,
    pub(crate) wrappers: Box<[Named<dyn ExecuteWrapper>]>,
    pub(crate) post: Box<[Named<dyn PostPolicy>]>,
    pub(crate) observers: Box<[Named<dyn ResultObserver>]>,
    pub(crate) mode: ApprovalMode,
}

impl View {
    /// `layers` from the global one to the scope's own.
    pub(crate) fn new(layers: &[&Layer], above: Box<[Opening]>, caller: Weak<dyn Caller>) -> Self {
        let mut tools = IndexMap::new();
        for layer in layers {
            for (_, restriction) in &layer.restrictions {
                tools.retain(|name: &Arc<str>, _| restriction.lets_through(name));
            }
            for (name, (_, tool)) in &layer.tools {
                tools.insert(name.clone(), tool.clone());
            }
        }
        Self { tools, above, ..Self::without_tools(layers, caller) }
    }

    /// The participants alone: for a scope that is not open. `layers` are those that are.
    pub(crate) fn without_tools(layers: &[&Layer], caller: Weak<dyn Caller>) -> Self {
        Self {
            tools: IndexMap::new(),
            caller,
            above: Box::default(),
            schemas: OnceLock::new(),
            pre: joined(layers, |l| &l.pre),
            guards: joined(layers, |l| &l.guards),
            wrappers: joined(layers, |l| &l.wrappers),
            post: joined(layers, |l| &l.post),
            observers: joined(layers, |l| &l.observers),
            mode: layers.iter().map(|l| l.mode).max().unwrap_or_default(),
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name)
    }

    /// The place of a tool, which stays.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.tools.get_index_of(name)
    }

    pub(crate) fn tool_at(&self, place: usize) -> &Arc<RegisteredTool> {
        &self.tools[place]
    }

    /// The registry, while it is there.
    pub(crate) fn caller(&self) -> Option<Arc<dyn Caller>> {
        self.caller.upgrade()
    }

    /// The manuals of the tools it sees, in order; made on first use.
    pub(crate) fn schemas(&self) -> Arc<[ToolSchema]> {
        self.schemas.get_or_init(|| self.tools.values().map(|t| t.schema.clone()).collect()).clone()
    }
    /// The same tools, with what their authors declared beside the manual.
    pub(crate) fn infos(&self) -> Vec<ToolInfo> {
        self.tools.values().map(|t| t.info()).collect()
    }
}
