//! The formats of providers.
#![cfg(feature = "providers")]

mod budgets;
mod gemini;
mod golden;
mod hostile;
mod mcp;
mod names;
mod properties;
mod reports;
mod rules;
mod samples;
mod strict;
mod support;
mod unevaluated;
mod whole;
