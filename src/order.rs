//! An order of participants from configuration.

use std::sync::Arc;

/// The order in which the participants of one layer run, as configuration gives it: outermost first. Those it does not
/// name keep the order of registration. Replaces an earlier list of the same kind; a kind that is not given is left alone.
///
/// ```
/// use toolgate::{Order, ToolRegistry};
///
/// let registry = ToolRegistry::new();
/// assert!(registry.set_order(Order::new().wrappers(["retry", "deadline"])).is_err(), "no such wrapper yet");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "an order does nothing until it is set"]
pub struct Order {
    pub(crate) pre: Option<Vec<Arc<str>>>,
    pub(crate) wrappers: Option<Vec<Arc<str>>>,
    pub(crate) post: Option<Vec<Arc<str>>>,
}

impl Order {
    /// Says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The order of pre-policies.
    pub fn pre_policies<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.pre = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The order of execute wrappers.
    pub fn wrappers<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.wrappers = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The order of post-policies.
    pub fn post_policies<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.post = Some(names.into_iter().map(Into::into).collect());
        self
    }
}
