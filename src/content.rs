//! What a model reads of a result.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// One piece of the model-facing form of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    #[non_exhaustive]
    Image {
        /// The bytes, in base64.
        data: String,
        /// Such as `image/png`.
        mime_type: String,
    },
    /// Sound.
    #[non_exhaustive]
    Audio {
        /// The bytes, in base64.
        data: String,
        /// Such as `audio/wav`.
        mime_type: String,
    },
    /// A reference to something that can be read elsewhere.
    #[non_exhaustive]
    ResourceLink {
        /// Where it is.
        uri: String,
        /// A short name for it.
        name: String,
        /// The type of what is there, if known.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        mime_type: Option<String>,
    },
}

impl ContentBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// An image from base64 `data` and its type, such as `image/png`.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image { data: data.into(), mime_type: mime_type.into() }
    }

    /// Sound from base64 `data` and its type, such as `audio/wav`.
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Audio { data: data.into(), mime_type: mime_type.into() }
    }

    /// A link to `uri`, called `name`.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ResourceLink { uri: uri.into(), name: name.into(), mime_type: None }
    }

    /// The text, where the block is one of text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }
}

/// The blocks of a result. One is the rule, and needs no list.
#[derive(Clone)]
pub(crate) enum Blocks {
    One(ContentBlock),
    Any(Vec<ContentBlock>),
}

impl Blocks {
    pub(crate) fn into_vec(self) -> Vec<ContentBlock> {
        match self {
            Self::One(block) => vec![block],
            Self::Any(blocks) => blocks,
        }
    }
}

impl Deref for Blocks {
    type Target = [ContentBlock];

    fn deref(&self) -> &[ContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Any(blocks) => blocks,
        }
    }
}

impl From<Vec<ContentBlock>> for Blocks {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Any(blocks)
    }
}

impl From<ContentBlock> for Blocks {
    fn from(block: ContentBlock) -> Self {
        Self::One(block)
    }
}

/// Something to tell the model after a result, kept apart from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdditionalContext {
    /// What the model is told.
    pub text: String,
    /// Who says it: a tool's, wrapper's or policy's name.
    pub source_name: String,
}

impl AdditionalContext {
    /// `text`, said by `source_name`.
    pub fn new(text: impl Into<String>, source_name: impl Into<String>) -> Self {
        Self { text: text.into(), source_name: source_name.into() }
    }
}
