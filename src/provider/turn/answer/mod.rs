//! Results as the messages that providers want.

mod blocks;
mod chat;
mod gemini;
mod mcp;
mod media;
mod reply;
mod responses;

use std::sync::Arc;

use serde_json::Value;

use crate::{
    ToolResult,
    provider::{
        Format,
        turn::{WireCall, answer::reply::Reply},
    },
};

/// One answer for each of `calls`, whatever `results` there are.
pub(crate) fn messages(format: Format, calls: &[WireCall], results: &[Arc<ToolResult>]) -> Vec<Value> {
    if calls.is_empty() {
        return Vec::new();
    }
    let replies: Vec<_> = calls.iter().enumerate().map(|(i, call)| Reply::new(call, results.get(i))).collect();
    match format {
        Format::OpenAiChat | Format::DeepSeek => chat::messages(format, &replies),
        Format::OpenAiResponses => responses::items(&replies),
        Format::Anthropic => vec![blocks::anthropic(&replies)],
        Format::Bedrock => vec![blocks::bedrock(&replies)],
        Format::Gemini | Format::GeminiJsonSchema => vec![gemini::content(&replies)],
        Format::Mcp => replies.iter().map(mcp::result).collect(),
    }
}
