//! Replays what the fuzzers started from and what they found: `fuzz/corpus/<target>/*`, on stable Rust.
#![cfg(feature = "providers")]

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;

use std::{fs, path::PathBuf};

use bodies::{from_model, mcp_parameters, stream_assembly, turn_read};

/// Runs `target` over each file of its corpus, in the order of their names.
#[expect(clippy::print_stdout, reason = "says which file it was when the target fails")]
fn replay(name: &str, target: fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    files.sort();
    assert!(files.len() >= 5, "{name}: {} files", files.len());
    for file in files {
        let data = fs::read(&file).expect("a file can be read");
        println!("{}", file.display());
        target(&data);
    }
}

#[test]
fn from_model_holds_over_its_corpus() {
    replay("from_model", from_model::run);
}

#[test]
fn stream_assembly_holds_over_its_corpus() {
    replay("stream_assembly", stream_assembly::run);
}

#[test]
fn mcp_parameters_holds_over_its_corpus() {
    replay("mcp_parameters", mcp_parameters::run);
}

#[test]
fn turn_read_holds_over_its_corpus() {
    replay("turn_read", turn_read::run);
}
