//! What each target does with its bytes: included by the fuzzers and by `tests/fuzz_corpus.rs`.

pub(crate) mod from_model;
pub(crate) mod mcp_parameters;
pub(crate) mod stream_assembly;
pub(crate) mod turn_read;
mod turns;
