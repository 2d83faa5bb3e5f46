//! What is wrong with a schema that was built.

use std::fmt;

use crate::schema::{SchemaProblem, at};

/// Why a [`Schema`](crate::Schema) cannot be built: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    mistakes: Vec<SchemaMistake>,
}

/// One thing that is wrong with a schema, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMistake {
    path: String,
    message: String,
}

impl SchemaError {
    pub(super) fn new(mistakes: Vec<SchemaMistake>) -> Self {
        Self { mistakes }
    }

    /// Everything that is wrong, not the first thing alone.
    pub fn mistakes(&self) -> &[SchemaMistake] {
        &self.mistakes
    }
}

impl SchemaMistake {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    pub(super) fn below(mut self, outer: &str) -> Self {
        self.path.insert_str(0, outer);
        self
    }

    /// Where, as a JSON pointer into the schema; empty for the whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<SchemaProblem> for SchemaMistake {
    fn from(problem: SchemaProblem) -> Self {
        Self::new(problem.pointer, problem.message)
    }
}

impl fmt::Display for SchemaMistake {
    /// `/properties/limit: declared twice`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&at(&self.path, &self.message))
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.mistakes.iter().enumerate() {
            let joint = if i == 0 { "" } else { "; " };
            write!(f, "{joint}{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}
