//! How a call leaves the path early.

use crate::pipeline::draft::Draft;

/// Where a call goes on that is not dispatched, or whose dispatch failed as such.
pub(crate) enum Exit {
    /// To the post-policies: a result like any other.
    Post(Draft),
    /// Past them: a policy, guard or wrapper failed, or nothing was admitted.
    Finalize(Draft),
}
