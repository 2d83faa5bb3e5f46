//! What the inputs cost that are made to cost much: hazards J1 to J24 of the validator and the parser behind this crate,
//! each put through the public interface on a stack of 2 MiB.
//!
//! `cargo bench --bench hostile` prints a row for each, and ends non-zero where one is not answered as it has to be, takes
//! more memory than its input and [`MEMORY`] or, with `-- --gate`, more time than [`TIME`].

#![expect(clippy::print_stdout, reason = "a bench tells what it found")]

use std::{
    process::ExitCode,
    sync::Mutex,
    time::{Duration, Instant},
};

use allocation_counter::measure;
use serde_json::{Value, json};
use toolgate::{OutputSpec, ToolCall, ToolRegistry, tool};

/// More than any of them takes beside its input.
const MEMORY: u64 = 64 << 20;
const TIME: Duration = Duration::from_millis(250);
const STACK: usize = 2 << 20;

/// What becomes of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The schema is not registered.
    Refused,
    /// The call ends as `INVALID_ARGS`.
    Invalid,
    /// The call ends as `INVALID_TOOL_OUTPUT`.
    InvalidOutput,
    /// The schema is registered, the call succeeds.
    Accepted,
}

enum Input {
    Schema,
    Text(String),
    Value(Value),
    /// What the body answers.
    Output(Value),
}

struct Case {
    hazard: &'static str,
    what: &'static str,
    schema: Value,
    input: Input,
    expected: Outcome,
}

struct Found {
    outcome: Outcome,
    took: Duration,
    peak: u64,
    words: String,
}

fn main() -> ExitCode {
    let gate = std::env::args().any(|arg| arg == "--gate");
    let mut missed = Vec::new();
    println!("{:<4} {:<52} {:<14} {:>9} {:>9}", "", "input", "outcome", "ms", "peak MiB");
    // What is made once in a process is nobody's cost.
    found(case("", "warm", json!({"type": "object"}), Input::Value(json!({})), Outcome::Accepted));
    for case in cases() {
        let (hazard, what, expected, size) = (case.hazard, case.what, case.expected, size_of(&case));
        let found = found(case);
        let outcome = format!("{:?}", found.outcome);
        #[expect(clippy::cast_precision_loss, reason = "for people")]
        let mebibytes = found.peak as f64 / f64::from(1 << 20);
        let ms = found.took.as_secs_f64() * 1e3;
        println!("{hazard:<4} {what:<52} {outcome:<14} {ms:>9.3} {mebibytes:>9.2}");
        if found.outcome != expected {
            missed.push(format!("{hazard} {what}: {outcome} ({})", found.words));
        }
        if found.peak > MEMORY + 2 * size || (gate && found.took > TIME) {
            missed.push(format!("{hazard} {what}: {ms:.0} ms, {mebibytes:.0} MiB"));
        }
    }
    for miss in &missed {
        println!("missed {miss}");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn size_of(case: &Case) -> u64 {
    match &case.input {
        Input::Text(text) => text.len() as u64,
        _ => 0,
    }
}

fn found(case: Case) -> Found {
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.spawn(move || run(case)).expect("a thread can be started").join().expect("nothing panics")
}

fn run(case: Case) -> Found {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let registry = ToolRegistry::new();
    let (answer, output, call) = match case.input {
        Input::Schema => (json!(null), None, None),
        Input::Text(text) => (json!(null), None, Some(ToolCall::from_model("1", "tool", text))),
        Input::Value(value) => (json!(null), None, Some(ToolCall::new("1", "tool").with_arguments(value))),
        Input::Output(value) => (value, Some(case.schema.clone()), Some(ToolCall::new("1", "tool"))),
    };
    let parameters = if output.is_some() { json!({"type": "object"}) } else { case.schema };
    let answer = Mutex::new(answer);
    let definition = tool("tool")
        .parameters(parameters)
        .output(output.map_or_else(OutputSpec::any, OutputSpec::json))
        .body(move |_| {
            let answer = answer.lock().expect("nobody panics").take();
            async move { Ok(answer) }
        });
    let (mut outcome, mut words, mut took) = (Outcome::Accepted, String::new(), Duration::ZERO);
    let counted = measure(|| {
        let start = Instant::now();
        match registry.register(definition) {
            Err(error) => (outcome, words) = (Outcome::Refused, error.to_string()),
            Ok(_) => {
                if let Some(call) = call {
                    let result = runtime.block_on(registry.execute(call));
                    outcome = match result.code().map(toolgate::ErrorCode::as_str) {
                        None => Outcome::Accepted,
                        Some("INVALID_TOOL_OUTPUT") => Outcome::InvalidOutput,
                        Some(_) => Outcome::Invalid,
                    };
                    words = result.text();
                }
            }
        }
        took = start.elapsed();
    });
    let words = words.chars().take(120).collect();
    Found { outcome, took, peak: counted.bytes_max, words }
}

fn case(hazard: &'static str, what: &'static str, schema: Value, input: Input, expected: Outcome) -> Case {
    Case { hazard, what, schema, input, expected }
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| Value::Array(vec![inner]))
}

/// The object with one member, without the recursion of the macro.
fn with(a: Value) -> Value {
    Value::Object([("a".to_owned(), a)].into_iter().collect())
}

fn object(a: &Value) -> Value {
    json!({"type": "object", "properties": {"a": a}})
}

/// Schemas that lead to two of the next level each.
fn doubling(levels: usize) -> Value {
    let defs = (0..levels).map(|i| {
        let next = format!("#/$defs/l{}", i + 1);
        (format!("l{i}"), json!({"allOf": [{"$ref": next}, {"$ref": next}]}))
    });
    let mut defs: serde_json::Map<String, Value> = defs.collect();
    defs.insert(format!("l{levels}"), json!({"type": "object"}));
    json!({"type": "object", "$defs": defs, "$ref": "#/$defs/l0"})
}

fn chain(links: usize) -> Value {
    let mut defs: serde_json::Map<String, Value> =
        (0..links).map(|i| (format!("d{i}"), json!({"$ref": format!("#/$defs/d{}", i + 1)}))).collect();
    defs.insert(format!("d{links}"), json!({"type": "object"}));
    json!({"type": "object", "$defs": defs, "$ref": "#/$defs/d0"})
}

/// A recursive union of three arms, and a value of so many levels of which none fits.
fn union() -> Value {
    let arm = |kind: &str| json!({"properties": {"next": {"$ref": "#/$defs/node"}, "kind": {"const": kind}}, "required": ["kind"]});
    json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"anyOf": [arm("x"), arm("y"), arm("z")]}},
    })
}

fn misfit(levels: usize) -> Value {
    json!({"a": (0..levels).fold(json!({"kind": 1}), |inner, _| json!({"kind": "x", "next": inner}))})
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn cases() -> Vec<Case> {
    use Outcome::{Accepted, Invalid, InvalidOutput, Refused};
    let any = || json!({"type": "object"});
    let text = |what: &str| Input::Text(what.to_owned());
    let pattern = |pattern: &str| object(&json!({"pattern": pattern}));
    let properties: serde_json::Map<String, Value> =
        (0..500).map(|i| (format!("property_{i}"), json!({"type": "string", "description": "one of many"}))).collect();
    let evaluated = json!({"type": "object", "allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false});
    let nested_schema = (0..900).fold(json!({}), |inner, _| json!({"items": inner}));
    vec![
        case("J1", "text, 100 000 levels", any(), Input::Text(format!("{{\"a\":{}", "[".repeat(100_000))), Invalid),
        case("J2", "arguments, 100 000 levels", any(), Input::Value(with(deep(100_000))), Invalid),
        case("J2", "result, 100 000 levels", json!({}), Input::Output(deep(100_000)), InvalidOutput),
        case(
            "J3",
            "result, 200 000 levels, flat schema",
            json!({"type": "string"}),
            Input::Output(deep(200_000)),
            InvalidOutput,
        ),
        case("J4", "schema, 900 levels", object(&nested_schema), Input::Schema, Refused),
        case("J5", "$ref to itself", object(&json!({"$ref": "#/properties/a"})), Input::Schema, Refused),
        case(
            "J5",
            "two that refer to each other",
            json!({"type": "object", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
            Input::Schema,
            Refused,
        ),
        case("J5", "not itself", json!({"type": "object", "not": {"$ref": "#"}}), Input::Schema, Refused),
        case("J6", "chain of 200 000 references", chain(200_000), Input::Schema, Refused),
        case("J7", "2^30 ways through 2 KB", doubling(30), Input::Schema, Refused),
        case("J8", "recursive union of 3, 20 levels that do not fit", union(), Input::Value(misfit(20)), Invalid),
        case(
            "J9",
            "1 000 000 bad items",
            object(&json!({"items": {"type": "string"}})),
            Input::Value(json!({"a": vec![1; 1_000_000]})),
            Invalid,
        ),
        case(
            "J9",
            "99 000 bad items",
            object(&json!({"items": {"type": "string"}})),
            Input::Value(json!({"a": vec![1; 99_000]})),
            Invalid,
        ),
        case(
            "J10",
            "^(a+)+$ and 100 000 letters",
            pattern("^(a+)+$"),
            Input::Value(json!({"a": "a".repeat(100_000) + "b"})),
            Invalid,
        ),
        case("J11", "a back-reference", pattern(r"^(a*)*\1b$"), Input::Schema, Refused),
        case("J12", "look-around in not", object(&json!({"not": {"pattern": "(?=a)"}})), Input::Schema, Refused),
        case("J13", r"(\w{100}){100}", pattern(r"(\w{100}){100}"), Input::Schema, Refused),
        case("J13", "(?:a?){5000}a{5000}", pattern("(?:a?){5000}a{5000}"), Input::Schema, Refused),
        case("J14", "1e400", any(), text(r#"{"a": 1e400}"#), Invalid),
        case("J14", "an integer of 30 digits", any(), text(r#"{"a": 123456789012345678901234567890}"#), Invalid),
        case("J15", "460e112", any(), text(r#"{"a": 460e112}"#), Accepted),
        case("J16", "a repeated key", any(), text(r#"{"a": 1, "a": 2}"#), Invalid),
        case("J17", "$ref to https", object(&json!({"$ref": "https://example.com/x.json"})), Input::Schema, Refused),
        case("J17", "$ref to a file", object(&json!({"$ref": "file:///etc/passwd"})), Input::Schema, Refused),
        case(
            "J18",
            "an unknown $schema, which is passed over",
            json!({"$schema": "https://example.com/next", "type": "object"}),
            Input::Schema,
            Accepted,
        ),
        case(
            "J19",
            "a format that does not hold",
            object(&json!({"format": "email"})),
            text(r#"{"a": "no"}"#),
            Accepted,
        ),
        case(
            "J20",
            "a bad string of 900 KiB",
            object(&json!({"type": "integer"})),
            Input::Value(json!({"a": "s".repeat(900 << 10)})),
            Invalid,
        ),
        case(
            "J20",
            "a bad string of 50 MB",
            object(&json!({"type": "integer"})),
            Input::Value(json!({"a": "s".repeat(50_000_000)})),
            Invalid,
        ),
        case("J21", "500 properties", json!({"type": "object", "properties": properties}), Input::Schema, Accepted),
        case(
            "J22",
            "100 MB in one string",
            any(),
            Input::Text(format!("{{\"a\": \"{}\"}}", "s".repeat(100_000_000))),
            Invalid,
        ),
        case(
            "J22",
            "100 MB of []",
            any(),
            Input::Text(format!("{{\"a\": [{}[]]}}", "[],".repeat(33_000_000))),
            Invalid,
        ),
        case("J22", "1 MB of []", any(), Input::Text(format!("{{\"a\": [{}[]]}}", "[],".repeat(330_000))), Invalid),
        case("J23", "half of a surrogate pair", any(), text(r#"{"a": "\ud800"}"#), Invalid),
        case("J23", "a byte order mark", any(), text("\u{feff}{}"), Invalid),
        case("J23", "text behind the object", any(), text("{} {}"), Invalid),
        case("J23", "NaN", any(), text(r#"{"a": NaN}"#), Invalid),
        case("J24", "unevaluated behind allOf", evaluated.clone(), text(r#"{"b": 1}"#), Invalid),
        case("J24", "evaluated in allOf", evaluated, text(r#"{"a": 1}"#), Accepted),
    ]
}
