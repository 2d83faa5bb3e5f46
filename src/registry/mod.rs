//! The front door.

mod install;
mod limits;
mod plugin;
mod registration;
mod scope;
mod shared;

use std::{fmt, sync::Arc};

pub(crate) use limits::Limits;
pub use limits::{LimitError, RegistryBuilder};
pub use plugin::{Installer, Plugin, PluginHandle};
pub use registration::{Registration, RegistrationGuard};
pub use scope::Scope;
pub(crate) use shared::Shared;

use crate::{
    approval::ApprovalMode,
    approver::Approver,
    batch::{self, BatchOptions},
    call::{ScopeId, ToolCall},
    call_core::Origin,
    guard::Guard,
    observer::ResultObserver,
    order::Order,
    pipeline,
    post_policy::PostPolicy,
    pre_policy::PrePolicy,
    register_error::RegisterError,
    repair::Repairs,
    result::ToolResult,
    tool::IntoTool,
    tool_info::ToolInfo,
    tool_schema::ToolSchema,
    view::Placed,
    wrapper::ExecuteWrapper,
};
use install::{Addition, Target};

/// Owns tools, policies and scopes, and runs calls. A handle: clones are the same registry.
///
/// Everything registered with these methods is global; [`scope`](Self::scope) has the same methods for one agent.
/// Participants of one kind run in the order of registration, the first outermost, unless they are [`Placed`].
#[derive(Clone)]
pub struct ToolRegistry {
    shared: Arc<Shared>,
}

impl ToolRegistry {
    /// A registry with default limits.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A registry with limits of your own.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::new()
    }

    pub(crate) fn with_limits(limits: Limits) -> Self {
        Self { shared: Shared::new(limits) }
    }

    fn here(&self) -> Target {
        Target::global(&self.shared)
    }

    /// Registers a tool: a [`Tool`](crate::Tool), or a [`ToolDefinition`](crate::ToolDefinition) with a body.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong with the definition. A name that is taken in this layer is an error too.
    pub fn register(&self, tool: impl IntoTool) -> Result<Registration, RegisterError> {
        self.here().add(Addition::tool(tool)?)
    }

    /// Registers a pre-policy.
    ///
    /// # Errors
    ///
    /// If its name is taken among the pre-policies of this layer, or its place names an unknown one or makes a cycle.
    pub fn pre_policy(&self, policy: impl Into<Placed<dyn PrePolicy>>) -> Result<Registration, RegisterError> {
        self.here().add(Addition::pre(policy.into())?)
    }

    /// Registers a guard. It applies from now on, to calls on their way too.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for, or its place names an unknown one or makes a cycle.
    pub fn guard(&self, guard: impl Into<Placed<dyn Guard>>) -> Result<Registration, RegisterError> {
        self.here().add(Addition::guard(guard.into())?)
    }

    /// Registers an execute wrapper.
    ///
    /// # Errors
    ///
    /// If its name is taken among the wrappers of this layer, or its place names an unknown one or makes a cycle.
    pub fn wrapper(&self, wrapper: impl Into<Placed<dyn ExecuteWrapper>>) -> Result<Registration, RegisterError> {
        self.here().add(Addition::wrapper(wrapper.into())?)
    }

    /// Registers a post-policy.
    ///
    /// # Errors
    ///
    /// If its name is taken among the post-policies of this layer, or its place names an unknown one or makes a cycle.
    pub fn post_policy(&self, policy: impl Into<Placed<dyn PostPolicy>>) -> Result<Registration, RegisterError> {
        self.here().add(Addition::post(policy.into())?)
    }

    /// Registers an observer.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for, or its place names an unknown one or makes a cycle.
    pub fn observer(&self, observer: impl Into<Placed<dyn ResultObserver>>) -> Result<Registration, RegisterError> {
        self.here().add(Addition::observer(observer.into())?)
    }

    /// Installs the approver that questions are put to.
    ///
    /// # Errors
    ///
    /// If there is one already: take it out first.
    pub fn approver(&self, approver: impl Approver) -> Result<Registration, RegisterError> {
        self.approver_arc(Arc::new(approver))
    }

    /// [`approver`](Self::approver), for one that is shared.
    ///
    /// # Errors
    ///
    /// If there is one already: take it out first.
    pub fn approver_arc(&self, approver: Arc<dyn Approver>) -> Result<Registration, RegisterError> {
        self.here().add(Addition::approver(approver)?)
    }

    /// Sets whether questions are asked at all. A scope may be stricter, never laxer.
    pub fn set_approval_mode(&self, mode: ApprovalMode) {
        self.here().set_mode(mode);
    }

    /// Sets the order of pre-policies, wrappers or post-policies from configuration; see [`Order`](crate::Order).
    ///
    /// # Errors
    ///
    /// If it names an unknown participant or contradicts a place that one asks for.
    pub fn set_order(&self, order: Order) -> Result<(), RegisterError> {
        self.here().set_order(order)
    }

    /// Installs a plugin: everything it registers is published in one step, or nothing.
    ///
    /// # Errors
    ///
    /// The plugin's own error, or what is wrong with what it registers.
    pub fn install(&self, plugin: &(impl Plugin + ?Sized)) -> Result<PluginHandle, RegisterError> {
        plugin::install(self.here(), plugin)
    }

    /// Opens the scope `id`, or gives the one that is open.
    pub fn scope(&self, id: impl Into<ScopeId>) -> Scope {
        Scope::open(&self.shared, id.into())
    }

    /// The manuals of the tools that a call without an agent sees, in the order of registration. Cached: between two
    /// changes it is the same allocation.
    pub fn schemas(&self) -> Arc<[ToolSchema]> {
        self.shared.view(None).0.schemas()
    }

    /// The manuals of the tools that the agent of scope `agent` sees; none if the scope is not open.
    pub fn schemas_for(&self, agent: impl Into<ScopeId>) -> Arc<[ToolSchema]> {
        self.shared.view(Some(&agent.into())).0.schemas()
    }

    /// The tools that a call without an agent sees, in the order of registration, each with what its author declared.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.shared.view(None).0.infos()
    }

    /// The tools that the agent of scope `agent` sees; none if the scope is not open.
    pub fn tools_for(&self, agent: impl Into<ScopeId>) -> Vec<ToolInfo> {
        self.shared.view(Some(&agent.into())).0.infos()
    }

    /// Tells of every change of what is registered, with the number of changes so far. Holders of a cached listing
    /// look again then; a listing that has not changed for them is cheap to make.
    ///
    /// ```
    /// # async fn keep(registry: toolgate::ToolRegistry) {
    /// let mut changes = registry.changes();
    /// while changes.changed().await.is_ok() {
    ///     let _listing = registry.schemas();
    /// }
    /// # }
    /// ```
    pub fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.shared.changes()
    }

    /// Whether `call` may overlap with others of the same message, by its tool's classifier or, without one, because it
    /// is read-only or names what it uses. Only an exact yes is one: an unknown tool, invalid arguments or a classifier that panics make a call exclusive.
    pub fn is_concurrency_safe(&self, call: &ToolCall) -> bool {
        self.shared.classify(call).0
    }

    /// The call, with its arguments repaired, where that is without loss and makes them valid; else the call as it is. Of
    /// its tool and parameters those count that its agent sees now.
    ///
    /// Nothing is repaired by itself: this is for a caller who wants to spare the model a second try, and it comes
    /// before the call exists for anybody else. Policies, approver, guards, body and log then see the repaired
    /// arguments and no others, and [`ToolCall::repaired`] and [`ToolExecution::repaired`](crate::ToolExecution::repaired)
    /// tell what was done and what the model had sent. Valid arguments are never touched.
    ///
    /// ```
    /// # use serde_json::json;
    /// use toolgate::{OutputSpec, Repairs, ToolCall, ToolRegistry, tool};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = ToolRegistry::new();
    /// let files = json!({"type": "object", "properties": {"files": {"type": "array"}}, "required": ["files"]});
    /// registry.register(
    ///     tool("edit").parameters(files).output(OutputSpec::any()).body(|cx| async move { Ok(cx.arguments().clone()) }),
    /// )?;
    ///
    /// // A list that was sent inside of a string.
    /// let sent = ToolCall::from_model("c1", "edit", r#"{"files": "[\"a\"]"}"#);
    /// let call = registry.repair(sent, Repairs::none().json_in_strings(true));
    /// let repaired = call.repaired().expect("it was");
    /// assert_eq!(repaired.repairs()[0].pointer(), "/files");
    /// assert_eq!(repaired.original(), r#"{"files": "[\"a\"]"}"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn repair(&self, call: ToolCall, allowed: Repairs) -> ToolCall {
        self.shared.repair(call, allowed)
    }

    /// Runs the calls of one assistant message, and answers in their order.
    ///
    /// Calls that may overlap, as their tools say, are dispatched side by side, up to
    /// [`max_parallel`](BatchOptions::max_parallel) of them; any other call is a barrier: it starts when everything before
    /// it is committed, and nothing after it starts before it is. Only dispatch overlaps: policies, approval and guards
    /// before it, and post-policies, finalizer and observers after it, take the calls in order. A call that waits for
    /// resource keys reaches its guards when it has them, which may be after the guards of later calls.
    ///
    /// # Errors
    ///
    /// None: every failure is a result.
    ///
    /// # Cancellation
    ///
    /// Cancel the batch with [`BatchOptions::cancellation`]: nothing more is started, what runs is cancelled and has its grace period to settle, and each
    /// call that never started ends as `ABORTED_BEFORE_DISPATCH`. A call's own token ends that call only. Dropping the
    /// future gives every call, started or not, its one result to finalizer and observers.
    pub async fn execute_batch(
        &self,
        calls: impl IntoIterator<Item = ToolCall> + Send,
        options: BatchOptions,
    ) -> Vec<Arc<ToolResult>> {
        let calls = calls.into_iter().collect();
        batch::run(&self.shared, calls, options).await
    }

    /// Runs one call through all stages.
    ///
    /// # Errors
    ///
    /// None: every failure is a result, because the model and the log need one.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time, when something has to be waited for under a deadline.
    ///
    /// # Cancellation
    ///
    /// Cancel the call's token to end it in an orderly way: bodies and policies get one grace period. Dropping the
    /// future drops what runs, at its await; finalizer and observers still get the call's one result. A call that was
    /// never polled never was.
    pub async fn execute(&self, call: ToolCall) -> Arc<ToolResult> {
        pipeline::run(&self.shared, call, Origin::default()).await
    }
}

impl Default for ToolRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRegistry").field("tools", &self.schemas().len()).finish_non_exhaustive()
    }
}
