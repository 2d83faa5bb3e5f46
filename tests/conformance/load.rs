//! Reads scenarios, strictly.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::scenario::{PostAct, PreAct, Scenario, WrapAct};

/// Every scenario of every `*.json` file in `folder`, in the order of names; in place of a bad one what is wrong with it.
pub(crate) fn folder(folder: &Path) -> io::Result<Vec<Result<Scenario, String>>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        let label = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        match serde_json::from_str(&text) {
            Err(error) => all.push(Err(format!("{label}: {error}"))),
            Ok(Value::Array(many)) => all.extend(many.into_iter().map(|one| read(&label, one))),
            Ok(one) => all.push(read(&label, one)),
        }
    }
    let mut names = HashSet::new();
    for entry in &mut all {
        if let Ok(scenario) = entry
            && !names.insert(scenario.name.clone())
        {
            *entry = Err(format!("{}: there are two scenarios of this name", scenario.name));
        }
    }
    Ok(all)
}

/// One scenario. An unknown key is an error, and so is one that is missing.
pub(crate) fn read(label: &str, json: Value) -> Result<Scenario, String> {
    let name = json.get("name").and_then(Value::as_str).unwrap_or("a scenario without a name").to_owned();
    let scenario: Scenario = serde_path_to_error::deserialize(json).map_err(|e| format!("{label}: {name}: {e}"))?;
    match incomplete(&scenario) {
        None => Ok(scenario),
        Some(problem) => Err(format!("{label}: {name}: {problem}")),
    }
}

/// What the format asks for beyond the keys themselves.
fn incomplete(scenario: &Scenario) -> Option<String> {
    let missing = |kind: &str, name: &str, key: &str| Some(format!("{kind} {name:?} needs {key:?}"));
    for pre in &scenario.pre {
        if matches!(pre.act, PreAct::Override) && pre.with.is_none() {
            return missing("pre", &pre.name, "with");
        }
    }
    for wrap in &scenario.wrap {
        let needs = match wrap.act {
            WrapAct::Value | WrapAct::ReplaceValue if wrap.value.is_none() => "value",
            WrapAct::Retry if wrap.times.is_none_or(|n| n == 0) => "times",
            WrapAct::Deadline if wrap.ms.is_none() => "ms",
            _ => continue,
        };
        return missing("wrap", &wrap.name, needs);
    }
    for post in &scenario.post {
        let needs = match post.act {
            PostAct::Value if post.value.is_none() => "value",
            PostAct::Content | PostAct::Block if post.text.is_none() => "text",
            _ => continue,
        };
        return missing("post", &post.name, needs);
    }
    unknown_scope(scenario)
}

fn unknown_scope(scenario: &Scenario) -> Option<String> {
    let mut opened: Vec<&str> = Vec::new();
    for scope in &scenario.scopes {
        if let Some(parent) = scope.parent.as_deref().filter(|p| !opened.contains(p)) {
            return Some(format!("the parent {parent:?} is not opened before {:?}", scope.id));
        }
        opened.push(&scope.id);
    }
    let used = scenario
        .tools
        .iter()
        .map(|t| &t.scope)
        .chain(scenario.pre.iter().map(|p| &p.scope))
        .chain(scenario.guards.iter().map(|g| &g.scope))
        .chain(scenario.wrap.iter().map(|w| &w.scope))
        .chain(scenario.post.iter().map(|p| &p.scope))
        .chain(scenario.observers.iter().map(|o| &o.scope));
    let mut used = used.filter_map(Option::as_deref);
    used.find(|scope| !opened.contains(scope)).map(|scope| format!("the scope {scope:?} is not opened"))
}
