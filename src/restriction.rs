//! What a scope does not let through of what it inherits.

use std::{collections::HashSet, fmt, sync::Arc};

/// Filters what a scope inherits, never what it registers itself. Several restrictions intersect, over the whole chain.
///
/// A deny list admits names that appear later, an allow list does not; an empty allow list hides everything inherited.
///
/// ```
/// use serde_json::json;
/// use toolgate::{OutputSpec, Restriction, ToolRegistry, tool};
///
/// let registry = ToolRegistry::new();
/// for name in ["read", "write"] {
///     registry.register(tool(name).output(OutputSpec::any()).body(|_| async { Ok(json!(null)) }))?;
/// }
/// let reader = registry.scope("reader");
/// reader.restrict(Restriction::allow(["read"]))?;
/// assert_eq!(reader.schemas().len(), 1);
/// assert!(reader.restrict(Restriction::deny(["no_such_tool"])).is_err());
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "a restriction does nothing until it is set on a scope"]
pub struct Restriction {
    pub(crate) allow: Option<HashSet<Arc<str>>>,
    pub(crate) deny: Option<HashSet<Arc<str>>>,
}

impl Restriction {
    /// Says nothing yet; a scope refuses it as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets these names through, and no others.
    pub fn allow<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::new().and_allow(names)
    }

    /// Lets everything through but these names.
    pub fn deny<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::new().and_deny(names)
    }

    /// Adds names to the allow list, and makes one if there is none.
    pub fn and_allow<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.allow.get_or_insert_default().extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds names to the deny list, and makes one if there is none.
    pub fn and_deny<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.deny.get_or_insert_default().extend(names.into_iter().map(Into::into));
        self
    }

    pub(crate) fn lets_through(&self, name: &str) -> bool {
        self.allow.as_ref().is_none_or(|names| names.contains(name))
            && !self.deny.as_ref().is_some_and(|names| names.contains(name))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.allow.iter().chain(&self.deny).flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.is_none()
    }
}

impl fmt::Debug for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restriction").field("allow", &self.allow).field("deny", &self.deny).finish()
    }
}
