//! The recorded transcript: a line for each message of the assistant, in the shape that providers send.

use std::{error::Error, fs, path::Path};

use serde::Deserialize;

/// One call as the model sent it: the arguments are text, and may be anything.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    tool_calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

/// All calls of the transcript, in order.
pub(crate) fn calls() -> Result<Vec<Asked>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quickstart/transcript.jsonl");
    let text = fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let mut calls = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let message: Message = serde_json::from_str(line)?;
        let asked = |c: Call| Asked { id: c.id, name: c.function.name, arguments: c.function.arguments };
        calls.extend(message.tool_calls.into_iter().map(asked));
    }
    Ok(calls)
}
