//! Schemas written in Rust: what is built, which mistakes are named, and what registration says of them.

mod built;
mod deep;
mod mistakes;
mod properties;
mod registered;

use serde_json::Value;
use toolgate::Schema;

/// What is wrong with a schema, a line each.
fn wrong(schema: Schema) -> Vec<String> {
    let error = schema.build().expect_err("there is a mistake in it");
    error.mistakes().iter().map(ToString::to_string).collect()
}

/// Where something is wrong; what is said of values is the validator's business.
fn where_wrong(schema: Schema) -> Vec<String> {
    let error = schema.build().expect_err("there is a mistake in it");
    assert!(error.mistakes().iter().all(|mistake| !mistake.message().is_empty()));
    error.mistakes().iter().map(|mistake| mistake.path().to_owned()).collect()
}

fn good(schema: Schema) -> Value {
    schema.build().unwrap_or_else(|e| panic!("{e}"))
}
