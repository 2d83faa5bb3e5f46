//! How a call leaves the path early.

use crate::{call_core::CallCore, pipeline::draft::Draft};

/// Where a call goes on that is not dispatched, or whose dispatch failed as such.
pub(crate) enum Exit {
    /// To the post-policies: a result like any other.
    Post(Draft),
    /// Past them: a policy, guard or wrapper failed, or nothing was admitted.
    Finalize(Draft),
}

impl Exit {
    /// How the call leaves if a policy or wrapper has failed: with the first failure, whatever was made of it farther out.
    pub(crate) fn of_failed(core: &CallCore) -> Option<Self> {
        core.failure().map(|failure| Self::Finalize(Draft::failure(failure.clone())))
    }
}
