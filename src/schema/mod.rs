//! JSON from outside: read strictly, bounded before anything recurses over it, and validated.

mod admission;
mod compiled;
mod cost;
mod explain;
mod graph;
mod guide;
mod limits;
mod problem;
mod text;
mod value;

pub(crate) use compiled::CompiledSchema;
pub(crate) use graph::escaped;
pub(crate) use guide::Guide;
pub(crate) use limits::{
    ArgumentLimits, DEFAULT_ARGUMENT_BYTES, DEFAULT_DEPTH, DEFAULT_NODES, HARD_ARGUMENT_BYTES, HARD_DEPTH,
};
pub(crate) use problem::{SchemaProblem, at};
pub(crate) use text::{parse_arguments, parse_strictly};
pub(crate) use value::{Shielded, deeper_than, dismantle, measure};

#[cfg(test)]
mod costly;
#[cfg(test)]
mod hostile;
