//! The codes that failures carry.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer};

/// What kind of failure a call ended in: a `SCREAMING_SNAKE` word.
///
/// The constants are this crate's own and reserved; a tool adds its own with [`ToolError::new`](crate::ToolError::new).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ErrorCode(Cow<'static, str>);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $name: Self = Self(Cow::Borrowed(stringify!($name)));)*

            /// Every reserved code.
            pub const RESERVED: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

codes! {
    /// No tool of this name is visible to the caller. Nothing ran.
    UNKNOWN_TOOL
    /// The arguments are no JSON object, or not what the tool's parameters ask for, or do not fit the body's own type.
    /// Nothing ran, unless the body read them itself.
    INVALID_ARGS
    /// What the body answered does not fit its output schema, or could not be rendered. The body's effects stand.
    INVALID_TOOL_OUTPUT
    /// A pre-policy said no.
    DENIED
    /// The approver said no, or approvals are off.
    APPROVAL_REJECTED
    /// The question was withdrawn before anybody answered it.
    APPROVAL_CANCELLED
    /// Nobody could be asked.
    APPROVAL_UNAVAILABLE
    /// A guard said no.
    GUARD_DENIED
    /// A guard panicked; the body did not run.
    GUARD_FAILED
    /// A pre- or post-policy failed, panicked, or took too long.
    POLICY_FAILED
    /// An execute wrapper failed or panicked.
    WRAPPER_FAILED
    /// The tool's finalizer panicked; what it did not pass is not shown.
    FINALIZER_FAILED
    /// A post-policy withheld the outcome and gave feedback instead.
    BLOCKED
    /// Cancelled after the body had started.
    ABORTED
    /// Cancelled before the body started.
    ABORTED_BEFORE_DISPATCH
    /// The body did not end within its deadline.
    TOOL_TIMEOUT
    /// The body failed without a code of its own.
    TOOL_FAILED
    /// The body panicked.
    TOOL_PANICKED
    /// The definition was replaced between admission and dispatch.
    TOOL_CHANGED
    /// Calls within calls went deeper than the limit.
    CALL_DEPTH_EXCEEDED
    /// A budget of calls, time or bytes is used up.
    BUDGET_EXCEEDED
    /// An audit record that must exist could not be written.
    AUDIT_UNAVAILABLE
}

impl ErrorCode {
    /// A code of a tool's own.
    ///
    /// # Errors
    ///
    /// Gives the text back if it is reserved, or not 1 to 64 of `A-Z`, `0-9` and `_` with a letter first.
    pub fn custom(code: impl Into<Cow<'static, str>>) -> Result<Self, Cow<'static, str>> {
        let code = Self(code.into());
        if code.is_well_formed() && !code.is_reserved() { Ok(code) } else { Err(code.0) }
    }

    pub(crate) fn unchecked(code: Cow<'static, str>) -> Self {
        Self(code)
    }

    fn is_well_formed(&self) -> bool {
        let bytes = self.0.as_bytes();
        bytes.len() <= 64
            && bytes.first().is_some_and(u8::is_ascii_uppercase)
            && bytes.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
    }

    /// Whether a tool may answer with this code.
    pub(crate) fn is_free(&self) -> bool {
        self.is_well_formed() && !self.is_reserved()
    }

    /// Whether this is one of [`ErrorCode::RESERVED`].
    pub fn is_reserved(&self) -> bool {
        Self::RESERVED.contains(self)
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for ErrorCode {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ErrorCode {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
