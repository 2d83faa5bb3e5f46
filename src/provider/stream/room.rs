//! How much a stream may leave behind.

use serde_json::Value;

use crate::provider::turn::{MOST_CALLS, STREAM_BYTES, weight};

/// What has been kept so far.
#[derive(Debug, Default)]
pub(crate) struct Room {
    bytes: usize,
    calls: usize,
}

impl Room {
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > STREAM_BYTES { Err(format!("the stream is longer than {STREAM_BYTES} bytes")) } else { Ok(()) }
    }

    /// A copy of `value`, if there is room for it.
    pub(crate) fn copy(&mut self, value: &Value) -> Result<Value, String> {
        self.take(weight(value))?;
        Ok(value.clone())
    }

    /// Puts `more` behind `text`.
    pub(crate) fn append(&mut self, text: &mut String, more: &str) -> Result<(), String> {
        self.take(more.len())?;
        text.push_str(more);
        Ok(())
    }

    /// Room for one more thing of a stream, whatever is in it.
    pub(crate) fn one_more(&mut self) -> Result<(), String> {
        self.take(256)
    }

    /// Room for one more call.
    pub(crate) fn call(&mut self) -> Result<(), String> {
        self.calls += 1;
        if self.calls > MOST_CALLS { Err(format!("more than {MOST_CALLS} calls in one message")) } else { Ok(()) }
    }
}
