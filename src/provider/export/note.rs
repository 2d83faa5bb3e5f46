//! What a provider does not take as a keyword, said in the description.

use serde_json::{Map, Value, json};

use super::report::{LossKind, Losses};

/// Bytes of one value in a description. Longer ones would say more of themselves than of the node.
const VALUE_BYTES: usize = 256;
/// Bytes of all notes of one description.
const NOTES_BYTES: usize = 1024;

/// The notes of one node, in the order of its keywords.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// Moves a keyword into the description, or says that it is too long for it.
    pub(super) fn take(&mut self, losses: &mut Losses, pointer: &str, keyword: &str, value: &Value) {
        if self.add(keyword, value) {
            losses.add(pointer, keyword, LossKind::MovedToDescription, format!("not taken by the format: {value}"));
        } else {
            losses.add(
                pointer,
                keyword,
                LossKind::Dropped,
                "not taken by the format, and too long for the description",
            );
        }
    }

    /// Adds a keyword if it is short enough.
    pub(super) fn add(&mut self, keyword: &str, value: &Value) -> bool {
        let text = value.to_string();
        let all: usize = self.0.iter().map(String::len).sum();
        let fits = text.len() <= VALUE_BYTES && all + text.len() <= NOTES_BYTES;
        if fits {
            self.0.push(format!("{keyword}: {text}"));
        }
        fits
    }

    /// Writes the description: the author's own, and the notes after it in one pair of brackets.
    pub(super) fn write(&self, out: &mut Map<String, Value>) {
        if self.0.is_empty() {
            return;
        }
        let notes = format!("({})", self.0.join("; "));
        let text = match out.get("description").and_then(Value::as_str).map(str::trim_end) {
            Some(own) if !own.is_empty() => format!("{own} {notes}"),
            _ => notes,
        };
        out.insert("description".to_owned(), json!(text));
    }
}
