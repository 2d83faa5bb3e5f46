//! Chunks of Chat Completions: deltas of a message, with calls by index.

use serde_json::{Map, Value, json};

use crate::provider::stream::{Assembled, room::Room};

/// Members of a delta whose texts are pieces of one.
const PIECES: [&str; 4] = ["content", "refusal", "reasoning_content", "reasoning"];

/// The message so far.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    message: Map<String, Value>,
    calls: Vec<Slot>,
    legacy: Option<Slot>,
    finish: Option<String>,
}

/// A call so far.
#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    id: String,
    /// Members of the call beside those that are put together.
    others: Map<String, Value>,
    name: String,
    arguments: String,
    /// Arguments that came as JSON, against the format.
    whole: Option<Value>,
    /// They came so more than once: which of them are meant is not known.
    unclear: bool,
    custom: bool,
}

impl Chat {
    pub(crate) fn push(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        let choices = event.get("choices").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let first = |choice: &&Value| choice.get("index").is_none_or(|index| index == 0 || index.is_null());
        let Some(choice) = choices.iter().find(first) else { return Ok(()) };
        let delta = choice.get("delta").or_else(|| choice.get("message")).and_then(Value::as_object);
        for (name, value) in delta.into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            match (name.as_str(), value) {
                ("tool_calls", Value::Array(calls)) => {
                    calls.iter().try_for_each(|call| self.call(call, calls.len() > 1, room))?;
                }
                ("function_call", call) => {
                    if self.legacy.is_none() {
                        room.call()?;
                    }
                    self.legacy.get_or_insert_default().function(call, "arguments", room)?;
                }
                ("role" | "tool_calls", _) => {}
                _ => self.member(name, value, room)?,
            }
        }
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            let mut finish = String::new();
            room.append(&mut finish, reason)?;
            self.finish = Some(finish);
        }
        Ok(())
    }

    fn member(&mut self, name: &str, value: &Value, room: &mut Room) -> Result<(), String> {
        match (self.message.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more)) if PIECES.contains(&name) => room.append(text, more),
            (Some(Value::Array(items)), Value::Array(more)) => {
                for item in more {
                    items.push(room.copy(item)?);
                }
                Ok(())
            }
            _ => {
                room.one_more()?;
                self.message.insert(name.to_owned(), room.copy(value)?);
                Ok(())
            }
        }
    }

    /// Takes one piece of a call; `among` others of the same delta, or as its only one.
    fn call(&mut self, piece: &Value, among: bool, room: &mut Room) -> Result<(), String> {
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(Value::as_str).unwrap_or_default();
        let function = piece.get("function").or_else(|| piece.get("custom"));
        let name = function.and_then(|f| f["name"].as_str()).unwrap_or_default();
        let begins = !name.is_empty() && index.is_none() && id.is_empty() && among;
        let at = self.slot(index, id).filter(|at| !begins && !self.calls[*at].is_another(id, name));
        let at = if let Some(at) = at {
            at
        } else {
            room.call()?;
            self.calls.push(Slot { index, ..Slot::default() });
            self.calls.len() - 1
        };
        let slot = &mut self.calls[at];
        if slot.id.is_empty() {
            room.append(&mut slot.id, id)?;
        }
        for (name, value) in piece.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                "index" | "id" => {}
                "function" => slot.function(value, "arguments", room)?,
                "custom" => {
                    slot.custom = true;
                    slot.function(value, "input", room)?;
                }
                _ => {
                    room.one_more()?;
                    slot.others.insert(name.clone(), room.copy(value)?);
                }
            }
        }
        Ok(())
    }

    /// Which call a piece may belong to: that of its index; without an index that of its id, or else the last one.
    fn slot(&self, index: Option<u64>, id: &str) -> Option<usize> {
        match index {
            Some(_) => self.calls.iter().rposition(|slot| slot.index == index),
            None if !id.is_empty() => self.calls.iter().rposition(|slot| slot.id == id),
            None => self.calls.len().checked_sub(1),
        }
    }

    /// A stream that gives no reason to finish gives no end of any call either.
    pub(crate) fn finish(mut self) -> Assembled {
        let ended = self.finish.is_some();
        self.calls.sort_by_key(|slot| slot.index);
        let mut cut: Vec<bool> = self.calls.iter().map(|call| !ended || call.unclear).collect();
        if let Some(call) = &self.legacy {
            cut.push(!ended || call.unclear);
        }
        if let Some(call) = self.legacy {
            self.message.insert("function_call".to_owned(), call.made("arguments"));
        }
        let calls: Vec<Value> = self.calls.into_iter().map(Slot::call).collect();
        self.message.shift_insert(0, "role".to_owned(), json!("assistant"));
        self.message.entry("content").or_insert(Value::Null);
        self.message.insert("tool_calls".to_owned(), Value::Array(calls));
        let choice = json!({ "message": self.message, "finish_reason": self.finish });
        Assembled { body: json!({ "choices": [choice] }), cut, ended }
    }
}

impl Slot {
    /// Whether a piece with this id and name begins another call, although its index or place is this one's: some
    /// servers give every call the index 0.
    fn is_another(&self, id: &str, name: &str) -> bool {
        if name.is_empty() {
            return false;
        }
        if id.is_empty() || self.id.is_empty() {
            return !self.name.is_empty() && self.name != name;
        }
        self.id != id
    }

    fn function(&mut self, piece: &Value, input: &str, room: &mut Room) -> Result<(), String> {
        // A name comes once, or again and again; never in pieces.
        if let Some(name) = piece.get("name").and_then(Value::as_str).filter(|_| self.name.is_empty()) {
            room.append(&mut self.name, name)?;
        }
        match piece.get(input) {
            None | Some(Value::Null) => {}
            Some(Value::String(more)) => {
                self.unclear |= self.whole.is_some() && !more.is_empty();
                room.append(&mut self.arguments, more)?;
            }
            Some(other) => {
                self.unclear |= self.whole.is_some() || !self.arguments.is_empty();
                self.whole = Some(room.copy(other)?);
            }
        }
        Ok(())
    }

    fn made(self, input: &str) -> Value {
        let arguments = match self.whole {
            Some(whole) if self.arguments.is_empty() => whole,
            _ => Value::String(self.arguments),
        };
        json!({ "name": self.name, input: arguments })
    }

    fn call(mut self) -> Value {
        let mut call = Map::new();
        call.insert("id".to_owned(), json!(self.id));
        let (kind, input) = if self.custom { ("custom", "input") } else { ("function", "arguments") };
        call.append(&mut self.others);
        let kind = call.entry("type").or_insert(json!(kind)).as_str().unwrap_or(kind).to_owned();
        if kind == "function" || kind == "custom" {
            call.insert(kind, self.made(input));
        }
        Value::Object(call)
    }
}
