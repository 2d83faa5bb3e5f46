//! The formats of model providers: tool lists out, calls in, results back.
//!
//! Everything here is written over the crate's public names, and none of it opens a connection: it makes and reads the
//! JSON that a client of your own sends and receives.

mod export;
mod format;
mod mcp_tools;
mod names;
mod sse;
mod stream;
mod turn;

pub use export::{Budget, Export, Exporter, Loss, LossKind, Mode, Strict, ToolReport};
pub use format::Format;
pub use mcp_tools::{ListingProblem, McpTool, McpTools};
pub use names::{NameError, NameTable};
pub use sse::{SseDecoder, SseError};
pub use stream::TurnBuilder;
pub use turn::{Turn, TurnError};
