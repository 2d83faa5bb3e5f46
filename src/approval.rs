//! How calls are admitted.

use std::sync::Arc;

use crate::digest::ApprovalDigest;

/// How a call was admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// No policy wanted it asked.
    NotAsked,
    /// Somebody said yes, for this call.
    #[non_exhaustive]
    AllowedOnce {
        /// The approver's name.
        by: Arc<str>,
        /// Why it was asked.
        reason: String,
        /// What exactly was allowed.
        digest: ApprovalDigest,
    },
}

/// Whether questions are put to the approver. The stricter of two counts along a scope's chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ApprovalMode {
    /// Questions are asked.
    #[default]
    Ask,
    /// Questions are answered with no, and no approver is run.
    Never,
}
