//! How much an export may be.

use crate::provider::Format;

/// How much an export may be. A tool beyond it is refused, alone, and what is counted over all tools is counted in the order
/// given.
///
/// [`Budget::of`] has the defaults:
///
/// | what | by default | why |
/// |---|---|---|
/// | bytes of one tool | 64 KiB | the largest tool seen in the wild has about as much; some 16 000 tokens |
/// | bytes of all tools | 512 KiB | some 130 000 tokens at four bytes each: as much as many models read at all |
/// | levels of schemas | 64, for Gemini's `parameters` 32 | what registration admits; Gemini refuses deep ones and does not say where: 32 levels are some 100 of JSON, and readers of JSON stop at 100 to 128 |
/// | tools | 128 for `OpenAI` and `DeepSeek`, 512 for Gemini, else any number | what their API references say |
///
/// For MCP nothing is bounded: a list is no prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub(super) tool_bytes: usize,
    pub(super) total_bytes: usize,
    pub(super) levels: usize,
    pub(super) tools: usize,
}

impl Budget {
    /// What is the default for a format.
    pub fn of(format: Format) -> Self {
        let own = Self { tool_bytes: 64 << 10, total_bytes: 512 << 10, levels: 64, tools: usize::MAX };
        match format {
            Format::OpenAiChat | Format::OpenAiResponses | Format::DeepSeek => Self { tools: 128, ..own },
            Format::Gemini => Self { levels: 32, tools: 512, ..own },
            Format::GeminiJsonSchema => Self { tools: 512, ..own },
            Format::Anthropic | Format::Bedrock => own,
            Format::Mcp => {
                Self { tool_bytes: usize::MAX, total_bytes: usize::MAX, levels: usize::MAX, tools: usize::MAX }
            }
        }
    }

    /// Sets how many bytes one tool may have, with its name and description.
    #[must_use]
    pub fn tool_bytes(mut self, bytes: usize) -> Self {
        self.tool_bytes = bytes;
        self
    }

    /// Sets how many bytes all tools may have together.
    #[must_use]
    pub fn total_bytes(mut self, bytes: usize) -> Self {
        self.total_bytes = bytes;
        self
    }

    /// Sets how many schemas may be within one another.
    #[must_use]
    pub fn levels(mut self, levels: usize) -> Self {
        self.levels = levels;
        self
    }

    /// Sets how many tools there may be.
    #[must_use]
    pub fn tools(mut self, tools: usize) -> Self {
        self.tools = tools;
        self
    }
}
