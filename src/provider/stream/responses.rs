//! Events of Responses: items that are added, grow and are done, and the whole response at the end.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use crate::provider::{
    stream::{Assembled, room::Room},
    turn::MOST_CALLS,
};

/// The items so far, by their place in the output.
#[derive(Debug, Default)]
pub(crate) struct Items {
    places: BTreeMap<u64, Item>,
    /// Where items were found by their ids.
    found: HashMap<String, u64>,
    /// The response as its last event has it.
    last: Option<Value>,
}

/// An item so far.
#[derive(Debug, Default)]
struct Item {
    so_far: Value,
    /// The text that grows: of a message, of arguments, of a custom tool's input.
    text: String,
    done: bool,
}

impl Items {
    pub(crate) fn push(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        match event["type"].as_str().unwrap_or_default() {
            kind @ ("response.output_item.added" | "response.output_item.done") => {
                let done = kind.ends_with("done");
                let item = room.copy(&event["item"])?;
                if !item["type"].is_string() {
                    return Err("an event has no item with a type".to_owned());
                }
                let slot = self.item(event, room)?;
                if is_call(&item) && !is_call(&slot.so_far) {
                    room.call()?;
                }
                slot.so_far = item;
                slot.done = done;
            }
            "response.function_call_arguments.delta"
            | "response.custom_tool_call_input.delta"
            | "response.output_text.delta" => {
                let slot = self.item(event, room)?;
                slot.done = false;
                room.append(&mut slot.text, event["delta"].as_str().unwrap_or_default())?;
            }
            "response.function_call_arguments.done" => self.whole(event, "arguments", room)?,
            "response.custom_tool_call_input.done" => self.whole(event, "input", room)?,
            "response.completed" | "response.incomplete" | "response.failed" => {
                let last = room.copy(&event["response"])?;
                let calls =
                    last["output"].as_array().map_or(0, |items| items.iter().filter(|item| is_call(item)).count());
                if calls > MOST_CALLS {
                    return Err(format!("more than {MOST_CALLS} calls in one message"));
                }
                self.last = Some(last);
            }
            "error" => {
                let why = event["message"].as_str().unwrap_or("without a message").chars().take(200);
                return Err(format!("the provider reports an error: {}", why.collect::<String>()));
            }
            _ => {}
        }
        Ok(())
    }

    /// The item that an event is about: by its place, or else by its id.
    fn item(&mut self, event: &Value, room: &mut Room) -> Result<&mut Item, String> {
        let at = match (event["output_index"].as_u64(), event["item_id"].as_str()) {
            (Some(at), _) => Some(at),
            (None, Some(id)) => self.by_id(id, room)?,
            (None, None) => None,
        };
        let at = at.ok_or_else(|| "an event does not say which item it is about".to_owned())?;
        if !self.places.contains_key(&at) {
            room.one_more()?;
        }
        Ok(self.places.entry(at).or_default())
    }

    fn by_id(&mut self, id: &str, room: &mut Room) -> Result<Option<u64>, String> {
        let known = self.found.get(id).filter(|at| self.places.get(at).is_some_and(|item| item.so_far["id"] == id));
        if let Some(at) = known {
            return Ok(Some(*at));
        }
        let at = self.places.iter().find(|(_, item)| item.so_far["id"] == id).map(|(at, _)| *at);
        if let Some(at) = at {
            let mut key = String::new();
            room.append(&mut key, id)?;
            self.found.insert(key, at);
        }
        Ok(at)
    }

    fn whole(&mut self, event: &Value, member: &str, room: &mut Room) -> Result<(), String> {
        let Some(text) = event[member].as_str() else { return Ok(()) };
        let mut whole = String::new();
        room.append(&mut whole, text)?;
        self.item(event, room)?.text = whole;
        Ok(())
    }

    /// What the last event holds is the whole of it, where it holds anything.
    pub(crate) fn finish(self) -> Assembled {
        let ended = self.last.is_some();
        let mut body = self.last.filter(Value::is_object).unwrap_or(json!({}));
        if body["output"].as_array().is_none_or(Vec::is_empty) {
            let items: Vec<Value> = self.places.into_values().filter_map(Item::made).collect();
            body["output"] = Value::Array(items);
        }
        if let Some(body) = body.as_object_mut() {
            // The reader takes what has a type for an item.
            body.shift_remove("type");
            body.shift_remove("response");
        }
        Assembled { body, cut: Vec::new(), ended }
    }
}

fn is_call(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| kind.ends_with("_call") || kind == "mcp_approval_request")
}

impl Item {
    /// Calls and messages are kept as far as they came; the rest only whole.
    fn made(mut self) -> Option<Value> {
        if self.done {
            return Some(self.so_far);
        }
        match self.so_far["type"].as_str()? {
            "function_call" => self.so_far["arguments"] = Value::String(self.text),
            "custom_tool_call" => self.so_far["input"] = Value::String(self.text),
            "message" => {
                self.so_far["content"] = json!([{ "type": "output_text", "text": self.text, "annotations": [] }]);
            }
            kind if kind.ends_with("_call") => {}
            _ => return None,
        }
        self.so_far["status"] = json!("incomplete");
        Some(self.so_far)
    }
}
