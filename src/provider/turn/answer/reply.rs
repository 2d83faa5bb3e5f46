//! One call with what is told of it.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use crate::{AdditionalContext, ContentBlock, ToolResult, provider::turn::WireCall};

/// A call's result, or the lack of one, as the renderings see it.
pub(crate) struct Reply<'a> {
    pub(crate) call: &'a WireCall,
    pub(crate) failed: bool,
    /// Without blank texts, and never empty.
    pub(crate) blocks: Vec<Cow<'a, ContentBlock>>,
    /// The value, where the texts show nothing else: for formats in which it takes their place.
    pub(crate) value: Option<&'a Value>,
    /// The value, where nobody put other content in the place of what the tool makes of it: for formats that take both.
    pub(crate) data: Option<&'a Value>,
    contexts: &'a [AdditionalContext],
}

impl<'a> Reply<'a> {
    pub(crate) fn new(call: &'a WireCall, result: Option<&'a Arc<ToolResult>>) -> Self {
        let Some(result) = result else {
            let text = "Error: there is no result for this call; it may have run, or not";
            let blocks = vec![Cow::Owned(ContentBlock::text(text))];
            return Self { call, failed: true, blocks, value: None, data: None, contexts: &[] };
        };
        let said = |block: &&ContentBlock| block.as_text().is_none_or(|text| !text.trim().is_empty());
        let mut blocks: Vec<_> = result.content().iter().filter(said).map(Cow::Borrowed).collect();
        let failed = !result.is_success();
        if blocks.is_empty() {
            let text = if failed { "Error: the call failed, and nothing more is told" } else { "(no output)" };
            blocks.push(Cow::Owned(ContentBlock::text(text)));
        }
        let data = result.value().filter(|_| result.shows_value());
        Self { call, failed, blocks, value: shown(result), data, contexts: result.additional_contexts() }
    }

    /// All of it as one text, `told` for what is none.
    pub(crate) fn text(&self, mut told: impl FnMut(&ContentBlock) -> String) -> String {
        let texts = self.blocks.iter().map(|block| match block.as_text() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(told(block)),
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// What goes before the first text where the format cannot say otherwise that a call failed.
    pub(crate) fn mark(&self) -> &'static str {
        let says_so = |text: &str| text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
        let said = self.blocks.first().and_then(|block| block.as_text()).is_some_and(says_so);
        if self.failed && !said { "Error: " } else { "" }
    }

    /// What is to be told after the results, each with its source and its call.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = String> {
        let WireCall { id, name, .. } = self.call;
        self.contexts.iter().map(move |c| format!("[{} on call {id} ({name})]\n{}", c.source_name, c.text))
    }
}

/// The value of a success, if its one text is that value.
fn shown(result: &ToolResult) -> Option<&Value> {
    let value = result.value()?;
    let mut texts = result.content().iter().filter_map(ContentBlock::as_text);
    let (text, None) = (texts.next()?, texts.next()) else { return None };
    let same = match value {
        Value::String(said) => said == text,
        other => serde_json::from_str::<Value>(text).is_ok_and(|read| read == *other),
    };
    same.then_some(value)
}
