//! Chunks of Gemini: each a response with further parts.

use serde_json::{Value, json};

use crate::provider::stream::{Assembled, room::Room};

/// The parts so far.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    parts: Vec<Value>,
    finish: Option<Value>,
}

impl Parts {
    pub(crate) fn push(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        let event = event.get("response").filter(|response| response.is_object()).unwrap_or(event);
        if let Some(reason) = event["promptFeedback"]["blockReason"].as_str() {
            return Err(format!("the prompt was blocked: {}", reason.chars().take(100).collect::<String>()));
        }
        let candidate = &event["candidates"][0];
        let parts = candidate["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        for part in parts.iter().filter(|part| part.is_object()) {
            self.part(part, room)?;
        }
        if let Some(reason) = candidate.get("finishReason").filter(|reason| reason.is_string()) {
            self.finish = Some(room.copy(reason)?);
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, room: &mut Room) -> Result<(), String> {
        if part.get("functionCall").or_else(|| part.get("function_call")).is_some() {
            room.call()?;
        }
        if let (Some(last), Some(more)) = (self.parts.last_mut(), plain(part))
            && plain(last).is_some()
            && last.get("thought") == part.get("thought")
            && let Value::String(text) = &mut last["text"]
        {
            return room.append(text, more);
        }
        self.parts.push(room.copy(part)?);
        Ok(())
    }

    /// Calls come whole, each in a part; what may be missing is the end of the message.
    pub(crate) fn finish(self) -> Assembled {
        let ended = self.finish.is_some();
        let candidate = json!({ "content": { "role": "model", "parts": self.parts }, "finishReason": self.finish });
        Assembled { body: json!({ "candidates": [candidate] }), cut: Vec::new(), ended }
    }
}

/// The text of a part that is nothing else, a thought or not. A signature holds for the part that it stands in.
fn plain(part: &Value) -> Option<&str> {
    let others = part.as_object()?.keys().any(|key| !matches!(key.as_str(), "text" | "thought"));
    if others { None } else { part["text"].as_str() }
}
