//! Events of Anthropic Messages and of Bedrock Converse: blocks that start, grow and stop, by index.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::provider::stream::{Assembled, room::Room};

/// The blocks so far.
#[derive(Debug)]
pub(crate) struct Blocks {
    bedrock: bool,
    by_index: BTreeMap<u64, Block>,
    stop: Option<Value>,
    ended: bool,
}

/// A block so far.
#[derive(Debug, Default)]
struct Block {
    start: Map<String, Value>,
    /// Texts that grow, by member.
    texts: BTreeMap<&'static str, String>,
    input: String,
    is_call: bool,
    stopped: bool,
}

impl Blocks {
    pub(crate) fn anthropic() -> Self {
        Self { bedrock: false, by_index: BTreeMap::new(), stop: None, ended: false }
    }

    pub(crate) fn bedrock() -> Self {
        Self { bedrock: true, ..Self::anthropic() }
    }

    pub(crate) fn push(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        if self.bedrock { self.push_bedrock(event, room) } else { self.push_anthropic(event, room) }
    }

    fn push_anthropic(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        match event["type"].as_str().unwrap_or_default() {
            "content_block_start" => self.start(event.get("index"), &event["content_block"], room),
            "content_block_delta" => {
                let delta = &event["delta"];
                let block = self.growing(event.get("index"), room)?;
                let kind = delta["type"].as_str().unwrap_or_default();
                match kind {
                    "text_delta" => block.grow("text", &delta["text"], room),
                    "thinking_delta" => block.grow("thinking", &delta["thinking"], room),
                    "signature_delta" => block.grow("signature", &delta["signature"], room),
                    "input_json_delta" => block.grow_input(&delta["partial_json"], room),
                    "citations_delta" => block.cite(&delta["citation"], room),
                    _ => Ok(()),
                }
            }
            "content_block_stop" => self.stop(event.get("index"), room),
            "message_delta" => self.reason(event["delta"].get("stop_reason"), room),
            "message_stop" => {
                self.ended = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn push_bedrock(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        let Some((kind, event)) = event.as_object().and_then(|event| event.iter().next()) else { return Ok(()) };
        let index = event.get("contentBlockIndex");
        match kind.as_str() {
            "contentBlockStart" => self.start(index, &event["start"], room),
            "contentBlockDelta" => {
                let (block, delta) = (self.growing(index, room)?, &event["delta"]);
                let thought = &delta["reasoningContent"];
                block.grow("text", &delta["text"], room)?;
                block.grow_input(&delta["toolUse"]["input"], room)?;
                block.grow("thinking", &thought["text"], room)?;
                block.grow("signature", &thought["signature"], room)?;
                block.grow("redacted", &thought["redactedContent"], room)
            }
            "contentBlockStop" => self.stop(index, room),
            "messageStop" => {
                self.ended = true;
                self.reason(event.get("stopReason"), room)
            }
            error if error.ends_with("Exception") => Err(format!("the provider reports an error: {}", short(error))),
            _ => Ok(()),
        }
    }

    fn reason(&mut self, reason: Option<&Value>, room: &mut Room) -> Result<(), String> {
        if let Some(reason) = reason.filter(|reason| reason.is_string()) {
            self.stop = Some(room.copy(reason)?);
            self.ended = true;
        }
        Ok(())
    }

    fn start(&mut self, index: Option<&Value>, start: &Value, room: &mut Room) -> Result<(), String> {
        let index = number(index)?;
        if let Some(block) = self.by_index.get_mut(&index) {
            block.stopped = false;
            return Err("a block starts twice".to_owned());
        }
        let is_call = if self.bedrock { start["toolUse"].is_object() } else { start["type"] == "tool_use" };
        if is_call {
            room.call()?;
        }
        room.one_more()?;
        let start = room.copy(start)?;
        let start = if let Value::Object(start) = start { start } else { Map::new() };
        self.by_index.insert(index, Block { start, is_call, ..Block::default() });
        Ok(())
    }

    /// The block at `index`; some have no start.
    fn growing(&mut self, index: Option<&Value>, room: &mut Room) -> Result<&mut Block, String> {
        let index = number(index)?;
        if !self.by_index.contains_key(&index) {
            room.one_more()?;
        }
        let block = self.by_index.entry(index).or_default();
        if std::mem::take(&mut block.stopped) {
            return Err("a block goes on after its end".to_owned());
        }
        Ok(block)
    }

    fn stop(&mut self, index: Option<&Value>, room: &mut Room) -> Result<(), String> {
        self.growing(index, room)?.stopped = true;
        Ok(())
    }

    pub(crate) fn finish(self) -> Assembled {
        let (mut blocks, mut cut) = (Vec::new(), Vec::new());
        for block in self.by_index.into_values() {
            if block.is_call {
                cut.push(!block.stopped);
            }
            blocks.extend(if self.bedrock { block.bedrock() } else { block.anthropic() });
        }
        let body = if self.bedrock {
            json!({ "output": { "message": { "content": blocks } }, "stopReason": self.stop })
        } else {
            json!({ "content": blocks, "stop_reason": self.stop })
        };
        Assembled { body, cut, ended: self.ended }
    }
}

impl Block {
    fn grow(&mut self, member: &'static str, more: &Value, room: &mut Room) -> Result<(), String> {
        more.as_str().map_or(Ok(()), |more| room.append(self.texts.entry(member).or_default(), more))
    }

    /// Arguments make a call of what had no start.
    fn grow_input(&mut self, more: &Value, room: &mut Room) -> Result<(), String> {
        let Some(more) = more.as_str() else { return Ok(()) };
        if !self.is_call && self.start.is_empty() {
            room.call()?;
            self.is_call = true;
        }
        room.append(&mut self.input, more)
    }

    fn cite(&mut self, citation: &Value, room: &mut Room) -> Result<(), String> {
        let citation = room.copy(citation)?;
        let citations = self.start.entry("citations").or_insert(Value::Null);
        match citations {
            Value::Array(citations) => citations.push(citation),
            other => *other = json!([citation]),
        }
        Ok(())
    }

    /// The arguments: what was in the start, unless more came.
    fn input(&mut self, start: Option<Value>) -> Value {
        match start {
            Some(start) if self.input.is_empty() => start,
            _ => Value::String(std::mem::take(&mut self.input)),
        }
    }

    /// Text and calls are kept as far as they came; the rest, thoughts for instance, only whole: it is signed.
    fn anthropic(mut self) -> Option<Value> {
        let mut out = std::mem::take(&mut self.start);
        if self.is_call {
            out.insert("type".to_owned(), json!("tool_use"));
            let input = self.input(out.get("input").cloned());
            out.insert("input".to_owned(), input);
            return Some(Value::Object(out));
        }
        let is_text = out.get("type").is_none_or(|kind| kind == "text");
        if !is_text && !self.stopped {
            return None;
        }
        if is_text {
            out.insert("type".to_owned(), json!("text"));
        }
        if is_text && self.texts.is_empty() && !out.contains_key("text") {
            return None;
        }
        for (member, text) in self.texts {
            let before = out.get(member).and_then(Value::as_str).unwrap_or_default();
            let whole = format!("{before}{text}");
            out.insert(member.to_owned(), Value::String(whole));
        }
        if !self.input.is_empty() {
            out.insert("input".to_owned(), serde_json::from_str(&self.input).ok().filter(Value::is_object)?);
        }
        Some(Value::Object(out))
    }

    fn bedrock(mut self) -> Option<Value> {
        if self.is_call {
            let mut out = self.start.shift_remove("toolUse").filter(Value::is_object).unwrap_or(json!({}));
            let input = self.input(out.get("input").cloned());
            out["input"] = input;
            return Some(json!({ "toolUse": out }));
        }
        let mut text = |member| self.texts.remove(member);
        if let Some(said) = text("text") {
            return Some(json!({ "text": said }));
        }
        if let Some(redacted) = text("redacted").filter(|_| self.stopped) {
            return Some(json!({ "reasoningContent": { "redactedContent": redacted } }));
        }
        let mut thought = json!({ "text": text("thinking").filter(|_| self.stopped)? });
        if let Some(signature) = text("signature") {
            thought["signature"] = json!(signature);
        }
        Some(json!({ "reasoningContent": { "reasoningText": thought } }))
    }
}

/// An index is a key and nothing more: it may be any number.
fn number(index: Option<&Value>) -> Result<u64, String> {
    index.and_then(Value::as_u64).ok_or_else(|| "an event does not say which block it is about".to_owned())
}

fn short(name: &str) -> String {
    name.chars().take(100).collect()
}
