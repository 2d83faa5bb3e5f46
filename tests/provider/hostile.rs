//! Tools of servers that are not kind, each exported in a child process on the stack of a tokio worker: an overflow is then a
//! failed test, and not a dead run.

use std::{
    env,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use toolgate::provider::{Exporter, Format, Mode, Strict};

use super::support::{info, parameters};

fn in_child(path: &str, case: fn()) {
    const MARK: &str = "TOOLGATE_HOSTILE_EXPORT";
    if env::var(MARK).is_ok_and(|v| v == path) {
        let ran = thread::Builder::new().stack_size(2 << 20).spawn(case).map(thread::JoinHandle::join);
        assert!(matches!(ran, Ok(Ok(()))), "the case failed");
        return;
    }
    let exe = env::current_exe().expect("a test has a file");
    let out = Command::new(exe).args(["--exact", path, "--nocapture"]).env(MARK, path).output().expect("it starts");
    assert!(out.status.success(), "{path}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
}

/// Parameters with as many members in `allOf`.
fn members(count: usize, member: impl Fn(usize) -> Value) -> Value {
    json!({"type": "object", "allOf": (0..count).map(member).collect::<Vec<_>>()})
}

/// Exports in every format and mode; without optimisation that is some twenty times slower than with it.
fn is_exported_soon(schema: Value) {
    let tools = [info("t", schema)];
    for format in Format::ALL.iter().copied() {
        for strict in [Strict::Never, Strict::WherePossible] {
            let start = Instant::now();
            let _ = Exporter::new(format).strict(strict).export(&tools);
            let most = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });
            assert!(start.elapsed() < most, "{format} {strict:?}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn many_members_that_speak_of_one_property_stay_flat() {
    fn case() {
        is_exported_soon(members(3_000, |i| json!({"properties": {"k": {"minimum": i}}})));
        let few = [info("t", members(900, |i| json!({"properties": {"k": {"minimum": i}}})))];
        for format in [Format::OpenAiChat, Format::Anthropic, Format::Bedrock] {
            let export = Exporter::new(format).export(&few);
            assert_eq!(export.reports()[0].mode, Mode::NotStrict, "a flat schema has few levels");
            let k = parameters(&export)["properties"]["k"].clone();
            assert_eq!(k["allOf"].as_array().map(Vec::len), Some(900));
            assert_eq!(k["allOf"][899], json!({"minimum": 899}));
        }
    }
    in_child("hostile::many_members_that_speak_of_one_property_stay_flat", case);
}

#[test]
fn what_many_members_say_of_all_others_is_not_copied_without_end() {
    fn case() {
        is_exported_soon(members(
            900,
            |i| json!({"properties": {"k": {"minimum": i}}, "additionalProperties": {"type": ["string", "number"], "title": format!("{i}")}}),
        ));
        is_exported_soon(members(
            2_000,
            |i| json!({"properties": {format!("p{i}"): {"minimum": i}}, "additionalProperties": {"title": format!("{i}")}}),
        ));
    }
    in_child("hostile::what_many_members_say_of_all_others_is_not_copied_without_end", case);
}
