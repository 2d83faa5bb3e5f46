//! What is wrong with a registration.

use std::fmt;

/// Why something could not be registered. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterError {
    subject: String,
    problems: Vec<Problem>,
}

/// One thing that is wrong or suspicious: which part, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    field: &'static str,
    message: String,
}

impl Problem {
    pub(crate) fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }

    pub(crate) fn field_name(&self) -> &'static str {
        self.field
    }

    /// The part that is wrong, such as `name`, `parameters`, `output`, `timeout` or `order`.
    pub fn field(&self) -> &str {
        self.field
    }

    /// What is wrong with it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl RegisterError {
    pub(crate) fn new(subject: impl Into<String>, problems: Vec<Problem>) -> Self {
        Self { subject: subject.into(), problems }
    }

    pub(crate) fn one(subject: impl Into<String>, field: &'static str, message: impl Into<String>) -> Self {
        Self::new(subject, vec![Problem::new(field, message)])
    }

    /// The same error, told of what it is part of.
    pub(crate) fn within(mut self, outer: &str) -> Self {
        self.subject = format!("{outer}: {}", self.subject);
        self
    }

    pub(crate) fn tool(name: &str, problems: Vec<Problem>) -> Self {
        Self::new(format!("tool {name:?}"), problems)
    }

    /// A failure that a plugin's own `install` ends with.
    pub fn plugin(message: impl Into<String>) -> Self {
        Self::one("plugin", "install", message)
    }

    /// Everything that is wrong, not the first thing alone.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for RegisterError {
    /// `tool "x": name: …; timeout: …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        for (i, problem) in self.problems.iter().enumerate() {
            let joint = if i == 0 { ": " } else { "; " };
            write!(f, "{joint}{}: {}", problem.field, problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for RegisterError {}
