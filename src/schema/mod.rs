//! JSON from outside: read strictly, bounded before anything recurses over it, and validated.

mod admission;
mod alternatives;
mod compiled;
mod cost;
mod descent;
mod dialect;
mod explain;
mod graph;
mod guide;
mod limits;
mod lint;
mod named;
mod near;
mod place;
mod plain;
mod problem;
mod references;
mod text;
mod value;
mod words;

pub(crate) use compiled::CompiledSchema;
pub(crate) use guide::Guide;
pub(crate) use limits::{
    ArgumentLimits, DEFAULT_ARGUMENT_BYTES, DEFAULT_DEPTH, DEFAULT_NODES, HARD_ARGUMENT_BYTES, HARD_DEPTH,
};
pub(crate) use lint::suspicions;
pub(crate) use place::is_secret;
pub(crate) use problem::{ArgumentProblem, SchemaProblem, at};
pub(crate) use text::{parse_arguments, parse_strictly};
pub(crate) use value::{Shielded, deeper_than, dismantle, measure};

#[cfg(test)]
mod costly;
#[cfg(test)]
mod dear;
#[cfg(test)]
mod decoys;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod large;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod secrets;
