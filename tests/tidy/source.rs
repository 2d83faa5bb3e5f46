//! What source files may not hold, and how long they may be.

use super::{found, none, read, root, rust_files};

const FOLDERS: [&str; 6] = ["src", "tests", "examples", "benches", "fuzz/bodies", "fuzz/fuzz_targets"];
const MOST_LINES: usize = 500;

/// Marks of unfinished work. In pieces, so that this file does not hold them.
const UNFINISHED: [&str; 5] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("#[", "ignore"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

fn too_long(file: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    if lines > MOST_LINES { vec![format!("{file}: {lines} lines, more than {MOST_LINES}")] } else { Vec::new() }
}

fn unfinished(file: &str, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate();
    let marks = lines.filter_map(|(i, line)| UNFINISHED.iter().find(|m| holds(line, m)).map(|m| (i, m)));
    marks.map(|(i, mark)| format!("{file}:{}: {mark}", i + 1)).collect()
}

/// Whether `mark` stands in `line` and is no part of a longer word.
fn holds(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + mark.len()..].chars().next());
        let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !joins(before) && (mark.ends_with('(') || !joins(after))
    })
}

/// A lint that is switched off says why.
fn without_reason(file: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for attribute in
        [concat!("#[", "allow("), concat!("#![", "allow("), concat!("#[", "expect("), concat!("#![", "expect(")]
    {
        for (at, _) in text.match_indices(attribute) {
            let rest = &text[at..];
            let whole = rest.split_once(")]").map_or(rest, |(whole, _)| whole);
            if !whole.contains("reason") {
                out.push(format!("{file}:{}: {attribute} without a reason", text[..at].lines().count() + 1));
            }
        }
    }
    out
}

fn changelog(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for head in ["# Changelog", "## [Unreleased]"] {
        if !text.lines().any(|line| line == head) {
            out.push(format!("CHANGELOG.md: no head {head:?}"));
        }
    }
    out
}

fn everywhere(rule: fn(&str, &str) -> Vec<String>) -> Vec<String> {
    rust_files(&FOLDERS).iter().flat_map(|(file, text)| rule(file, text)).collect()
}

#[test]
fn no_file_is_too_long() {
    none(&everywhere(too_long));
    found(&too_long("a.rs", &"\n".repeat(501)), "501 lines");
    none(&too_long("a.rs", &"\n".repeat(500)));
}

#[test]
fn nothing_is_left_unfinished() {
    none(&everywhere(unfinished));
    for mark in UNFINISHED {
        found(&unfinished("a.rs", &format!("fn a() {{}}\n{mark}")), "a.rs:2");
        none(&unfinished("a.rs", &format!("a{mark}")));
    }
}

#[test]
fn no_lint_is_switched_off_without_a_reason() {
    none(&everywhere(without_reason));
    found(&without_reason("a.rs", &format!("\n{}dead_code)]", concat!("#[", "allow("))), "a.rs:2");
    found(&without_reason("a.rs", &format!("{}dead_code)]", concat!("#![", "expect("))), "a.rs:1");
    none(&without_reason("a.rs", &format!("{}dead_code, reason = \"x\")]", concat!("#[", "allow("))));
}

#[test]
fn there_is_a_changelog() {
    none(&changelog(&read("CHANGELOG.md")));
    found(&changelog("# Changelog\n"), "Unreleased");
}

#[test]
fn what_the_manifest_and_the_readme_promise_is_there() {
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/stages.md", ".ci/run"] {
        assert!(root().join(file).is_file(), "{file} is missing");
    }
}
