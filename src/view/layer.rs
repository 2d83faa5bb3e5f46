//! What is registered in one place: globally, or in one scope.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::{
    approval::ApprovalMode,
    chain::Named,
    guard::Guard,
    observer::ResultObserver,
    post_policy::PostPolicy,
    pre_policy::PrePolicy,
    restriction::Restriction,
    view::{RegisteredTool, Row},
    wrapper::ExecuteWrapper,
};

/// Everything registered in one layer. A change copies it, which copies pointers.
#[derive(Clone, Default)]
pub(crate) struct Layer {
    pub(crate) tools: IndexMap<Arc<str>, (u64, Arc<RegisteredTool>)>,
    pub(crate) pre: Row<dyn PrePolicy>,
    pub(crate) guards: Row<dyn Guard>,
    pub(crate) wrappers: Row<dyn ExecuteWrapper>,
    pub(crate) post: Row<dyn PostPolicy>,
    pub(crate) observers: Row<dyn ResultObserver>,
    pub(crate) mode: ApprovalMode,
    /// What is not let through of what is inherited; none in the global layer.
    pub(crate) restrictions: Vec<(u64, Restriction)>,
}

impl Layer {
    /// Takes registration `id` out; false if it is not here.
    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let tool = self.tools.iter().find(|(_, (at, _))| *at == id).map(|(name, _)| name.clone());
        match tool {
            Some(name) => self.tools.shift_remove(&name).is_some(),
            None => {
                self.pre.remove(id)
                    || self.guards.remove(id)
                    || self.wrappers.remove(id)
                    || self.post.remove(id)
                    || self.observers.remove(id)
                    || self.lift(id)
            }
        }
    }
}

impl Layer {
    fn lift(&mut self, id: u64) -> bool {
        let before = self.restrictions.len();
        self.restrictions.retain(|(at, _)| *at != id);
        self.restrictions.len() != before
    }
}

/// The participants of one kind along a scope's chain: the global layer's first, the scope's own last.
pub(crate) fn joined<P: ?Sized>(layers: &[&Layer], row: impl Fn(&Layer) -> &Row<P>) -> Box<[Named<P>]> {
    layers.iter().flat_map(|layer| row(layer).ordered.iter().cloned()).collect()
}
