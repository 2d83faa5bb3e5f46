//! The path of a call: faults, cancellation, invariants, cases from the field.

mod cancellation;
mod cases;
mod deadlines;
mod depth;
mod effects;
mod fault_matrix;
mod foreign;
mod functions;
mod further_runs;
mod outcomes;
mod own_time;
mod properties;
mod registry;
mod repair;
mod schemas;
mod support;
mod typed;
