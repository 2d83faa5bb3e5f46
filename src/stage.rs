//! The eight stages, in order. One of the four places that state the order; a test holds them equal.

use std::fmt;

/// One of the eight stages of a call, in the order in which a call goes through them.
///
/// | stage | who speaks | what it may do |
/// |---|---|---|
/// | `Admit` | the registry | refuse unknown names and invalid arguments |
/// | `PreExecute` | [`PrePolicy`](crate::PrePolicy) | allow, deny, ask |
/// | `Approval` | [`Approver`](crate::Approver) | allow once, or refuse |
/// | `Guard` | [`Guard`](crate::Guard) | deny, finally |
/// | `Execute` | [`ExecuteWrapper`](crate::ExecuteWrapper) around the body | run it, again, or under a narrower signal |
/// | `PostExecute` | [`PostPolicy`](crate::PostPolicy) | accept, replace, block |
/// | `Finalize` | the definition's finalizer | replace content, once |
/// | `Result` | [`ResultObserver`](crate::ResultObserver) | look |
///
/// The enum is exhaustive on purpose: the order is fixed, and a ninth stage would be another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the stages are fixed by contract")]
pub enum Stage {
    /// The name is resolved and the arguments are checked.
    Admit,
    /// Policies decide: allow, deny or ask.
    PreExecute,
    /// Somebody is asked.
    Approval,
    /// Guards have the last word before the body.
    Guard,
    /// Wrappers run around the body.
    Execute,
    /// Policies look at the outcome.
    PostExecute,
    /// The definition's own last word on the content.
    Finalize,
    /// The outcome is frozen and handed to observers and caller.
    Result,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 8] = [
        Self::Admit,
        Self::PreExecute,
        Self::Approval,
        Self::Guard,
        Self::Execute,
        Self::PostExecute,
        Self::Finalize,
        Self::Result,
    ];

    /// A short name for logs: `admit`, `pre_execute`, `approval`, …
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::PreExecute => "pre_execute",
            Self::Approval => "approval",
            Self::Guard => "guard",
            Self::Execute => "execute",
            Self::PostExecute => "post_execute",
            Self::Finalize => "finalize",
            Self::Result => "result",
        }
    }

    pub(crate) fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The stages that a call has entered so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Stages(pub(crate) u8);

impl Stages {
    /// Whether the call has entered `stage`.
    pub fn contains(self, stage: Stage) -> bool {
        self.0 & stage.bit() != 0
    }

    /// The entered stages, in order.
    pub fn iter(self) -> impl Iterator<Item = Stage> {
        Stage::ALL.into_iter().filter(move |s| self.contains(*s))
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Stages {
    /// `admit > guard > execute > …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, stage) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(" > ")?;
            }
            f.write_str(stage.as_str())?;
        }
        Ok(())
    }
}
