#![cfg_attr(feature = "schemars", doc = include_str!("../README.md"))]
// The README's program derives its schemas.
#![cfg_attr(
    not(feature = "schemars"),
    doc = "One gate between a language model and your code. The README tells more; build with the feature `schemars` to have it here."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod abridge;
mod annotations;
mod approval;
mod approver;
mod arguments;
mod batch;
mod body;
mod call;
mod call_core;
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
mod own_time;
mod pipeline;
mod pointer;
mod post_policy;
mod pre_policy;
#[cfg(feature = "providers")]
pub mod provider;
mod reading;
mod register_error;
mod registry;
mod repair;
mod resources;
mod restriction;
mod result;
mod runs;
mod schema;
mod schema_builder;
mod signal;
mod stage;
mod tool;
mod tool_info;
mod tool_schema;
mod typed;
mod view;
mod wrapper;

pub use annotations::Annotations;
pub use approval::{Approval, ApprovalMode};
pub use approver::{ApprovalOutcome, ApprovalRequest, Approver};
pub use batch::{BatchOptions, repair_history};
pub use call::{ScopeId, ToolCall};
pub use code::ErrorCode;
pub use content::{AdditionalContext, ContentBlock};
pub use context::ToolContext;
pub use definition::{ToolDefinition, tool};
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
pub use repair::{Repair, RepairKind, Repaired, Repairs};
pub use resources::ResourceKeys;
pub use restriction::Restriction;
pub use result::{Effects, ToolFailure, ToolResult};
pub use schema_builder::{Schema, SchemaError, SchemaMistake};
pub use signal::{Cancelled, Signal};
pub use stage::{Stage, Stages};
pub use tool::{IntoTool, Tool};
pub use tool_info::ToolInfo;
pub use tool_schema::ToolSchema;
pub use view::Placed;
pub use wrapper::{ExecuteNext, ExecuteWrapper};
