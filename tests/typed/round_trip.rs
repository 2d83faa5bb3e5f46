//! Random values of derived types: valid under the derived schema, and equal when they arrive and when they come back.
//! Values that were changed at random end in a success or in `INVALID_ARGS`.

use std::sync::{Arc, Mutex};

use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use serde_json::{Map, Number, Value, json};
use toolgate::{OutputSpec, ToolCall, ToolContext, ToolDefinition, ToolError, ToolRegistry, tool};

use crate::types::{
    Adjacent, Collections, Defaults, Everything, Expression, External, FlatEnum, FlatMap, Flattened, Holder, Internal,
    Numbers, Options, Plain, Sample, Skipped, Strict, Strings, Transparent, Tree, Tuples, Untagged, Words,
};

/// A tool that answers with its arguments, and what its body got last.
struct Echo<T> {
    registry: ToolRegistry,
    runtime: tokio::runtime::Runtime,
    got: Arc<Mutex<Option<T>>>,
}

impl<T: Sample> Echo<T> {
    fn new(declare: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        let got = Arc::new(Mutex::new(None));
        let slot = got.clone();
        let registry = ToolRegistry::new();
        let definition = declare(tool("echo")).typed(move |_: ToolContext, arguments: T| {
            *slot.lock().expect("not poisoned") = Some(arguments.clone());
            async move { Ok::<_, ToolError>(arguments) }
        });
        registry.register(definition).unwrap_or_else(|e| panic!("{}: {e}", std::any::type_name::<T>()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("it can be built");
        Self { registry, runtime, got }
    }

    /// The code, if it failed; what the body got, and what came out, if it did not.
    fn call(&self, arguments: &Value) -> Result<(T, Value), (String, String)> {
        let call = ToolCall::from_model("c", "echo", arguments.to_string());
        let result = self.runtime.block_on(self.registry.execute(call));
        if let Some(failure) = result.error() {
            return Err((failure.code.to_string(), failure.message.clone()));
        }
        let got = self.got.lock().expect("not poisoned").take().expect("the body ran");
        Ok((got, result.value().expect("a success").clone()))
    }

    fn round_trip(&self, sample: &T) -> Result<(), TestCaseError> {
        let arguments = serde_json::to_value(sample).expect("it serialises");
        match self.call(&arguments) {
            Ok((got, value)) => {
                prop_assert_eq!(&got, sample);
                prop_assert_eq!(value, arguments);
                Ok(())
            }
            Err((code, message)) => Err(TestCaseError::fail(format!("{code} {message}: {arguments}"))),
        }
    }

    fn stays_in_bounds(&self, arguments: &Value) -> Result<(), TestCaseError> {
        match self.call(arguments) {
            Err((code, message)) if code != "INVALID_ARGS" => {
                Err(TestCaseError::fail(format!("{code} {message}: {arguments}")))
            }
            _ => Ok(()),
        }
    }
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-300..300_i32).prop_map(|n| Value::from(f64::from(n))),
        any::<f64>().prop_map(|f| Number::from_f64(f).map_or(Value::Null, Value::Number)),
        ".{0,3}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!({"kind": "nothing", "t": "New", "c": 1.0, "x": 2.0})),
    ]
}

/// Changes one value of those in `value`: replaced, taken out, joined by a stranger, or, if it is an integer, written as a
/// float.
fn mutate(value: &mut Value, at: &mut usize, junk: &Value, how: u8) -> bool {
    if *at == 0 {
        match value {
            Value::Object(members) if how == 1 => {
                let first = members.keys().next().cloned();
                first.map(|first| members.shift_remove(&first));
            }
            Value::Object(members) if how == 2 => _ = members.insert("stranger".to_owned(), junk.clone()),
            Value::Array(items) if how == 1 => _ = items.pop(),
            Value::Array(items) if how == 2 => items.push(junk.clone()),
            Value::Number(number) if how == 3 => *value = json!(number.as_f64()),
            _ => *value = junk.clone(),
        }
        return true;
    }
    *at -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| mutate(item, at, junk, how)),
        Value::Object(members) => members.values_mut().any(|member| mutate(member, at, junk, how)),
        _ => false,
    }
}

/// A whole number stands where an integer may.
fn floats(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            // Those beyond are not exact as floats.
            let small = number.as_i64().filter(|n| n.unsigned_abs() < 1 << 53).and(number.as_f64());
            small.map_or_else(|| value.clone(), |float| json!(float))
        }
        Value::Array(items) => items.iter().map(floats).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(k, v)| (k.clone(), floats(v))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn runner() -> TestRunner {
    TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })
}

fn check<T: Sample>() {
    let echo = Echo::<T>::new(|definition| definition);
    let strategy = (T::any(), prop::collection::vec((any::<usize>(), junk(), 0..4_u8), 1..4));
    let checked = runner().run(&strategy, |(sample, changes)| {
        echo.round_trip(&sample)?;
        let mut arguments = serde_json::to_value(&sample).expect("it serialises");
        for (at, junk, how) in changes {
            mutate(&mut arguments, &mut (at % 12), &junk, how);
            echo.stays_in_bounds(&arguments)?;
        }
        Ok(())
    });
    checked.unwrap_or_else(|e| panic!("{}: {e}", std::any::type_name::<T>()));
}

macro_rules! each {
    ($($test:ident: $type:ty,)*) => {
        $(#[test]
        fn $test() {
            check::<$type>();
        })*
    };
}

each! {
    numbers: Numbers,
    words: Words,
    options: Options,
    defaults: Defaults,
    skipped: Skipped,
    strict: Strict,
    flattened: Flattened,
    flat_map: FlatMap,
    flat_enum: FlatEnum,
    strings: Strings,
    collections: Collections,
    tuples: Tuples,
    external: Holder<External>,
    internal: Internal,
    adjacent: Adjacent,
    untagged: Holder<Untagged>,
    plain: Holder<Plain>,
    tree: Tree,
    expression: Holder<Expression>,
    transparent: Transparent,
    everything: Everything,
}

/// Whole numbers written as floats arrive as the integers they are.
fn check_floats<T: Sample>() {
    let echo = Echo::<T>::new(|definition| definition);
    let checked = runner().run(&T::any(), |sample| {
        let arguments = floats(&serde_json::to_value(&sample).expect("it serialises"));
        match echo.call(&arguments) {
            Ok((got, _)) => prop_assert_eq!(got, sample),
            Err((code, message)) => return Err(TestCaseError::fail(format!("{code} {message}: {arguments}"))),
        }
        Ok(())
    });
    checked.unwrap_or_else(|e| panic!("{}: {e}", std::any::type_name::<T>()));
}

#[test]
fn whole_numbers_written_as_floats_arrive_as_integers() {
    check_floats::<Numbers>();
    check_floats::<Options>();
    check_floats::<Defaults>();
    check_floats::<Flattened>();
    check_floats::<FlatMap>();
    check_floats::<FlatEnum>();
    check_floats::<Collections>();
    check_floats::<Tuples>();
    check_floats::<Holder<External>>();
    check_floats::<Internal>();
    check_floats::<Adjacent>();
    check_floats::<Holder<Untagged>>();
    check_floats::<Everything>();
}

/// Shows that the properties can fail: with another schema values are refused, with another output the tool's answer is.
#[test]
fn a_schema_that_is_not_the_types_is_noticed() {
    let sample = Strings::any();
    let other = Echo::<Strings>::new(|d| d.parameters(json!({"type": "object", "required": ["nowhere"]})));
    let failed = runner().run(&sample, |sample| other.round_trip(&sample)).expect_err("the arguments are refused");
    assert!(failed.to_string().contains("INVALID_ARGS"), "{failed}");
    let other = Echo::<Strings>::new(|d| d.output(OutputSpec::text()));
    let failed = runner().run(&sample, |sample| other.round_trip(&sample)).expect_err("the answer is refused");
    assert!(failed.to_string().contains("INVALID_TOOL_OUTPUT"), "{failed}");
    let failed = runner().run(&sample, |sample| other.stays_in_bounds(&serde_json::to_value(sample).expect("it does")));
    assert!(failed.expect_err("the answer is refused").to_string().contains("INVALID_TOOL_OUTPUT"));
}
