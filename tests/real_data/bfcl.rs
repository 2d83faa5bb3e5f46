//! Function documents and calls of a public leaderboard.

use serde_json::Value;
use toolgate::ToolCall;

use super::{folder, lines, registry_of, run, text, verdict};

/// Files, lines, calls.
pub(super) const FILES: [(&str, usize, usize); 5] = [
    ("live_simple.jsonl", 258, 1_837),
    ("multiple.jsonl", 200, 1_473),
    ("other_tools.jsonl", 311, 0),
    ("parallel.jsonl", 200, 1_794),
    ("simple_python.jsonl", 400, 2_966),
];

/// Calls on which the crate and the oracle differ, each with the reason: none.
const DISAGREEMENTS: [(&str, &str); 0] = [];

#[test]
fn every_document_registers_and_every_call_gets_the_oracles_verdict() {
    let folder = folder("bfcl");
    let (mut differ, mut calls) = (Vec::new(), 0);
    for (file, many, many_calls) in FILES {
        let documents = lines(&folder, file);
        assert_eq!(documents.len(), many, "{file}");
        let before = calls;
        for (line, document) in documents.iter().enumerate() {
            let place = format!("{file}:{}", line + 1);
            let registry = registry_of(&document["normalized_parameters"]).unwrap_or_else(|e| panic!("{place}: {e}"));
            for (i, call) in document["calls"].as_array().into_iter().flatten().enumerate() {
                calls += 1;
                let made = ToolCall::from_model("c", "t", call["arguments"].to_string());
                let got = verdict(&run(&registry, made));
                let wanted = oracle(call);
                if got != wanted && !DISAGREEMENTS.iter().any(|(known, _)| *known == format!("{place}#{i}")) {
                    let kind = text(call, "/kind");
                    differ.push(format!("{place}#{i} ({kind}): wanted {wanted:?}, got {got:?}"));
                }
            }
        }
        assert_eq!(calls - before, many_calls, "{file}");
    }
    assert!(differ.is_empty(), "{} of {calls} differ:\n{}", differ.len(), differ.join("\n"));
}

fn oracle(call: &Value) -> (bool, Vec<String>) {
    let at = call["violations"].as_array().into_iter().flatten();
    let at = at.map(|v| v.as_str().expect("a pointer").to_owned()).collect();
    (call["valid"].as_bool().expect("a verdict"), at)
}
