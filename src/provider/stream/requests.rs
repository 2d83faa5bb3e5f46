//! Requests of MCP, one after the other.

use serde_json::{Value, json};

use crate::provider::{
    stream::{Assembled, room::Room},
    turn::read_request,
};

/// The requests so far.
#[derive(Debug, Default)]
pub(crate) struct Requests(Vec<Value>);

impl Requests {
    pub(crate) fn push(&mut self, event: &Value, room: &mut Room) -> Result<(), String> {
        read_request(0, event).map_err(|error| error.to_string())?;
        room.call()?;
        self.0.push(room.copy(event)?);
        Ok(())
    }

    /// A request is whole or has not arrived.
    pub(crate) fn finish(self) -> Assembled {
        Assembled { body: json!(self.0), cut: Vec::new(), ended: true }
    }
}
