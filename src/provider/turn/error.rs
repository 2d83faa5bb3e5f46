//! Why a body holds no turn.

use crate::provider::Format;

/// Why no turn could be read. Nothing of the body has been acted upon then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// It is not what the format calls an assistant's message, nor a response with one in it.
    #[error("no assistant message of the format {format}: {why}")]
    NotATurn {
        /// The format it was read as.
        format: Format,
        /// What is missing, or what the provider reports in its place.
        why: String,
    },
    /// It is nested deeper than any parser would have let through.
    #[error("nested deeper than {levels} levels")]
    TooDeep {
        /// The limit.
        levels: usize,
    },
    /// It holds more calls than one message may.
    #[error("{calls} calls in one message, more than {most}")]
    TooManyCalls {
        /// How many there are.
        calls: usize,
        /// The limit.
        most: usize,
    },
}
