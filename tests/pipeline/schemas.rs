//! What registration warns about, and what messages quote.

use crate::support::paused;
use serde_json::{Value, json};
use toolgate::{Installer, OutputSpec, Plugin, RegisterError, ToolCall, ToolDefinition, ToolRegistry, tool};

fn suspicious(name: &str) -> ToolDefinition {
    tool(name)
        .parameters(
            json!({"type": "object", "requried": ["a"], "properties": {"a": {"type": "integer", "enum": ["1"]}}}),
        )
        .output(OutputSpec::json(json!({"type": "string", "items": {}})))
        .body(|_cx| async { Ok(json!("done")) })
}

const PARAMETERS: [&str; 2] = [
    "\"requried\" is no keyword and says nothing; did you mean \"required\"?",
    "/properties/a: none of the values of its enum is of type integer: no value fits",
];
const OUTPUT: &str = "\"items\" says nothing about a value of type string";

#[test]
fn suspicious_schemas_are_registered_and_warned_about() {
    let registry = ToolRegistry::new();
    let registration = registry.register(suspicious("t")).expect("it is taken");
    let got: Vec<_> = registration.warnings().iter().map(|w| (w.field(), w.message())).collect();
    assert_eq!(got, [("parameters", PARAMETERS[0]), ("parameters", PARAMETERS[1]), ("output", OUTPUT)]);
    assert_eq!(registry.schemas().len(), 1);
    assert!(registry.scope("a").register(suspicious("t")).is_ok_and(|r| r.warnings().len() == 3));
}

#[test]
fn plain_schemas_are_not_warned_about() {
    let registry = ToolRegistry::new();
    let plain = tool("t").output(OutputSpec::text()).body(|_cx| async { Ok(json!("done")) });
    assert!(registry.register(plain).expect("it is taken").warnings().is_empty());
    let approver = registry.observer(toolgate::observer_fn("o", |_, _| {})).expect("it is taken");
    assert!(approver.warnings().is_empty());
}

#[test]
fn a_plugin_tells_what_is_suspicious_about_its_tools() {
    struct Two;
    impl Plugin for Two {
        fn name(&self) -> &str {
            "two"
        }

        fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
            installer.register(suspicious("first"))?;
            installer.register(tool("second").output(OutputSpec::any()).body(|_cx| async { Ok(json!(1)) }))
        }
    }
    let handle = ToolRegistry::new().install(&Two).expect("it is installed");
    let got: Vec<_> = handle.warnings().iter().map(|w| w.message().to_owned()).collect();
    assert_eq!(got.len(), 3, "{got:?}");
    assert_eq!(got[1], format!("tool \"first\": {}", PARAMETERS[1]));
}

fn echo(parameters: Value, output: Value) -> ToolDefinition {
    tool("t").parameters(parameters).output(OutputSpec::json(output)).body(|cx| {
        let value = cx.arguments()["x"].clone();
        async move { Ok(value) }
    })
}

fn message(registry: &ToolRegistry, text: &str) -> String {
    let (result, _) = paused(registry.execute(ToolCall::from_model("c", "t", text)));
    result.outcome().err().map(|f| f.message.clone()).unwrap_or_default()
}

#[test]
fn values_are_quoted_unless_the_registry_or_the_schema_says_otherwise() {
    let limited =
        json!({"type": "object", "properties": {"x": {"type": "string", "maxLength": 3}, "n": {"maximum": 5}}});
    let registry = ToolRegistry::new();
    registry.register(echo(limited.clone(), json!({"const": "yes"}))).expect("it is taken");
    assert_eq!(message(&registry, r#"{"x": "a", "n": 7}"#), "invalid arguments: /n: expected at most 5, got 7");
    assert_eq!(message(&registry, r#"{"x": "no"}"#), "invalid tool output: expected \"yes\", got \"no\"");

    let quiet = ToolRegistry::builder().quote_values(false).build().expect("limits that can be");
    quiet.register(echo(limited, json!({"const": "yes"}))).expect("it is taken");
    assert_eq!(message(&quiet, r#"{"x": "a", "n": 7}"#), "invalid arguments: /n: expected at most 5, got a number");
    assert_eq!(message(&quiet, r#"{"x": "no"}"#), "invalid tool output: expected \"yes\", got a string");

    let secret = json!({"type": "object", "properties": {"n": {"writeOnly": true, "maximum": 5}}});
    let registry = ToolRegistry::new();
    registry.register(echo(secret, json!({"const": "yes", "format": "password"}))).expect("it is taken");
    assert_eq!(message(&registry, r#"{"n": 7}"#), "invalid arguments: /n: expected at most 5, got a number");
    assert_eq!(message(&registry, r#"{"x": "no"}"#), "invalid tool output: expected \"yes\", got a string");
}
