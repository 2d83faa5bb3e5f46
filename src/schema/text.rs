//! Argument text as models send it: one strict pass over the bytes, then one parse.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value};

use super::{
    limits::{ArgumentLimits, TEXT_DEPTH},
    problem::{ArgumentProblem, excerpt, push_step},
    value::{check_key, too_deep, too_large, too_many},
};
use crate::arguments::kind;

/// Reads argument text. Nothing, blanks and `null` are `{}`; everything else must be one JSON object within `limits`,
/// without repeated keys and with integers that 64 bits can hold. The answer does not depend on how `serde_json` is
/// configured.
pub(crate) fn parse_arguments(text: &str, limits: ArgumentLimits) -> Result<Value, ArgumentProblem> {
    if matches!(text.trim_matches([' ', '\t', '\r', '\n']), "" | "null") {
        return Ok(Value::Object(Map::new()));
    }
    match parse_strictly(text, limits)? {
        value @ Value::Object(_) => Ok(value),
        Value::String(inner) if inner.trim_start().starts_with('{') => {
            Err(ArgumentProblem::whole("expected an object, got a string that holds JSON; send the object directly"))
        }
        other => Err(ArgumentProblem::whole(format!("expected an object, got {}", kind(&other)))),
    }
}

/// Reads any one JSON value, as strictly.
pub(crate) fn parse_strictly(text: &str, limits: ArgumentLimits) -> Result<Value, ArgumentProblem> {
    if text.len() > limits.bytes {
        return Err(too_large(limits.bytes));
    }
    let mut scan =
        Scan { text, at: 0, limits, nodes: 0, stack: Vec::new(), keys: Vec::new(), zeros: Vec::new(), in_key: false };
    if let Err(fault) = scan.run() {
        return Err(scan.problem(fault));
    }
    let mut text = Cow::Borrowed(text);
    for minus in scan.zeros {
        text.to_mut().replace_range(minus..=minus, " ");
    }
    serde_json::from_str(&text).map_err(|e| ArgumentProblem {
        position: Some((e.line(), e.column())),
        ..ArgumentProblem::whole("not JSON that can be read")
    })
}

/// What is wrong at the place the scan has reached.
enum Fault {
    /// At this byte.
    Here(String),
    /// About this whole, wherever it was noticed.
    Limit(ArgumentProblem),
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    limits: ArgumentLimits,
    nodes: usize,
    stack: Vec<Frame<'a>>,
    /// The keys of all open objects, one after the other.
    keys: Vec<Cow<'a, str>>,
    /// Where `-0` was written for an integer: the parser makes a float of it, and it is the integer 0.
    zeros: Vec<usize>,
    /// Between a comma or brace and the colon: the last key is not the one that is read.
    in_key: bool,
}

enum Frame<'a> {
    Array {
        index: usize,
    },
    Object {
        /// Where its keys begin.
        first: usize,
        /// A set of them, once there are many.
        set: Option<HashSet<Cow<'a, str>>>,
    },
}

/// Up to this many keys a look through them is quicker than a set.
const FEW: usize = 16;

impl<'a> Scan<'a> {
    fn run(&mut self) -> Result<(), Fault> {
        if self.text.starts_with('\u{feff}') {
            return Err(Fault::Here("a byte order mark".into()));
        }
        loop {
            self.blanks();
            if self.open_or_scalar()? {
                continue;
            }
            if self.close_and_go_on()? {
                break;
            }
        }
        self.blanks();
        if self.at < self.text.len() {
            return Err(self.unexpected("the end of the text"));
        }
        Ok(())
    }

    /// Reads the start of a value; true if it is a container with something in it.
    fn open_or_scalar(&mut self) -> Result<bool, Fault> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(Fault::Limit(too_many(self.limits.nodes)));
        }
        match self.peek() {
            Some(b'{') => {
                self.push(Frame::Object { first: self.keys.len(), set: None })?;
                if self.peek() == Some(b'}') {
                    return Ok(false);
                }
                self.key()?;
                return Ok(true);
            }
            Some(b'[') => {
                self.push(Frame::Array { index: 0 })?;
                return Ok(self.peek() != Some(b']'));
            }
            Some(b'"') => _ = self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.literal()?,
        }
        Ok(false)
    }

    fn push(&mut self, frame: Frame<'a>) -> Result<(), Fault> {
        let levels = self.limits.depth.min(TEXT_DEPTH);
        if self.stack.len() >= levels {
            return Err(Fault::Limit(too_deep(levels)));
        }
        self.at += 1;
        self.stack.push(frame);
        self.blanks();
        Ok(())
    }

    /// After a value: closes what ends here, and steps over a comma. True at the end of the outermost value.
    fn close_and_go_on(&mut self) -> Result<bool, Fault> {
        loop {
            let Some(frame) = self.stack.last_mut() else { return Ok(true) };
            while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.as_bytes().get(self.at) {
                self.at += 1;
            }
            match (frame, self.text.as_bytes().get(self.at)) {
                (Frame::Array { index }, Some(b',')) => {
                    *index += 1;
                    self.at += 1;
                    return Ok(false);
                }
                (Frame::Object { .. }, Some(b',')) => {
                    self.at += 1;
                    self.blanks();
                    self.key()?;
                    return Ok(false);
                }
                (Frame::Array { .. }, Some(b']')) => self.at += 1,
                (Frame::Object { first, .. }, Some(b'}')) => {
                    self.keys.truncate(*first);
                    self.at += 1;
                }
                (Frame::Array { .. }, _) => return Err(self.unexpected("`,` or `]`")),
                (Frame::Object { .. }, _) => return Err(self.unexpected("`,` or `}`")),
            }
            self.stack.pop();
        }
    }

    fn key(&mut self) -> Result<(), Fault> {
        self.in_key = true;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a property name in double quotes"));
        }
        let start = self.at;
        let escaped = self.string()?;
        let raw = &self.text[start + 1..self.at - 1];
        let key = if escaped {
            let decoded = serde_json::from_str::<String>(&self.text[start..self.at]);
            Cow::Owned(decoded.map_err(|_| Fault::Here("a property name that cannot be read".into()))?)
        } else {
            Cow::Borrowed(raw)
        };
        if let Err(problem) = check_key(&key) {
            self.at = start;
            return Err(Fault::Limit(problem));
        }
        if self.is_repeated(&key) {
            self.at = start;
            return Err(Fault::Here(format!("repeated key {}", excerpt(&key))));
        }
        self.keys.push(key);
        self.in_key = false;
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    fn is_repeated(&mut self, key: &str) -> bool {
        let Some(Frame::Object { first, set }) = self.stack.last_mut() else { return false };
        let own = &self.keys[*first..];
        if own.len() < FEW {
            return own.iter().any(|known| known == key);
        }
        let set = set.get_or_insert_with(HashSet::new);
        for known in &own[set.len()..] {
            set.insert(known.clone());
        }
        set.contains(key)
    }

    /// Steps over a string; tells whether it has escapes.
    fn string(&mut self) -> Result<bool, Fault> {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        self.at += 1;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0..=0x1f) => return Err(Fault::Here("a control character in a string: escape it".into())),
                Some(_) => self.at += 1,
                None => return Err(Fault::Here("a string that does not end".into())),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                let lone = || Fault::Here("half of a surrogate pair, which is no character".into());
                match self.unit(self.at).ok_or_else(|| Fault::Here("`\\u` without four hex digits".into()))? {
                    0xd800..=0xdbff => match self.unit(self.at + 6) {
                        Some(0xdc00..=0xdfff) => self.at += 12,
                        _ => return Err(lone()),
                    },
                    0xdc00..=0xdfff => return Err(lone()),
                    _ => self.at += 6,
                }
                Ok(())
            }
            _ => Err(Fault::Here("an escape that JSON does not have".into())),
        }
    }

    /// The code unit that `\u` and four digits at `at` stand for.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u16::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let fault = |scan: &mut Self, text: &str| {
            scan.at = start;
            Err(Fault::Here(text.into()))
        };
        self.skip(|b| b == b'-', 1);
        let digits = self.at;
        self.skip(|b| b.is_ascii_digit(), usize::MAX);
        let whole = &self.text[digits..self.at];
        if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
            return fault(self, "not a JSON number");
        }
        let mut integer = true;
        if self.peek() == Some(b'.') {
            integer = false;
            self.at += 1;
            if self.skip(|b| b.is_ascii_digit(), usize::MAX) == 0 {
                return fault(self, "not a JSON number");
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integer = false;
            self.at += 1;
            self.skip(|b| matches!(b, b'+' | b'-'), 1);
            if self.skip(|b| b.is_ascii_digit(), usize::MAX) == 0 {
                return fault(self, "not a JSON number");
            }
        }
        let text = &self.text[start..self.at];
        // Of 18 digits all fit.
        if integer && whole.len() > 18 && text.parse::<i64>().is_err() && text.parse::<u64>().is_err() {
            return fault(self, "an integer outside of 64 bits, which would be rounded: send it as a string");
        }
        if text == "-0" {
            self.zeros.push(start);
        }
        if !integer && !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return fault(self, "a number too large to be held");
        }
        Ok(())
    }

    fn literal(&mut self) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        match ["true", "false", "null"].iter().find(|word| rest.starts_with(**word)) {
            Some(word) => {
                self.at += word.len();
                Ok(())
            }
            None => Err(self.unexpected("a JSON value")),
        }
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool, most: usize) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let n = rest.iter().take(most).take_while(|b| wanted(**b)).count();
        self.at += n;
        n
    }

    fn blanks(&mut self) {
        self.skip(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'), usize::MAX);
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        Fault::Here(match self.text[self.at..].chars().next() {
            Some(found) => format!("not JSON: expected {wanted}, found {found:?}"),
            None => format!("not JSON: expected {wanted}, found the end of the text"),
        })
    }

    fn problem(&self, fault: Fault) -> ArgumentProblem {
        let message = match fault {
            Fault::Limit(problem) => problem.message,
            Fault::Here(message) => message,
        };
        let mut at = self.at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        ArgumentProblem { pointer: self.pointer(), message, position: Some((line, column)) }
    }

    /// Where the scan stands.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for (i, frame) in self.stack.iter().enumerate() {
            match frame {
                Frame::Array { index } => push_step(&mut pointer, &index.to_string()),
                Frame::Object { first, .. } => {
                    let end = self.stack[i + 1..].iter().find_map(|f| match f {
                        Frame::Object { first, .. } => Some(*first),
                        Frame::Array { .. } => None,
                    });
                    if self.in_key && i + 1 == self.stack.len() {
                        break;
                    }
                    if let Some(key) = self.keys[*first..end.unwrap_or(self.keys.len())].last() {
                        push_step(&mut pointer, key);
                    }
                }
            }
        }
        pointer
    }
}
