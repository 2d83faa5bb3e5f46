//! Runs the conformance scenarios: every `*.json` file in the folder named by `TOOLGATE_CONFORMANCE_DIR`, by default
//! those beside this file.

mod approver;
mod body;
mod check;
mod expect;
mod load;
mod observer;
mod part;
mod place;
mod post;
mod pre;
mod run;
mod scenario;
mod self_test;
mod silence;
mod step;
mod tools;
mod trace;
mod verdict;
mod world;
mod wrap;

use std::{
    env,
    io::{Write, stdout},
    path::PathBuf,
};

use verdict::Verdict;

fn folder() -> PathBuf {
    match env::var_os("TOOLGATE_CONFORMANCE_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance"),
    }
}

#[test]
fn scenarios() {
    let folder = folder();
    let found = load::folder(&folder);
    let scenarios = found.unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    assert!(!scenarios.is_empty(), "there is no scenario in {}", folder.display());
    let verdict = Verdict::of(scenarios);
    // Not through `println!`, which the harness keeps back where all is well: what was left out is to be seen.
    let written = writeln!(stdout(), "\n{verdict}");
    assert!(written.is_ok() && verdict.failures.is_empty(), "{} scenarios failed, see above", verdict.failures.len());
}
