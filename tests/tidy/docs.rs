//! Documentation that has a fixed form, and lists that have to be whole.

use toolgate::ErrorCode;

use super::{found, none, read, rust_files};

const ROLES: [&str; 6] = ["PrePolicy", "Approver", "Guard", "ExecuteWrapper", "PostPolicy", "ResultObserver"];
const HEADS: [&str; 5] = ["When it runs", "What it sees", "What it may do", "Errors", "Cancellation"];

/// The documentation in front of line `at`: comments, with attributes in between.
fn docs_before(lines: &[&str], at: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines[..at].iter().rev().map(|line| line.trim()) {
        match line.strip_prefix("///") {
            Some(text) => out.push(text.trim().to_owned()),
            None if line.starts_with("#[") => {}
            None => break,
        }
    }
    out.reverse();
    out
}

fn heads(docs: &[String]) -> Vec<&str> {
    docs.iter().filter_map(|line| line.strip_prefix("# ")).collect()
}

/// The heads of a role's trait, in order; `None` if it is not in this text.
fn wrong_heads(role: &str, text: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let start = format!("pub trait {role}:");
    let at = lines.iter().position(|line| line.starts_with(&start))?;
    let docs = docs_before(&lines, at);
    let got = heads(&docs);
    Some(if got == HEADS { Vec::new() } else { vec![format!("{role}: its heads are {got:?}, not {HEADS:?}")] })
}

/// A public async function, or an async method that a trait declares.
fn is_public_async(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim_start();
    let declared =
        || lines[at..].iter().find(|line| line.ends_with([';', '{'])).is_some_and(|line| line.ends_with(';'));
    line.starts_with("pub async fn ") || (line.starts_with("async fn ") && declared())
}

fn async_without_heads(file: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for at in (0..lines.len()).filter(|at| is_public_async(&lines, *at)) {
        let docs = docs_before(&lines, at);
        for head in ["Errors", "Cancellation"] {
            if !heads(&docs).contains(&head) {
                out.push(format!("{file}:{}: no head {head:?}", at + 1));
            }
        }
    }
    out
}

/// The cells of the rows of the first table whose first head is `first`, without code marks.
pub(crate) fn table(text: &str, first: &str) -> Vec<Vec<String>> {
    let start = format!("| {first} |");
    let rows = text.lines().skip_while(|line| !line.starts_with(&start)).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        let inside = row.trim().trim_start_matches('|').trim_end_matches('|');
        inside.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    rows.skip(2).map(cells).collect()
}

fn wrong_codes(text: &str) -> Vec<String> {
    let rows = table(text, "code");
    let mut out = Vec::new();
    for code in ErrorCode::RESERVED {
        if !rows.iter().any(|row| row.first().is_some_and(|name| name == code.as_str())) {
            out.push(format!("docs/codes.md: {code} is missing"));
        }
    }
    for row in &rows {
        let name = row.first().map_or("", String::as_str);
        if !ErrorCode::RESERVED.iter().any(|code| code.as_str() == name) {
            out.push(format!("docs/codes.md: {name} is no reserved code"));
        }
        if row.len() != 4 || row.iter().any(String::is_empty) {
            out.push(format!("docs/codes.md: {name} has an empty cell, or not four"));
        }
    }
    out
}

/// Every word in code marks that looks like a code is one.
fn unknown_codes(file: &str, text: &str) -> Vec<String> {
    let words = text.split('`').skip(1).step_by(2);
    let codes = words.filter(|w| w.contains('_') && w.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    let unknown = codes.filter(|w| !ErrorCode::RESERVED.iter().any(|code| code.as_str() == *w));
    unknown.map(|w| format!("{file}: {w} is no reserved code")).collect()
}

#[test]
fn every_role_is_documented_under_the_same_heads() {
    let files = rust_files(&["src"]);
    for role in ROLES {
        let found: Vec<_> = files.iter().filter_map(|(_, text)| wrong_heads(role, text)).collect();
        assert_eq!(found.len(), 1, "one trait {role}");
        none(&found.concat());
    }
    let sample = |heads: &[&str]| {
        let docs = heads.iter().fold(String::new(), |docs, head| docs + "/// # " + head + "\n///\n");
        docs + "#[async_trait]\npub trait Guard: Debug {}"
    };
    none(&wrong_heads("Guard", &sample(&HEADS)).unwrap_or_default());
    let mut swapped = HEADS;
    swapped.swap(0, 1);
    found(&wrong_heads("Guard", &sample(&swapped)).unwrap_or_default(), "its heads are");
    found(&wrong_heads("Guard", &sample(&HEADS[..4])).unwrap_or_default(), "its heads are");
    assert!(wrong_heads("Guard", "pub trait Guardian: Debug {}").is_none());
}

#[test]
fn every_public_async_function_tells_of_errors_and_cancellation() {
    let files = rust_files(&["src"]);
    let all: usize = files
        .iter()
        .map(|(_, text)| {
            let lines: Vec<&str> = text.lines().collect();
            (0..lines.len()).filter(|at| is_public_async(&lines, *at)).count()
        })
        .sum();
    assert!(all >= 9, "they were looked at: {all}");
    for (file, text) in &files {
        none(&async_without_heads(file, text));
    }
    found(&async_without_heads("a.rs", "/// # Errors\npub async fn a() {}"), "Cancellation");
    found(&async_without_heads("a.rs", "/// # Cancellation\n    async fn a(&self);"), "Errors");
    none(&async_without_heads("a.rs", "/// # Errors\n/// # Cancellation\n#[must_use]\npub async fn a() {}"));
}

#[test]
fn every_reserved_code_is_documented() {
    let text = read("docs/codes.md");
    none(&wrong_codes(&text));
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("| `BLOCKED`")).collect();
    found(&wrong_codes(&without.join("\n")), "BLOCKED is missing");
    found(&wrong_codes("| code | when | effects | post |\n|---|---|---|---|\n| `NEWS` | a | b | c |"), "NEWS is no");
    found(&wrong_codes("| code | when | effects | post |\n|---|---|---|---|\n| `DENIED` | a | | c |"), "empty cell");
}

#[test]
fn pages_name_no_code_that_does_not_exist() {
    for file in ["README.md", "docs/stages.md", "docs/codes.md", "docs/tools.md", "ARCHITECTURE.md"] {
        none(&unknown_codes(file, &read(file)));
    }
    found(&unknown_codes("a.md", "ends as `GUARD_REFUSED`"), "GUARD_REFUSED");
}
