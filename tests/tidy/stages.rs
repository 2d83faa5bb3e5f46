//! The order of the stages is stated in four places, which are held equal here: the enum, the README, the page on
//! stages, and the calls in the pipeline.

use std::collections::BTreeMap;

use toolgate::Stage;

use super::{docs::table, read, rust_files};

fn names() -> Vec<String> {
    Stage::ALL.iter().map(|stage| format!("{stage:?}")).collect()
}

fn first_cells(text: &str) -> Vec<String> {
    table(text, "stage").into_iter().filter_map(|row| row.into_iter().next()).collect()
}

/// The body of the function called `name`, by its braces.
fn body<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let at = text.find(&format!("fn {name}("))?;
    let open = at + text[at..].find(" {\n")? + 1;
    let mut depth = 0_usize;
    for (i, c) in text[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[open..=open + i]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The calls in a function's body in the order in which they are written: `guard::guard`, `forward`, `.now`.
fn calls(body: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in body.match_indices('(') {
        let before = &body[..at];
        let start = before.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '.'))).map_or(0, |i| i + 1);
        if start < at {
            out.push(before[start..].to_owned());
        }
    }
    out
}

/// The stages that a call of `function` enters, in order: its own calls are followed.
fn entered(function: &str, text: &str, stage_of: &BTreeMap<String, Vec<String>>, out: &mut Vec<String>) {
    for call in calls(body(text, function).unwrap_or_default()) {
        let module = call.split_once("::").map_or("", |(module, _)| module);
        let module = if call == "finish.now" { "finish" } else { module };
        match stage_of.get(module) {
            Some(stages) => stages.iter().for_each(|stage| {
                if !out.contains(stage) {
                    out.push(stage.clone());
                }
            }),
            None if call != function && body(text, &call).is_some() => {
                // What is passed to a call is evaluated before it; here nothing but plain values is.
                entered(&call, text, stage_of, out);
            }
            None => {}
        }
    }
}

/// Which stages the files of the pipeline enter.
fn stages_of_modules(files: &[(String, String)]) -> BTreeMap<String, Vec<String>> {
    let mut out = BTreeMap::new();
    for (file, text) in files.iter().filter(|(file, _)| !file.ends_with("/mod.rs")) {
        let parts = text.split("enter(Stage::").skip(1);
        let stages: Vec<String> = parts.filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect();
        if !stages.is_empty() {
            let module = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
            out.insert(module.to_owned(), stages);
        }
    }
    out
}

#[test]
fn the_stages_have_one_order() {
    assert_eq!(first_cells(&read("README.md")), names(), "README.md");
    assert_eq!(first_cells(&read("docs/stages.md")), names(), "docs/stages.md");
    let files = rust_files(&["src/pipeline"]);
    let mut got = Vec::new();
    entered("run", &read("src/pipeline/mod.rs"), &stages_of_modules(&files), &mut got);
    assert_eq!(got, names(), "src/pipeline/mod.rs");
}

#[test]
fn each_stage_is_entered_in_one_file() {
    let files = rust_files(&["src"]);
    for stage in names() {
        let entry = format!("enter(Stage::{stage})");
        let inside: Vec<_> = files.iter().filter(|(_, text)| text.contains(&entry)).map(|(file, _)| file).collect();
        assert_eq!(inside.len(), 1, "{stage}: {inside:?}");
    }
}

#[test]
fn the_page_has_a_section_for_each_stage_in_order() {
    let text = read("docs/stages.md");
    let heads: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect();
    assert_eq!(heads.get(..8), Some(&*names()));
}

#[test]
fn another_order_is_noticed() {
    let stage_of: BTreeMap<String, Vec<String>> =
        [("a", "A"), ("b", "B"), ("finish", "C")].map(|(m, s)| (m.to_owned(), vec![s.to_owned()])).into();
    let order = |text: &str| {
        let mut out = Vec::new();
        entered("run", text, &stage_of, &mut out);
        out.concat()
    };
    let run = "fn run() {\n    let x = a::a(y);\n    forward(x);\n    finish.now(x)\n}\n";
    assert_eq!(order(&format!("{run}fn forward() {{\n    b::b(x)\n}}\n")), "ABC");
    assert_eq!(order("fn run() {\n    forward(x);\n    a::a(y)\n}\nfn forward() {\n    b::b(x)\n}\n"), "BA");
    assert_eq!(order("fn run() {\n    a::a(y);\n}\n"), "A", "a stage that is not called is missing");
    assert_eq!(first_cells("| stage | who |\n|---|---|\n| B | b |\n| `A` | a |\n\n| C | c |"), ["B", "A"]);
}
