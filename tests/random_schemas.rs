//! Random schemas, hostile ones among them: registering one, or calling a tool that has it, never panics, overflows or
//! runs on. In a process of its own, so that an abort is a failed test and not a dead run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a child process tells its parent")]

use std::{
    env,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};
use toolgate::{OutputSpec, ToolCall, ToolRegistry, tool};

const MARK: &str = "TOOLGATE_RANDOM_SCHEMAS";
/// Cases, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 1_500;
/// What one case may take. Ten times what the worst admitted schema is known to take, on a machine that is busy and
/// without optimisation: only work without bound takes longer.
const BUDGET: Duration = Duration::from_secs(20);

const NAMES: [&str; 4] = ["a", "b", "c", "n"];
const KEYWORDS: &[&str] = &["$ref", "$ref", "$ref", "$dynamicRef", "$recursiveRef"];
const LISTS: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems", "items"];
const MAPS: &[&str] = &["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs"];
const ONES: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
];
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        (-3..4_i64).prop_map(|n| json!(n)),
        prop::sample::select(&[0.5, 2.0, 1e300][..]).prop_map(|n| json!(n)),
        "[ab]{0,6}".prop_map(Value::String),
    ]
}

/// References that lead somewhere, nowhere, or back.
fn reference() -> impl Strategy<Value = Value> {
    static TARGETS: &[&str] =
        &["#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#a", "#/properties/n", "#/$defs/a/anyOf/0", "x.json"];
    (prop::sample::select(KEYWORDS), prop::sample::select(TARGETS)).prop_map(|(k, t)| json!({ k: t }))
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => prop::sample::select(&TYPES[..]).prop_map(|t| json!({ "type": t })),
        2 => reference(),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => prop::collection::vec(scalar(), 0..4).prop_map(|values| json!({ "enum": values })),
        1 => scalar().prop_map(|value| json!({ "const": value })),
        1 => prop::sample::select(&["^a+$", "(a|b)*c", "[ab]*a[ab]{9}c", "(", "(?=a)", r"\d"][..])
            .prop_map(|p| json!({ "type": "string", "pattern": p })),
        1 => (-2..5_i64).prop_map(|n| json!({ "minimum": n, "maxLength": 3, "minItems": n, "multipleOf": 0.5 })),
        1 => Just(json!({ "type": "objekt", "required": "a" })),
        1 => Just(json!({ "type": "array", "uniqueItems": true })),
        1 => name().prop_map(|n| json!({ "$anchor": n })),
    ]
}

fn node() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 40, 4, |inner| {
        let map = prop::collection::btree_map(name(), inner.clone(), 0..4)
            .prop_map(|m| Value::Object(m.into_iter().collect::<Map<_, _>>()));
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::Array);
        let one = prop_oneof![
            3 => (prop::sample::select(LISTS), list),
            3 => (prop::sample::select(MAPS), map),
            3 => (prop::sample::select(ONES), inner),
            1 => prop::collection::vec(name(), 0..3).prop_map(|v| ("required", json!(v))),
            // The same again and again: what multiplies, does so here.
            1 => (reference(), 2..80_usize).prop_map(|(r, n)| ("anyOf", Value::Array(vec![r; n]))),
            1 => (reference(), 2..12_usize).prop_map(|(r, n)| ("allOf", Value::Array(vec![r; n]))),
        ];
        prop::collection::vec(one, 1..4)
            .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()))
    })
}

fn schema() -> impl Strategy<Value = Value> {
    static DIALECTS: &[&str] =
        &["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema", "x"];
    let defs = prop::collection::btree_map(name(), node(), 0..4);
    (node(), defs, prop::option::weighted(0.3, prop::sample::select(DIALECTS))).prop_map(|(root, defs, dialect)| {
        let Value::Object(mut root) = root else { return root };
        if !defs.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(defs.into_iter().collect()));
        }
        if let Some(dialect) = dialect {
            root.insert("$schema".to_owned(), json!(dialect));
        }
        Value::Object(root)
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    let value = scalar().prop_recursive(4, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(name(), inner, 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    });
    // Deep and wide ones too: as far as the registry's limits go, and no farther.
    let shapes = prop_oneof![
        6 => value.clone(),
        1 => (value.clone(), 1..60_usize, name()).prop_map(|(inner, n, name)| {
            (0..n).fold(inner, |inner, i| if i % 2 == 0 { json!({ &*name: inner }) } else { json!([inner]) })
        }),
        1 => (value, 1..3_000_usize).prop_map(|(one, n)| Value::Array(vec![one; n])),
    ];
    prop::collection::btree_map(name(), shapes, 0..4).prop_map(|m| Value::Object(m.into_iter().collect()))
}

fn one(parameters: Value, arguments: Value) -> &'static str {
    let registry = ToolRegistry::new();
    let definition = tool("t").parameters(parameters).output(OutputSpec::any()).body(|_| async { Ok(json!(1)) });
    if registry.register(definition).is_err() {
        return "refused";
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let result = runtime.block_on(registry.execute(ToolCall::new("c", "t").with_arguments(arguments)));
    match result.error() {
        None => "valid",
        Some(failure) => {
            assert_eq!(failure.code, "INVALID_ARGS");
            assert!(failure.message.len() < 4_096, "{} bytes", failure.message.len());
            "invalid"
        }
    }
}

/// Ends the process when one case takes longer than its budget.
fn watch(case: &AtomicU64) {
    let mut last = 0;
    loop {
        thread::sleep(BUDGET);
        let now = case.load(Ordering::SeqCst);
        if now == last {
            eprintln!("case {now} takes longer than {BUDGET:?}");
            std::process::abort();
        }
        last = now;
    }
}

fn all() {
    let config = Config::default();
    let cases = if env::var_os("PROPTEST_CASES").is_some() { config.cases } else { CASES };
    let seed = env::var("TOOLGATE_RANDOM_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(7_u8);
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
    let case = Arc::new(AtomicU64::new(1));
    let watched = case.clone();
    thread::spawn(move || watch(&watched));
    let (mut refused, mut valid, mut invalid) = (0, 0, 0);
    let strategy = (schema(), arguments());
    for _ in 0..cases {
        let (parameters, arguments) = strategy.new_tree(&mut runner).expect("a case").current();
        let text = format!("{parameters} <- {} bytes", arguments.to_string().len());
        let outcome = std::panic::catch_unwind(|| one(parameters, arguments));
        match outcome.unwrap_or_else(|_| panic!("{text}")) {
            "refused" => refused += 1,
            "valid" => valid += 1,
            _ => invalid += 1,
        }
        case.fetch_add(1, Ordering::SeqCst);
    }
    println!("{refused} refused, {valid} valid, {invalid} invalid");
    let enough = cases / 50;
    assert!(refused > enough && valid > enough && invalid > enough, "the cases are of every kind");
}

#[test]
fn random_schemas_end_in_a_refusal_or_a_verdict() {
    if env::var_os(MARK).is_some() {
        let ran = thread::Builder::new().stack_size(2 << 20).spawn(all).map(thread::JoinHandle::join);
        assert!(matches!(ran, Ok(Ok(()))), "a case failed");
        return;
    }
    let exe = env::current_exe().expect("a test has a file");
    let mut child = Command::new(exe);
    child.args(["--exact", "random_schemas_end_in_a_refusal_or_a_verdict", "--nocapture"]).env(MARK, "1");
    let out = child.output().expect("it starts");
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{}\n{said}", out.status);
    assert!(said.contains(" refused, "), "the cases ran: {said}");
}
