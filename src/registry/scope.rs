//! One agent's place in a registry.

use std::{fmt, sync::Arc};

use crate::{
    approval::ApprovalMode,
    call::{ScopeId, ScopeKey},
    guard::Guard,
    observer::ResultObserver,
    order::Order,
    post_policy::PostPolicy,
    pre_policy::PrePolicy,
    register_error::RegisterError,
    registry::{
        Plugin, PluginHandle, Registration, Shared,
        install::{Addition, Target},
        plugin,
    },
    restriction::Restriction,
    tool::IntoTool,
    tool_info::ToolInfo,
    tool_schema::ToolSchema,
    view::Placed,
    wrapper::ExecuteWrapper,
};

/// One agent's place in a registry: what is registered here applies to its calls only, beside what is global.
///
/// A handle: dropping it closes nothing, [`close`](Self::close) does. After that, registering here is an error, and a
/// call that names the scope ends as `UNKNOWN_TOOL`.
#[derive(Clone)]
pub struct Scope {
    target: Target,
    id: ScopeId,
    key: ScopeKey,
}

impl Scope {
    pub(crate) fn open(shared: &Arc<Shared>, id: ScopeId) -> Self {
        let there = shared.snapshot().opened(&id).map(|(key, _)| key);
        let key = there.unwrap_or_else(|| {
            let fresh = ScopeKey(shared.next_id());
            let opened = shared.update(|next| {
                // Somebody else may have opened it since the look above.
                if let Some((key, _)) = next.opened(&id) {
                    return Ok(key);
                }
                next.open(id.clone(), fresh, None);
                Ok(fresh)
            });
            opened.unwrap_or(fresh)
        });
        Self::at(shared, id, key)
    }

    fn at(shared: &Arc<Shared>, id: ScopeId, key: ScopeKey) -> Self {
        Self { target: Target { shared: shared.clone(), place: Some((id.clone(), key)) }, id, key }
    }

    /// Opens the scope `id` under this one, or gives the one that is open there. It inherits what this scope sees and
    /// is subject to, and can only tighten it.
    ///
    /// # Errors
    ///
    /// If this scope is closed, or `id` is open somewhere else.
    pub fn child(&self, id: impl Into<ScopeId>) -> Result<Self, RegisterError> {
        let (shared, id) = (&self.target.shared, id.into());
        let fresh = ScopeKey(shared.next_id());
        let key = shared.update(|next| {
            let subject = format!("scope {:?}", id.as_str());
            if !next.is_open(Some((&self.id, self.key))) {
                let help = format!("its parent {:?} is closed; open that again first", self.id);
                return Err(RegisterError::one(subject, "scope", help));
            }
            match next.opened(&id) {
                Some((key, Some(parent))) if *parent == self.id => Ok(key),
                Some(_) => Err(RegisterError::one(subject, "scope", "is open already, and not under this parent")),
                None => {
                    next.open(id.clone(), fresh, Some(self.id.clone()));
                    Ok(fresh)
                }
            }
        })?;
        Ok(Self::at(shared, id, key))
    }

    /// Restricts what this scope inherits; what it or a descendant registers itself is not affected. To forbid a name for
    /// good, use a [`guard`](Self::guard).
    ///
    /// # Errors
    ///
    /// If the restriction has neither list, or names a tool that is registered neither globally nor in an ancestor.
    pub fn restrict(&self, restriction: Restriction) -> Result<Registration, RegisterError> {
        self.target.add(Addition::Restriction(restriction))
    }

    /// The scope's name, as calls give it.
    pub fn id(&self) -> &ScopeId {
        &self.id
    }

    /// Whether it is still open.
    pub fn is_open(&self) -> bool {
        self.target.shared.snapshot().is_open(Some((&self.id, self.key)))
    }

    /// Closes the scope and its descendants and removes all that is registered in them, in one step. Calls on their way finish; their bodies
    /// no longer start, and the guards of ancestors that are still open go on having a say in them. False if it was closed already. The id may be opened again, and starts empty.
    pub fn close(&self) -> bool {
        let closed = self.target.shared.update(|next| {
            let open = next.is_open(Some((&self.id, self.key)));
            if open {
                next.close(&self.id);
            }
            Ok(open)
        });
        closed.unwrap_or(false)
    }

    /// Registers a tool for this scope: it shadows a global one of the same name.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong with the definition. A name that is taken in this layer is an error too.
    pub fn register(&self, tool: impl IntoTool) -> Result<Registration, RegisterError> {
        self.target.add(Addition::tool(tool)?)
    }

    /// Registers a pre-policy for this scope, further in than the global ones; it is not asked where one of those answers
    /// without `next`. What a scope must be sure of is a [`guard`](Self::guard).
    ///
    /// # Errors
    ///
    /// As [`ToolRegistry::pre_policy`](crate::ToolRegistry::pre_policy).
    pub fn pre_policy(&self, policy: impl Into<Placed<dyn PrePolicy>>) -> Result<Registration, RegisterError> {
        self.target.add(Addition::pre(policy.into())?)
    }

    /// Registers a guard for this scope.
    ///
    /// # Errors
    ///
    /// As [`ToolRegistry::guard`](crate::ToolRegistry::guard).
    pub fn guard(&self, guard: impl Into<Placed<dyn Guard>>) -> Result<Registration, RegisterError> {
        self.target.add(Addition::guard(guard.into())?)
    }

    /// Registers an execute wrapper for this scope, further in than the global ones.
    ///
    /// # Errors
    ///
    /// As [`ToolRegistry::wrapper`](crate::ToolRegistry::wrapper).
    pub fn wrapper(&self, wrapper: impl Into<Placed<dyn ExecuteWrapper>>) -> Result<Registration, RegisterError> {
        self.target.add(Addition::wrapper(wrapper.into())?)
    }

    /// Registers a post-policy for this scope, further in than the global ones.
    ///
    /// # Errors
    ///
    /// As [`ToolRegistry::post_policy`](crate::ToolRegistry::post_policy).
    pub fn post_policy(&self, policy: impl Into<Placed<dyn PostPolicy>>) -> Result<Registration, RegisterError> {
        self.target.add(Addition::post(policy.into())?)
    }

    /// Registers an observer for this scope, behind the global ones.
    ///
    /// # Errors
    ///
    /// As [`ToolRegistry::observer`](crate::ToolRegistry::observer).
    pub fn observer(&self, observer: impl Into<Placed<dyn ResultObserver>>) -> Result<Registration, RegisterError> {
        self.target.add(Addition::observer(observer.into())?)
    }

    /// Sets whether questions of this scope's calls are asked at all; the global setting can only be tightened.
    /// False if the scope is closed.
    pub fn set_approval_mode(&self, mode: ApprovalMode) -> bool {
        self.target.set_mode(mode)
    }

    /// Sets the order of this scope's participants from configuration.
    ///
    /// # Errors
    ///
    /// As [`ToolRegistry::set_order`](crate::ToolRegistry::set_order).
    pub fn set_order(&self, order: Order) -> Result<(), RegisterError> {
        self.target.set_order(order)
    }

    /// Installs a plugin in this scope: everything it registers is published in one step, or nothing.
    ///
    /// # Errors
    ///
    /// The plugin's own error, or what is wrong with what it registers.
    pub fn install(&self, plugin: &(impl Plugin + ?Sized)) -> Result<PluginHandle, RegisterError> {
        plugin::install(self.target.clone(), plugin)
    }

    /// The manuals of the tools that this scope's calls see; none once it is closed.
    pub fn schemas(&self) -> Arc<[ToolSchema]> {
        self.target.shared.snapshot().view_of(Some(&self.id), Some(self.key), &[]).schemas()
    }

    /// The tools that this scope's calls see, each with what its author declared; none once it is closed.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.target.shared.snapshot().view_of(Some(&self.id), Some(self.key), &[]).infos()
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("id", &self.id).field("open", &self.is_open()).finish_non_exhaustive()
    }
}
