//! Whose JSON it is.

use std::fmt;

/// A format in which a provider takes tools, sends calls, and gets results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `OpenAI` Chat Completions, and the many servers that speak it.
    OpenAiChat,
    /// `OpenAI` Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini, with `parameters`: its own subset of a schema.
    Gemini,
    /// Gemini, with `parametersJsonSchema`: the whole of JSON Schema. Not for its Live API.
    GeminiJsonSchema,
    /// `DeepSeek`: Chat Completions with a strictness of its own.
    DeepSeek,
    /// Model Context Protocol: `tools/list` and `tools/call`.
    Mcp,
    /// Amazon Bedrock Converse.
    Bedrock,
}

impl Format {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::GeminiJsonSchema,
        Self::DeepSeek,
        Self::Mcp,
        Self::Bedrock,
    ];

    /// A short word for it, such as `openai_chat`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai_chat",
            Self::OpenAiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::GeminiJsonSchema => "gemini_json_schema",
            Self::DeepSeek => "deepseek",
            Self::Mcp => "mcp",
            Self::Bedrock => "bedrock",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
