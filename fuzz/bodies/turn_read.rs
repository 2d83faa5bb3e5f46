//! A body as a server sends it: the first byte chooses the format, the rest is the text.

use serde_json::Value;
use toolgate::provider::Turn;

use super::turns;

/// One run over any bytes.
pub(crate) fn run(data: &[u8]) {
    let Some((format, text)) = turns::chosen(data) else { return };
    let Ok(body) = serde_json::from_slice::<Value>(text) else { return };
    if let Ok(turn) = Turn::read(format, &body, &turns::names()) {
        turns::check(&turn);
    }
}
