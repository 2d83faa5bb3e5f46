//! What a model, and what an observer, learns of a body's own error.

use async_trait::async_trait;
use serde_json::{Value, json};
use toolgate::{ErrorCode, OutputSpec, Tool, ToolContext, ToolDefinition, ToolError, ToolRegistry, ToolResult, tool};

use crate::{call, only};

#[derive(Debug, thiserror::Error)]
enum Lookup {
    #[error("there is no user {0}")]
    NoSuchUser(u32),
    #[error("db-7.internal is gone")]
    Gone,
}

#[derive(Debug, thiserror::Error)]
#[error("another one")]
struct Other;

fn told(error: &Lookup) -> ToolError {
    match error {
        Lookup::NoSuchUser(_) => ToolError::new("NO_SUCH_USER", error.to_string()),
        Lookup::Gone => ToolError::new("GONE", "try again later").with_retryable(true).with_source(Other),
    }
}

fn result(definition: ToolDefinition) -> std::sync::Arc<ToolResult> {
    call(&only(definition.output(OutputSpec::any())), "t", json!({}))
}

fn failing<E: Into<ToolError> + Send + 'static>(fail: fn() -> E) -> ToolDefinition {
    tool("t").handler(move |_: ToolContext, (): ()| async move { Err::<Value, _>(fail()) })
}

#[test]
fn unasked_the_model_reads_that_the_tool_failed() {
    let result = result(failing(|| Lookup::Gone));
    assert_eq!(result.text(), "Error: the tool failed");
    let source = result.error().and_then(|f| f.source.as_ref()).expect("the source is kept");
    assert!(source.is::<Lookup>());
}

#[test]
fn from_error_lets_the_model_read_what_the_error_says() {
    let result = result(failing(|| ToolError::from_error(Lookup::NoSuchUser(7))));
    let failure = result.error().expect("it failed");
    assert_eq!(result.text(), "Error: there is no user 7");
    assert_eq!(failure.code, ErrorCode::TOOL_FAILED);
    assert!(failure.source.as_ref().expect("the source is kept").is::<Lookup>());
}

#[test]
fn map_error_gives_an_error_its_own_code_and_message() {
    let mapped = result(failing(|| Lookup::NoSuchUser(7)).map_error(told));
    let failure = mapped.error().expect("it failed");
    assert_eq!((failure.code.as_str(), failure.message.as_str()), ("NO_SUCH_USER", "there is no user 7"));
    assert!(failure.source.as_ref().expect("the error is the source").is::<Lookup>());

    let mapped = result(failing(|| Lookup::Gone).map_error(told));
    let failure = mapped.error().expect("it failed");
    assert_eq!((failure.code.as_str(), failure.retryable), ("GONE", Some(true)));
    assert!(failure.source.as_ref().expect("it has one").is::<Other>(), "a source of the answer's own stays");
}

#[test]
fn it_hears_of_what_was_converted_by_a_question_mark() {
    let body = |_: ToolContext| async move {
        Err(Lookup::NoSuchUser(1))?;
        Ok(json!(null))
    };
    assert_eq!(result(tool("t").body(body).map_error(told)).text(), "Error: there is no user 1");
}

#[test]
fn what_was_said_of_it_before_stays_where_the_answer_says_nothing() {
    let failing = || ToolError::from(Lookup::NoSuchUser(1)).with_retryable(true).with_details(json!({"id": 1}));
    let mapped = result(self::failing(failing).map_error(told));
    let failure = mapped.error().expect("it failed");
    assert_eq!((failure.code.as_str(), failure.retryable), ("NO_SUCH_USER", Some(true)));
    assert_eq!(failure.details, Some(json!({"id": 1})));
}

#[derive(Debug)]
struct Object;

#[async_trait]
impl Tool for Object {
    fn definition(&self) -> ToolDefinition {
        tool("t").output(OutputSpec::any()).map_error(told)
    }

    async fn execute(&self, _: ToolContext) -> Result<Value, ToolError> {
        Err(Lookup::NoSuchUser(2))?
    }
}

#[test]
fn it_is_part_of_an_objects_definition_too() {
    let registry = ToolRegistry::new();
    registry.register(Object).expect("good");
    assert_eq!(call(&registry, "t", json!({})).text(), "Error: there is no user 2");
}

#[test]
fn it_does_not_hear_of_messages_that_were_chosen_nor_of_other_types() {
    let chosen = failing(|| ToolError::new("MINE", "my words").with_source(Lookup::Gone)).map_error(told);
    assert_eq!(result(chosen).text(), "Error: my words");
    let from_error = failing(|| ToolError::from_error(Lookup::NoSuchUser(1))).map_error(told);
    assert_eq!(result(from_error).code(), Some(&ErrorCode::TOOL_FAILED));
    assert_eq!(result(failing(|| Other).map_error(told)).text(), "Error: the tool failed");
}

#[test]
fn the_first_that_knows_the_type_answers() {
    let one = |_: &Other| ToolError::failed("first");
    let two = |_: &Other| ToolError::failed("second");
    assert_eq!(result(failing(|| Other).map_error(told).map_error(one).map_error(two)).text(), "Error: first");
}

#[test]
fn a_panic_in_it_is_the_tools() {
    let panics = failing(|| Other).map_error(|_: &Other| -> ToolError { panic!("scripted panic") });
    assert_eq!(result(panics).code(), Some(&ErrorCode::TOOL_PANICKED));
}

#[test]
fn a_reserved_code_is_not_its_to_give() {
    let denied = result(failing(|| Other).map_error(|_: &Other| ToolError::new("DENIED", "no")));
    let failure = denied.error().expect("it failed");
    assert_eq!(failure.code, ErrorCode::TOOL_FAILED);
    assert_eq!(failure.details, Some(json!({"wanted_code": "DENIED"})));
}
