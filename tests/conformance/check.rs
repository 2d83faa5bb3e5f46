//! Compares what came of a scenario with what it expects.

use serde_json::{Map, Value};

use crate::{
    expect::{Expect, ExpectedResult},
    run::Report,
};

/// Every difference, readable.
pub(crate) fn differences(expect: &Expect, got: &Report) -> Vec<String> {
    let mut found = got.broken.clone();
    if let Some(results) = &expect.results {
        if results.len() != got.results.len() {
            found.push(format!("results: expected {}, got {}", results.len(), got.results.len()));
        }
        for (want, got) in results.iter().zip(&got.results) {
            result(want, got, &mut found);
        }
    }
    if let Some(want) = &expect.trace
        && *want != got.trace
    {
        found.push(lists("trace", want, &got.trace));
    }
    if let Some(want) = &expect.trace_contains {
        let mut rest = got.trace.iter();
        if !want.iter().all(|entry| rest.any(|g| g == entry)) {
            found.push(lists("trace_contains", want, &got.trace));
        }
    }
    if let Some(want) = expect.elapsed_ms
        && u128::from(want) != got.elapsed_ms
    {
        found.push(format!("elapsed_ms: expected {want}, got {}", got.elapsed_ms));
    }
    for (scope, want) in &expect.schemas {
        let names = got.schemas.get(scope).map(Vec::as_slice).unwrap_or_default();
        if want != names {
            found.push(lists(&format!("schemas[{scope:?}]"), want, names));
        }
    }
    let (want, errors) = (&expect.register_errors, &got.register_errors);
    if want.len() != errors.len() || want.iter().zip(errors).any(|(w, e)| !e.contains(w)) {
        found.push(lists("register_errors", want, errors));
    }
    found
}

fn result(want: &ExpectedResult, got: &Map<String, Value>, found: &mut Vec<String>) {
    let Ok(Value::Object(keys)) = serde_json::to_value(want) else {
        found.push(format!("{}: the expectation cannot be read", want.id));
        return;
    };
    for (key, want_value) in keys {
        let part = key.strip_suffix("_contains");
        let value = got.get(part.unwrap_or(&key)).unwrap_or(&Value::Null);
        let fits = match (part, want_value.as_str()) {
            (Some(_), Some(needle)) => value.as_str().is_some_and(|text| text.contains(needle)),
            // As text: the order of keys and the kind of a number count.
            _ => serde_json::to_string(value).ok() == serde_json::to_string(&want_value).ok(),
        };
        if !fits {
            found.push(format!("{}.{key}: expected {want_value}, got {value}", want.id));
        }
    }
}

/// Two lists side by side, with a mark at the first entry that differs.
fn lists(what: &str, want: &[String], got: &[String]) -> String {
    let first = want.iter().zip(got).take_while(|(w, g)| w == g).count();
    let line = |list: &[String]| {
        let marked = list.iter().enumerate().map(|(i, e)| if i == first { format!(">>{e}") } else { e.clone() });
        marked.collect::<Vec<_>>().join(", ")
    };
    format!("{what}:\n      expected [{}]\n      got      [{}]", line(want), line(got))
}
