//! Dependencies point one way: lib, what is built on public names, registry, batch, pipeline, view, roles, mechanics, data.

use std::collections::{BTreeMap, BTreeSet};

use super::{found, none, read, rust_files};

/// From the inside out. A file may use its own layer and those above it in this list.
const LAYERS: [(&str, &[&str]); 8] = [
    (
        "data",
        &[
            "abridge",
            "annotations",
            "approval",
            "arguments",
            "call",
            "call_core",
            "code",
            "contain",
            "content",
            "context",
            "cut",
            "digest",
            "error",
            "execution",
            "extensions",
            "order",
            "outcome",
            "reading",
            "pointer",
            "register_error",
            "repair",
            "resources",
            "restriction",
            "result",
            "runs",
            "schema",
            "schema_builder",
            "signal",
            "stage",
            "tool_info",
            "tool_schema",
        ],
    ),
    ("mechanics", &["body", "chain", "grace", "own_time"]),
    (
        "roles",
        &[
            "approver",
            "definition",
            "guard",
            "observer",
            "output",
            "post_policy",
            "pre_policy",
            "tool",
            "typed",
            "wrapper",
        ],
    ),
    ("view", &["view"]),
    ("pipeline", &["pipeline"]),
    ("batch", &["batch"]),
    ("registry", &["registry"]),
    ("outside", OUTSIDE),
];

/// Modules that see the crate as its users do: public names only.
const OUTSIDE: &[&str] = &["provider"];

/// Arrows against the direction: from which module, what, and why.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("pipeline", "registry::Shared", "the registry's state: nothing of the front door"),
    ("batch", "registry::Shared", "the registry's state: nothing of the front door"),
];

/// What each file of the pipeline takes from the others. `draft`, `exit` and `running` belong to no stage. A stage takes
/// the proof of the stage before it; the others are named in ARCHITECTURE.md.
const PIPELINE: [(&str, &[&str]); 12] = [
    ("draft", &[]),
    ("exit", &["draft::Draft"]),
    ("running", &[]),
    ("admit", &["draft::Draft", "draft::aborted", "exit::Exit", "running::Look", "running::RunningCall"]),
    (
        "pre_execute",
        &["admit::Admitted", "draft::Draft", "draft::aborted", "exit::Exit", "running::Look", "running::RunningCall"],
    ),
    (
        "approval",
        &[
            "draft::Draft",
            "draft::aborted",
            "exit::Exit",
            "guard",
            "pre_execute::Verdict",
            "running::Look",
            "running::RunningCall",
        ],
    ),
    ("keys", &["draft::Draft", "draft::aborted", "exit::Exit", "running::RunningCall"]),
    (
        "guard",
        &[
            "approval::Approved",
            "draft::Draft",
            "draft::aborted",
            "exit::Exit",
            "keys::Keys",
            "running::Look",
            "running::RunningCall",
        ],
    ),
    (
        "dispatch",
        &[
            "admit::unknown",
            "draft::Draft",
            "draft::aborted",
            "draft::make_honest",
            "exit::Exit",
            "guard",
            "guard::Cleared",
            "running::RunningCall",
        ],
    ),
    (
        "execute",
        &[
            "dispatch::Dispatch",
            "dispatch",
            "draft::Draft",
            "draft::aborted",
            "draft::take_success_away",
            "exit::Exit",
            "guard::Cleared",
            "running::RunningCall",
        ],
    ),
    (
        "post_execute",
        &["dispatch::made", "dispatch::too_deep", "draft::Draft", "draft::take_success_away", "running::RunningCall"],
    ),
    ("finish", &["draft::Draft", "draft::aborted", "draft::make_honest", "running::RunningCall"]),
];

/// The text without comments that take a line of their own. A path in documentation is no import.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).fold(String::new(), |out, line| out + line + "\n")
}

/// All paths below `crate::` in `text`, groups taken apart: `a::b`, `a::c`, ….
fn paths(text: &str) -> BTreeSet<String> {
    let text = code(text);
    let mut out = BTreeSet::new();
    for (at, found) in text.match_indices("crate::") {
        spread("", &text[at + found.len()..], &mut out);
    }
    out
}

/// Reads one path or group after `prefix`; gives what is left of the text.
fn spread<'t>(prefix: &str, text: &'t str, out: &mut BTreeSet<String>) -> &'t str {
    let mut text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        text = group.trim_start();
        while !text.is_empty() && !text.starts_with('}') {
            text = spread(prefix, text, out).trim_start();
            text = text.strip_prefix(',').unwrap_or(text).trim_start();
        }
        return text.strip_prefix('}').unwrap_or(text);
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        // A macro's variable, or nothing that this can read: skip a character, so that the reader gets on.
        let skip = rest.chars().next().map_or(0, char::len_utf8);
        return &rest[skip..];
    }
    let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") };
    if let Some(below) = rest.strip_prefix("::") {
        return spread(&path, below, out);
    }
    out.insert(path.strip_suffix("::self").unwrap_or(&path).to_owned());
    rest
}

/// The first module of a file's path: `src/view/order.rs` belongs to `view`.
fn module(file: &str) -> &str {
    let inside = file.strip_prefix("src/").unwrap_or(file);
    inside.split_once('/').map_or_else(|| inside.trim_end_matches(".rs"), |(folder, _)| folder)
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|(_, modules)| modules.contains(&module))
}

/// Which module each public name comes from, as `lib.rs` lists them.
fn public_names(lib: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for (at, found) in lib.match_indices("pub use ") {
        let mut names = BTreeSet::new();
        spread("", &lib[at + found.len()..], &mut names);
        for path in names {
            if let (Some((module, _)), Some((_, name))) = (path.split_once("::"), path.rsplit_once("::")) {
                out.insert(name.to_owned(), module.to_owned());
            }
        }
    }
    out
}

fn wrong_arrows(file: &str, text: &str, public: &BTreeMap<String, String>) -> Vec<String> {
    let from = module(file);
    let Some(own) = layer(from) else {
        return vec![format!("{file}: module {from:?} is in no layer; give it one in tests/tidy/imports.rs")];
    };
    let mut out = Vec::new();
    for path in paths(text) {
        let first = path.split("::").next().unwrap_or_default();
        // A public name stands for the module that it comes from.
        let to = public.get(first).map_or(first, String::as_str);
        if OUTSIDE.contains(&from) && first != from && !public.contains_key(first) {
            out.push(format!("{file}: crate::{path} is no public name"));
        }
        let excepted = EXCEPTIONS.iter().any(|(a, b, _)| *a == from && *b == path);
        match layer(to) {
            Some(theirs) if theirs > own && !excepted => {
                out.push(format!("{file}: {} takes crate::{path} from {}", LAYERS[own].0, LAYERS[theirs].0));
            }
            Some(_) => {}
            None => out.push(format!("{file}: crate::{path} is in no known module")),
        }
    }
    out
}

fn between_stages(file: &str, text: &str) -> Vec<String> {
    let stage = file.trim_start_matches("src/pipeline/").trim_end_matches(".rs");
    let got: BTreeSet<String> =
        paths(text).iter().filter_map(|path| path.strip_prefix("pipeline::").map(str::to_owned)).collect();
    let Some((_, expected)) = PIPELINE.iter().find(|(name, _)| *name == stage) else {
        return vec![format!("{file}: not in the list of tests/tidy/imports.rs")];
    };
    let expected: BTreeSet<String> = expected.iter().map(|path| (*path).to_owned()).collect();
    let new = got.difference(&expected).map(|path| format!("{file}: takes {path}, which is not on its list"));
    let gone = expected.difference(&got).map(|path| format!("{file}: does not take {path} any more: update the list"));
    new.chain(gone).collect()
}

/// `super::` in a file that lies directly in `src`, or in a folder's `mod.rs`, is the crate's root.
fn reaches_up(file: &str, text: &str) -> Vec<String> {
    let text = code(text);
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let top = !file.trim_start_matches("src/").contains('/') || file.ends_with("/mod.rs");
    if top && text.contains("super::") { vec![format!("{file}: super:: instead of crate::")] } else { Vec::new() }
}

#[test]
fn dependencies_point_one_way() {
    let public = public_names(&read("src/lib.rs"));
    assert!(public.len() > 40, "the public list was read: {}", public.len());
    let files = rust_files(&["src"]);
    for (file, text) in files.iter().filter(|(file, _)| file != "src/lib.rs") {
        none(&wrong_arrows(file, text, &public));
        none(&reaches_up(file, text));
    }
    found(&wrong_arrows("src/result.rs", "use crate::view::View;", &public), "from view");
    found(&wrong_arrows("src/view/order.rs", "use crate::{call::ToolCall, pipeline};", &public), "from pipeline");
    found(&wrong_arrows("src/chain.rs", "fn f() { crate::guard::guard_fn(); }", &public), "from roles");
    found(&wrong_arrows("src/pipeline/admit.rs", "use crate::stage::Stage;\nuse crate::new::T;", &public), "no known");
    found(&wrong_arrows("src/signal.rs", "fn f(_: crate::PreDecision) {}", &public), "from roles");
    found(&wrong_arrows("src/unheard_of.rs", "", &public), "in no layer");
    none(&wrong_arrows("src/result.rs", "/// [`x`](crate::ToolRegistry)\nuse crate::code::ErrorCode;", &public));
    found(&wrong_arrows("src/pipeline/admit.rs", "use crate::registry::{Shared, Scope};", &public), "registry::Scope");
    found(&wrong_arrows("src/provider/names.rs", "use crate::schema::at;", &public), "no public name");
    found(&wrong_arrows("src/registry/mod.rs", "use crate::provider::Format;", &public), "from outside");
    none(&wrong_arrows("src/provider/names.rs", "use crate::{ToolInfo, provider::format::Format};", &public));
    found(&reaches_up("src/result.rs", "use super::view::View;"), "super::");
}

#[test]
fn stages_take_the_proof_of_the_stage_before_and_little_else() {
    for (file, text) in rust_files(&["src/pipeline"]).iter().filter(|(file, _)| !file.ends_with("/mod.rs")) {
        none(&between_stages(file, text));
    }
    let bad = "use crate::pipeline::{draft::Draft, execute::execute};";
    found(&between_stages("src/pipeline/finish.rs", bad), "takes execute::execute");
    found(&between_stages("src/pipeline/finish.rs", ""), "does not take draft::Draft any more");
    found(&between_stages("src/pipeline/ninth.rs", ""), "not in the list");
}

#[test]
fn paths_are_read_whole() {
    let text = "use crate::{a::{self, b::C}, d::E};\nfn f() { crate::g::h(1); }\n// crate::no\nimpl crate::$role {}";
    let expected = ["a", "a::b::C", "d::E", "g::h"].map(str::to_owned);
    assert_eq!(paths(text), BTreeSet::from(expected));
}
