//! Tools in the formats of providers.
//!
//! `normal` brings a schema into one dialect with one form of references. From there it goes out `whole`, but for what a
//! provider refuses, or in a `subset` by a table of `rules`, which each provider's file holds beside the shape of a tool.

mod alternatives;
mod anthropic;
mod bedrock;
mod bounds;
mod budget;
mod deepseek;
mod dialect;
mod exporter;
mod gemini;
mod keywords;
mod kinds;
mod limits;
mod list;
mod mcp;
mod merge;
mod normal;
mod note;
mod nulls;
mod open;
mod openai;
mod report;
mod rules;
mod subset;
mod unevaluated;
mod whole;

pub use budget::Budget;
pub use exporter::Exporter;
pub use list::Export;
pub use report::{Loss, LossKind, Mode, Strict, ToolReport};
