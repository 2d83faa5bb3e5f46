//! What an export did to each tool.

use std::{collections::BTreeSet, fmt};

use serde::Serialize;

/// Whether a provider is asked to hold a model to a tool's schema, by its own `strict`.
///
/// Served for both of `OpenAI`'s formats, `DeepSeek` and Anthropic. The others have no such thing: for them
/// [`Strict::Required`] refuses every tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strict {
    /// It is not: the schema stays as whole as the provider takes it.
    #[default]
    Never,
    /// It is where the schema can be said in its strict subset.
    WherePossible,
    /// It is, and a tool whose schema cannot be said so is refused.
    Required,
}

/// How a tool went out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// The provider holds the model to the schema.
    Strict,
    /// The schema is a manual, and the model may depart from it. Where strictness was wished for, the report has a
    /// loss of the keyword `strict` with the reason.
    NotStrict,
    /// Not at all, and why.
    Refused(String),
}

/// What an export did to one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolReport {
    /// The tool's name in the registry.
    pub name: String,
    /// The name by which the provider knows it.
    pub wire_name: String,
    /// How it went out.
    pub mode: Mode,
    /// Everything that the exported schema says otherwise, in no order that matters. Empty where nothing was lost.
    pub losses: Vec<Loss>,
}

/// One thing that the exported schema does not say as its author did.
///
/// A rewriting that means the same is none: references under other names, an older draft in the words of the newest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// Where in the tool's parameters, as a JSON pointer. What several schemas say of one value, in `allOf`, in the
    /// alternatives of a union or across a reference, is told at the place where it was put together.
    pub pointer: String,
    /// Which keyword.
    pub keyword: String,
    /// What became of it.
    pub kind: LossKind,
    /// In words.
    pub message: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{at}: {}: {}", self.keyword, self.message)
    }
}

/// What became of a part of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LossKind {
    /// It is gone.
    Dropped,
    /// It stands in the description, where a model reads it and nobody enforces it.
    MovedToDescription,
    /// More is accepted than was. The registry still checks every call by the tool's own parameters.
    Widened,
    /// Less is accepted than was: a model cannot say everything that the tool would take.
    Narrowed,
    /// The same is said in another way, which whoever reads the call has to know: `null` for what is left out.
    Rewritten,
}

impl LossKind {
    /// A short word for it, such as `moved_to_description`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::MovedToDescription => "moved_to_description",
            Self::Widened => "widened",
            Self::Narrowed => "narrowed",
            Self::Rewritten => "rewritten",
        }
    }
}

/// Bytes of all losses of one tool. Pointers can be long, and foreign tools need not be kind.
const LOSSES_BYTES: usize = 1 << 20;

/// Collects losses, each once: what is inlined in many places loses the same in all of them.
#[derive(Debug, Default)]
pub(super) struct Losses {
    list: Vec<Loss>,
    seen: BTreeSet<Loss>,
    bytes: usize,
}

impl Losses {
    pub(super) fn add(&mut self, pointer: &str, keyword: &str, kind: LossKind, message: impl Into<String>) {
        if self.bytes > LOSSES_BYTES {
            return;
        }
        let mut loss = Loss { pointer: pointer.to_owned(), keyword: keyword.to_owned(), kind, message: message.into() };
        self.bytes += loss.pointer.len() + loss.keyword.len() + loss.message.len();
        if self.bytes > LOSSES_BYTES {
            // It counts as each of the others, too: who looks for narrowed ones has to find it.
            let message = "there are more losses than can be listed, of any kind".to_owned();
            loss = Loss { pointer: String::new(), keyword: String::new(), kind: LossKind::Narrowed, message };
        }
        if self.seen.insert(loss.clone()) {
            self.list.push(loss);
        }
    }

    pub(super) fn extend(&mut self, other: Self) {
        for loss in other.list {
            self.add(&loss.pointer, &loss.keyword, loss.kind, loss.message);
        }
    }

    pub(super) fn into_list(self) -> Vec<Loss> {
        self.list
    }
}
