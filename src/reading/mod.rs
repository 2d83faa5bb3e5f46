//! Arguments as Rust types: read as they are, and once more with the slips of models mended, in a copy nobody else sees.

mod path;
mod places;
mod relax;
mod unit;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    cut::cut,
    reading::{path::Step, places::Places, relax::Copy, unit::Unit},
    schema::at,
};

/// serde's words may quote the value: bytes of them that are told, enough for what was expected and what was got.
const WORDS: usize = 200;
/// Failures that are looked into for a `null` in the way. Each costs one reading.
const RETRIES: usize = 8;

/// Why arguments do not fit a type.
pub(crate) struct Unreadable {
    pub(crate) message: String,
    pub(crate) source: serde_json::Error,
}

/// Reads `arguments`, which are valid under `parameters`, into an `A`. Unless `quote`, a failure repeats nothing of them.
pub(crate) fn read<A: DeserializeOwned>(arguments: &Value, parameters: &Value, quote: bool) -> Result<A, Unreadable> {
    let error = match attempt::<A>(arguments) {
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
    let hide = !quote || Places::new(parameters).is_secret(arguments, &failed_at);
    Err(unreadable(error.into_inner(), hide, &failed_at))
}

fn attempt<A: DeserializeOwned>(value: &Value) -> Result<A, serde_path_to_error::Error<serde_json::Error>> {
    serde_path_to_error::deserialize(value)
}

/// Reads a copy: whole numbers are integers in it where the schema says so, and where that does not do, each `null` that
/// is in the way is taken out if its property may be left out. Only those: to other properties `null` may mean something.
fn again<A: DeserializeOwned>(arguments: &Value, parameters: &Value, mut failed_at: Vec<Step>) -> Option<A> {
    let mut copy = Copy::new(arguments, parameters);
    let mut changed = copy.write_integers();
    for _ in 0..RETRIES {
        if !changed && !copy.take_nulls_out(&failed_at) {
            return None;
        }
        match attempt(&copy.value) {
            Ok(read) => return Some(read),
            Err(error) => failed_at = path::steps(error.path(), &copy.value),
        }
        changed = false;
    }
    None
}

fn unreadable(source: serde_json::Error, hide: bool, failed_at: &[Step]) -> Unreadable {
    let words = source.to_string();
    // Names of missing fields are the type's own.
    let quotes_nothing = words.starts_with("missing field");
    let words =
        if hide && !quotes_nothing { "does not fit; what was sent is not repeated here" } else { cut(&words, WORDS) };
    Unreadable { message: at(&path::pointer(failed_at), words), source }
}
