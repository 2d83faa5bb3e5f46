//! Where in a value its reading failed.

use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::pointer::escaped;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    pub(super) fn inside<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.get(key),
            Self::Index(index) => value.get(index),
        }
    }

    pub(super) fn inside_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            Self::Key(key) => value.get_mut(key),
            Self::Index(index) => value.get_mut(index),
        }
    }
}

/// The steps as text.
pub(super) fn names(steps: &[Step]) -> Vec<String> {
    let name = |step: &Step| match step {
        Step::Key(key) => key.clone(),
        Step::Index(index) => index.to_string(),
    };
    steps.iter().map(name).collect()
}

/// The steps of `path` as they lead through `value`. The name of a variant is a step where it is the name of a member.
pub(super) fn steps(path: &Path, value: &Value) -> Vec<Step> {
    let mut out = Vec::new();
    let mut here = Some(value);
    for segment in path {
        let step = match segment {
            Segment::Seq { index } => Step::Index(*index),
            Segment::Map { key } => Step::Key(key.clone()),
            Segment::Enum { variant } if here.is_some_and(|v| v.get(variant).is_some()) => Step::Key(variant.clone()),
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        here = here.and_then(|v| step.inside(v));
        out.push(step);
    }
    out
}

/// The steps as a JSON pointer.
pub(super) fn pointer(steps: &[Step]) -> String {
    use std::fmt::Write as _;

    let mut out = String::new();
    for step in steps {
        match step {
            Step::Index(index) => _ = write!(out, "/{index}"),
            Step::Key(key) => _ = write!(out, "/{}", escaped(key)),
        }
    }
    out
}
