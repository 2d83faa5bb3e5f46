//! What a registry bounds.

use std::{fmt, time::Duration};

use crate::{
    registry::ToolRegistry,
    schema::{ArgumentLimits, DEFAULT_ARGUMENT_BYTES, DEFAULT_DEPTH, DEFAULT_NODES, HARD_ARGUMENT_BYTES, HARD_DEPTH},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) grace: Duration,
    pub(crate) default_timeout: Option<Duration>,
    pub(crate) policy_timeout: Option<Duration>,
    pub(crate) approval_timeout: Option<Duration>,
    pub(crate) arguments: ArgumentLimits,
    pub(crate) nesting_depth: usize,
    pub(crate) quote_values: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(2),
            default_timeout: None,
            policy_timeout: None,
            approval_timeout: None,
            arguments: ArgumentLimits { bytes: DEFAULT_ARGUMENT_BYTES, depth: DEFAULT_DEPTH, nodes: DEFAULT_NODES },
            nesting_depth: 32,
            quote_values: true,
        }
    }
}

/// Sets a registry's limits.
///
/// ```
/// use std::time::Duration;
/// use toolgate::ToolRegistry;
///
/// let registry = ToolRegistry::builder()
///     .default_timeout(Duration::from_secs(30))
///     .policy_timeout(Duration::from_secs(5))
///     .build()?;
/// # let _: ToolRegistry = registry;
/// # Ok::<(), toolgate::LimitError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct RegistryBuilder {
    limits: Limits,
}

impl RegistryBuilder {
    pub(crate) fn new() -> Self {
        Self { limits: Limits::default() }
    }

    /// How long what is cancelled may take to settle before it is dropped. Default: 2 s. Zero drops at once.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.limits.grace = grace;
        self
    }

    /// How long one run of a body may take, where its definition does not say. Default: no limit.
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.limits.default_timeout = Some(timeout);
        self
    }

    /// How long each pre- and post-policy may take of its own: while none of its `next` is pending. A policy that has been
    /// started by an outer one spends its own time also while that one does not poll it. Default: no limit.
    pub fn policy_timeout(mut self, timeout: Duration) -> Self {
        self.limits.policy_timeout = Some(timeout);
        self
    }

    /// How long an approver may take; `APPROVAL_UNAVAILABLE` after that. Default: no limit.
    pub fn approval_timeout(mut self, timeout: Duration) -> Self {
        self.limits.approval_timeout = Some(timeout);
        self
    }

    /// How many levels calls may be nested below a top-level one. Default: 32.
    pub fn nesting_depth(mut self, levels: usize) -> Self {
        self.limits.nesting_depth = levels;
        self
    }

    /// How large a call's arguments may be, in bytes of text. Default: 1 MiB; at most 64 MiB.
    pub fn argument_bytes(mut self, bytes: usize) -> Self {
        self.limits.arguments.bytes = bytes;
        self
    }

    /// How deep a call's arguments may be nested. Default: 64; at most 128.
    pub fn argument_depth(mut self, levels: usize) -> Self {
        self.limits.arguments.depth = levels;
        self
    }

    /// How many values a call's arguments may hold in all. Default: 100 000.
    pub fn argument_nodes(mut self, nodes: usize) -> Self {
        self.limits.arguments.nodes = nodes;
        self
    }

    /// Whether messages about arguments and outputs that do not fit quote the values that are wrong, cut to 64 bytes.
    /// Default: yes. Without it they tell what was expected, the kind of what there was, and names of properties.
    ///
    /// What a schema marks with `"writeOnly": true` or `"format": "password"` is never quoted, whatever is set here: no
    /// value at such a place, nor within it.
    pub fn quote_values(mut self, yes: bool) -> Self {
        self.limits.quote_values = yes;
        self
    }

    /// The registry.
    ///
    /// # Errors
    ///
    /// If a limit is zero where that would refuse every call, or above what can be kept.
    pub fn build(self) -> Result<ToolRegistry, LimitError> {
        let l = &self.limits;
        let positive = [
            ("default_timeout", l.default_timeout),
            ("policy_timeout", l.policy_timeout),
            ("approval_timeout", l.approval_timeout),
        ];
        for (limit, value) in positive {
            if value.is_some_and(|v| v.is_zero()) {
                return Err(LimitError { limit, problem: "must be more than zero" });
            }
        }
        let ranges = [
            ("argument_bytes", l.arguments.bytes, HARD_ARGUMENT_BYTES, "must be 2 to 67108864 (64 MiB)", 2),
            ("argument_depth", l.arguments.depth, HARD_DEPTH, "must be 1 to 128", 1),
            ("argument_nodes", l.arguments.nodes, usize::MAX, "must be at least 1", 1),
        ];
        for (limit, value, most, problem, least) in ranges {
            if !(least..=most).contains(&value) {
                return Err(LimitError { limit, problem });
            }
        }
        Ok(ToolRegistry::with_limits(self.limits))
    }
}

/// A limit that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitError {
    limit: &'static str,
    problem: &'static str,
}

impl LimitError {
    /// Which limit.
    pub fn limit(&self) -> &str {
        self.limit
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.limit, self.problem)
    }
}

impl std::error::Error for LimitError {}
