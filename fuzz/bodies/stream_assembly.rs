//! A stream as a server sends it: the first byte chooses the format, the second how the bytes are split, the rest are
//! server-sent events.

use toolgate::provider::{Format, SseDecoder, Turn, TurnBuilder};

use super::turns;

/// One run over any bytes.
pub(crate) fn run(data: &[u8]) {
    let Some((format, rest)) = turns::chosen(data) else { return };
    let Some((size, bytes)) = rest.split_first() else { return };
    let whole = built(format, bytes, bytes.len().max(1));
    let split = built(format, bytes, usize::from(*size) + 1);
    assert_eq!((whole.message(), whole.stopped(), whole.text()), (split.message(), split.stopped(), split.text()));
    turns::check(&whole);
}

fn built(format: Format, bytes: &[u8], size: usize) -> Turn {
    let (mut events, mut turn) = (SseDecoder::new(), TurnBuilder::new(format, &turns::names()));
    for piece in bytes.chunks(size) {
        for data in events.push(piece).expect("shorter than the limit") {
            turn.push_text(&data);
        }
    }
    turn.finish()
}
