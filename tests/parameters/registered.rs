//! What registration says of them, and that calls are held to them.

use serde_json::{Value, json};
use toolgate::{OutputSpec, Schema, ToolCall, ToolRegistry, tool};

fn register(parameters: Schema, output: Schema) -> Result<ToolRegistry, String> {
    let registry = ToolRegistry::new();
    let body = |cx: toolgate::ToolContext| async move { Ok(cx.arguments()["answer"].clone()) };
    let definition = tool("t").parameters(parameters).output(OutputSpec::json(output)).body(body);
    registry.register(definition).map_err(|e| e.to_string())?;
    Ok(registry)
}

fn code(registry: &ToolRegistry, arguments: Value) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("it can be built");
    let result = runtime.block_on(registry.execute(ToolCall::new("c", "t").with_arguments(arguments)));
    result.code().map(ToString::to_string)
}

#[test]
fn mistakes_are_among_all_other_problems() {
    let parameters = Schema::object().optional("limit", Schema::integer().minimum(2).maximum(1));
    let definition = tool("").parameters(parameters).output(OutputSpec::json(Schema::integer().min_length(1)));
    let error = ToolRegistry::new().register(definition.timeout(std::time::Duration::ZERO)).expect_err("all wrong");
    assert_eq!(
        error.to_string(),
        "tool \"\": name: must be 1 to 128 of A-Z a-z 0-9 _ . -; \
         parameters: /properties/limit/minimum: 2 is more than maximum, 1; \
         output: /minLength: is for strings, and this is an integer; \
         body: missing: add .typed(..), .handler(..) or .body(..); \
         timeout: must be more than zero"
    );
}

#[test]
fn calls_and_answers_are_held_to_them() {
    let parameters = Schema::object()
        .required("answer", Schema::any())
        .optional("list", Schema::array(Schema::one_of([Schema::string(), Schema::integer()])).max_items(2))
        .additional_properties(false);
    let registry = register(parameters, Schema::integer().minimum(0).maximum(9)).expect("both are good");
    assert_eq!(code(&registry, json!({"answer": 3, "list": ["a", 1]})), None);
    assert_eq!(code(&registry, json!({"answer": 3, "more": 1})).as_deref(), Some("INVALID_ARGS"));
    assert_eq!(code(&registry, json!({"answer": 3, "list": [null]})).as_deref(), Some("INVALID_ARGS"));
    assert_eq!(code(&registry, json!({})).as_deref(), Some("INVALID_ARGS"));
    assert_eq!(code(&registry, json!({"answer": 10})).as_deref(), Some("INVALID_TOOL_OUTPUT"));
}

#[test]
fn exactly_one_branch_and_integers_however_they_are_written() {
    let one = Schema::object().required("answer", Schema::one_of([Schema::integer(), Schema::number()]));
    let registry = register(one, Schema::any()).expect("good");
    assert_eq!(code(&registry, json!({"answer": 1})).as_deref(), Some("INVALID_ARGS"), "both fit");
    assert_eq!(code(&registry, json!({"answer": 1.5})), None);
    let any = Schema::object().required("answer", Schema::any_of([Schema::integer(), Schema::number()]));
    assert_eq!(code(&register(any, Schema::any()).expect("good"), json!({"answer": 1.0})), None);
}

#[test]
fn a_default_fills_nothing_in() {
    let parameters = Schema::object().optional("answer", Schema::integer().default(7));
    let registry = register(parameters, Schema::null()).expect("good");
    assert_eq!(code(&registry, json!({})), None, "the body saw no answer");
}

#[test]
fn the_root_is_open_and_an_object() {
    let registry = register(Schema::object(), Schema::any()).expect("good");
    assert_eq!(code(&registry, json!({"anything": 1})), None);
    let error = register(Schema::string(), Schema::any()).expect_err("arguments are an object");
    assert!(error.contains("parameters: must be a JSON Schema for an object"), "{error}");
}
