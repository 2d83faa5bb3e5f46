//! Every call of a message has an id, and no two have the same.

use std::collections::HashSet;

use crate::provider::turn::{limits::start_of, raw::RawCall};

/// Bytes of a repeated id that are kept: what is put behind it stays within 64.
const KEPT: usize = 48;

/// An id for each call. The first call with an id keeps it, a later one gets `_2`, `_3`, … behind it, and one without an
/// id is `call_` and its place. No id depends on anything but the message, and none is that of another call.
pub(crate) fn settle(calls: &[RawCall]) -> Vec<String> {
    let given: HashSet<&str> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut out = Vec::with_capacity(calls.len());
    for (i, call) in calls.iter().enumerate() {
        let id = match call.id.as_deref() {
            Some(id) if !taken.contains(id) => id.to_owned(),
            Some(id) => fresh(start_of(id, KEPT), 2, &given, &taken),
            None => fresh("call", i + 1, &given, &taken),
        };
        taken.insert(id.clone());
        out.push(id);
    }
    out
}

fn fresh(start: &str, from: usize, given: &HashSet<&str>, taken: &HashSet<String>) -> String {
    let mut n = from;
    loop {
        let id = format!("{start}_{n}");
        if !given.contains(id.as_str()) && !taken.contains(&id) {
            return id;
        }
        n += 1;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settled(ids: &[&str]) -> Vec<String> {
        let calls = ids.iter().enumerate().map(|(at, id)| RawCall::function(at, Some(&json!(id)), None, None));
        settle(&calls.collect::<Vec<_>>())
    }

    #[test]
    fn a_new_id_is_never_that_of_another_call() {
        assert_eq!(settled(&["a", "a", "a_2", "a"]), ["a", "a_3", "a_2", "a_4"]);
        assert_eq!(settled(&["", "call_1", " "]), ["call_2", "call_1", "call_3"]);
        assert_eq!(settled(&["call_2", "", ""]), ["call_2", "call_3", "call_4"]);
    }

    #[test]
    fn a_long_id_is_cut_between_characters() {
        let long = "é".repeat(100);
        let ids = settled(&[&long, &long]);
        assert_eq!(ids[0], long);
        assert_eq!(ids[1], format!("{}_2", "é".repeat(24)));
    }
}
