//! What every honest implementation has to do: validate, read, call, write, validate.

use std::marker::PhantomData;

use jsonschema::Validator;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolgate::ToolError;

/// A tool without anything around it.
pub(crate) struct Floor<A, B> {
    parameters: Validator,
    output: Validator,
    body: B,
    _arguments: PhantomData<fn(A)>,
}

impl<A, B, F, O> Floor<A, B>
where
    A: DeserializeOwned,
    B: Fn(A) -> F,
    F: Future<Output = Result<O, ToolError>>,
    O: Serialize,
{
    pub(crate) fn new(parameters: &Value, output: &Value, body: B) -> Self {
        let compile = |schema| jsonschema::validator_for(schema).expect("the bench's schemas are valid");
        Self { parameters: compile(parameters), output: compile(output), body, _arguments: PhantomData }
    }

    pub(crate) async fn call(&self, args: &Value) -> Option<Value> {
        if !self.parameters.is_valid(args) {
            return None;
        }
        let answer = (self.body)(A::deserialize(args).ok()?).await.ok()?;
        let value = serde_json::to_value(answer).ok()?;
        self.output.is_valid(&value).then_some(value)
    }
}
