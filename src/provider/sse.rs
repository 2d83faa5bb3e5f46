//! Server-sent events: bytes in, `data` out.

/// Bytes of one event. An image in base64 fits.
const EVENT_BYTES: usize = 16 << 20;

/// Takes the bytes of an event stream apart, however they arrive, into the data of its events.
///
/// ```
/// use toolgate::provider::SseDecoder;
///
/// let mut decoder = SseDecoder::new();
/// assert!(decoder.push(b"event: delta\ndata: {\"a\"")?.is_empty());
/// assert_eq!(decoder.push(b": 1}\n\ndata: [DONE]\n\n")?, ["{\"a\": 1}", "[DONE]"]);
/// # Ok::<(), toolgate::provider::SseError>(())
/// ```
///
/// An event that its blank line does not follow has not arrived. Names of events, ids and comments are left out: the
/// providers repeat in the data what matters of them.
#[derive(Clone, Debug, Default)]
pub struct SseDecoder {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
    started: bool,
}

/// An event was longer than 16 MiB. What follows cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a server-sent event is longer than {} bytes", EVENT_BYTES)]
#[non_exhaustive]
pub struct SseError;

impl SseDecoder {
    /// A decoder at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// The data of the events that `bytes` complete, in order.
    ///
    /// # Errors
    ///
    /// If an event is longer than 16 MiB; the event and those before it in `bytes` are lost then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, SseError> {
        let mut out = Vec::new();
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
            let line = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + line.len() + self.data.as_ref().map_or(0, String::len) > EVENT_BYTES {
                *self = Self { started: true, ..Self::default() };
                return Err(SseError);
            }
            self.line.extend_from_slice(line);
            let Some(end) = end else { break };
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            out.extend(self.end_of_line());
        }
        Ok(out)
    }

    fn end_of_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if std::mem::replace(&mut self.started, true) { &line } else { line.trim_start_matches('\u{feff}') };
        if line.is_empty() {
            return self.data.take();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str =
        "\u{feff}: hello\r\ndata: é1\r\rdata:2\ndata\ndata:  3\nid: 7\n\nevent: ping\n\n\ndata: [DONE]\n\nlost";

    #[test]
    fn any_split_of_the_bytes_gives_the_same_events() {
        let bytes = STREAM.as_bytes();
        for at in 0..=bytes.len() {
            let mut decoder = SseDecoder::new();
            let mut out = decoder.push(&bytes[..at]).expect("short");
            out.extend(decoder.push(&bytes[at..]).expect("short"));
            assert_eq!(out, ["é1", "2\n\n 3", "[DONE]"], "split at {at}");
        }
    }

    #[test]
    fn an_endless_line_is_refused_and_forgotten() {
        let mut decoder = SseDecoder::new();
        let piece = vec![b'x'; 1 << 20];
        let refused = (0..20).position(|_| decoder.push(&piece).is_err());
        assert_eq!(refused, Some(16));
        assert_eq!(decoder.push(b"\n\ndata: 1\n\n").expect("short"), ["1"]);
    }
}
