//! What a tool says of its effects.

/// What a tool says of its effects, as MCP names them. Hints: the only effect of them today is
/// that a read-only tool may overlap with others in a batch. Unsaid, the worst is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "four independent hints, named as MCP names them")]
pub struct Annotations {
    /// It changes nothing. Default: false.
    pub read_only: bool,
    /// Doing it twice with the same arguments is the same as doing it once. Default: false.
    pub idempotent: bool,
    /// It may destroy something. Default: true.
    pub destructive: bool,
    /// It reaches beyond this machine and its owner. Default: true.
    pub open_world: bool,
}

impl Default for Annotations {
    fn default() -> Self {
        Self { read_only: false, idempotent: false, destructive: true, open_world: true }
    }
}

impl Annotations {
    /// Read-only, hence idempotent and not destructive.
    pub fn read_only() -> Self {
        Self { read_only: true, idempotent: true, destructive: false, open_world: true }
    }

    /// Sets whether doing it twice is the same as doing it once.
    #[must_use]
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.idempotent = yes;
        self
    }

    /// Sets whether it may destroy something.
    #[must_use]
    pub fn destructive(mut self, yes: bool) -> Self {
        self.destructive = yes;
        self
    }

    /// Sets whether it reaches beyond this machine and its owner.
    #[must_use]
    pub fn open_world(mut self, yes: bool) -> Self {
        self.open_world = yes;
        self
    }
}
