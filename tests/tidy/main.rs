//! The house rules that matter, as tests. Every rule is a function over text, and is shown to fail on a bad sample.

mod docs;
mod imports;
mod source;
mod stages;

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the package, as text.
fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The Rust files under `folders`: path from the package's root, with `/`, and text.
fn rust_files(folders: &[&str]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for folder in folders {
        let folder = root().join(folder);
        if folder.is_dir() {
            collect(&folder, &mut out);
        }
    }
    out.sort();
    out
}

fn collect(folder: &Path, out: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of the package can be listed") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            // What a workspace further in has built is nobody's source.
            if !path.ends_with("target") {
                collect(&path, out);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(root()).expect("it lies in the package");
            out.push((name.to_string_lossy().replace('\\', "/"), read(&path)));
        }
    }
}

/// Fails with all violations, a line each.
#[track_caller]
fn none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

/// A bad sample has to be found.
#[track_caller]
fn found(violations: &[String], part: &str) {
    assert!(violations.iter().any(|v| v.contains(part)), "{part:?} was not found in {violations:?}");
}
