#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod approver;
mod arguments;
mod body;
mod call;
mod chain;
mod code;
mod contain;
mod content;
mod context;
mod cut;
mod definition;
mod digest;
mod error;
mod execution;
mod extensions;
mod grace;
mod guard;
mod observer;
mod order;
mod outcome;
mod output;
mod pipeline;
mod post_policy;
mod pre_policy;
mod register_error;
mod registry;
mod result;
mod schema;
mod signal;
mod stage;
mod tool;
mod tool_schema;
mod typed;
mod view;
mod wrapper;

pub use approver::{Approval, ApprovalMode, ApprovalOutcome, ApprovalRequest, Approver};
pub use call::{ScopeId, ToolCall};
pub use code::ErrorCode;
pub use content::{AdditionalContext, ContentBlock};
pub use context::ToolContext;
pub use definition::{Annotations, ToolDefinition, tool};
pub use digest::ApprovalDigest;
pub use error::{PolicyError, ToolError};
pub use execution::{DispatchExecution, ExecutionToken, ToolExecution};
pub use extensions::Extensions;
pub use guard::{Guard, GuardVerdict, guard_fn};
pub use observer::{ResultObserver, observer_fn};
pub use order::Order;
pub use outcome::DispatchOutcome;
pub use output::OutputSpec;
pub use post_policy::{Attached, PostDecision, PostNext, PostPolicy};
pub use pre_policy::{PreDecision, PreNext, PrePolicy, Reason};
pub use register_error::{Problem, RegisterError};
pub use registry::{
    Installer, LimitError, Plugin, PluginHandle, Registration, RegistrationGuard, RegistryBuilder, Scope, ToolRegistry,
};
pub use result::{Effects, ToolFailure, ToolResult};
pub use signal::{Cancelled, Signal};
pub use stage::{Stage, Stages};
pub use tool::{IntoTool, Tool};
pub use tool_schema::ToolSchema;
pub use view::Placed;
pub use wrapper::{ExecuteNext, ExecuteWrapper};
