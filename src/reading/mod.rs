//! Arguments as Rust types: read as they are, and once more with the slips of models mended, in a copy nobody else sees.

mod path;
mod places;
mod relax;
mod unit;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    cut::cut,
    reading::{path::Step, relax::Copy, unit::Unit},
    schema::{at, is_secret},
};

/// serde's words may quote the value: bytes of them that are told, enough for what was expected and what was got.
const WORDS: usize = 200;
/// Failures that are looked into for a `null` in the way. Each costs one reading.
const RETRIES: usize = 8;
/// Nulls that are tried for being in the way, one by one. Each costs one reading and one copy.
const MOST_NULLS: usize = 16;

/// Why arguments do not fit a type.
pub(crate) struct Unreadable {
    pub(crate) message: String,
    pub(crate) source: serde_json::Error,
}

/// Reads `arguments`, which are valid under `parameters`, into an `A`. Unless `quote`, a failure repeats nothing of them.
pub(crate) fn read<A: DeserializeOwned>(arguments: &Value, parameters: &Value, quote: bool) -> Result<A, Unreadable> {
    // Once more where it fails: keeping track of the way costs more than reading does.
    let error = match A::deserialize(arguments).or_else(|_| attempt::<A>(arguments)) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let failed_at = path::steps(error.path(), arguments);
    if arguments.is_object()
        && let Ok(unit) = A::deserialize(Unit)
    {
        return Ok(unit);
    }
    if let Some(read) = again(arguments, parameters, failed_at.clone()) {
        return Ok(read);
    }
    let hide = !quote || is_secret(parameters, arguments, &path::names(&failed_at));
    Err(unreadable(error.into_inner(), hide, &failed_at))
}

fn attempt<A: DeserializeOwned>(value: &Value) -> Result<A, serde_path_to_error::Error<serde_json::Error>> {
    serde_path_to_error::deserialize(value)
}

/// Reads a copy: whole numbers are integers in it where the schema says so, and where that does not do, each `null` that
/// is in the way is taken out if its property may be left out. Only those: to other properties `null` may mean something.
fn again<A: DeserializeOwned>(arguments: &Value, parameters: &Value, mut failed_at: Vec<Step>) -> Option<A> {
    let mut copy = Copy::new(arguments, parameters);
    if copy.write_integers() {
        match attempt(&copy.value) {
            Ok(read) => return Some(read),
            Err(error) => failed_at = path::steps(error.path(), &copy.value),
        }
    }
    for _ in 0..RETRIES {
        let nulls = copy.nulls(&failed_at);
        if nulls.is_empty() || nulls.len() > MOST_NULLS {
            return None;
        }
        let without = copy.without(&nulls);
        match attempt(&without) {
            Ok(read) => return Some(with_most_nulls(&copy, nulls, read)),
            Err(error) => failed_at = path::steps(error.path(), &without),
        }
        copy.value = without;
    }
    None
}

/// What is read with as many of the nulls as can stay: where a type loses the way to what it refuses, all nulls around it
/// are candidates, and most of them mean something.
fn with_most_nulls<A: DeserializeOwned>(copy: &Copy<'_>, mut out: Vec<Vec<Step>>, mut read: A) -> A {
    let mut at = 0;
    while out.len() > 1 && at < out.len() {
        let kept = out.remove(at);
        if let Ok(more) = attempt(&copy.without(&out)) {
            read = more;
        } else {
            out.insert(at, kept);
            at += 1;
        }
    }
    read
}

fn unreadable(source: serde_json::Error, hide: bool, failed_at: &[Step]) -> Unreadable {
    let words = source.to_string();
    // Names of missing fields are the type's own.
    let quotes_nothing = words.starts_with("missing field");
    let words =
        if hide && !quotes_nothing { "does not fit; what was sent is not repeated here" } else { cut(&words, WORDS) };
    Unreadable { message: at(&path::pointer(failed_at), words), source }
}
