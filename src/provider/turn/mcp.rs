//! Model Context Protocol: a `tools/call` request, or several; arguments as an object.

use serde_json::Value;

use crate::provider::{
    Format, TurnError,
    turn::raw::{Raw, RawCall, not_a_turn},
};

/// A request, its parameters, or a list of either.
pub(crate) fn read(body: &Value) -> Result<Raw, TurnError> {
    let requests = match body {
        Value::Array(requests) => requests.as_slice(),
        one => std::slice::from_ref(one),
    };
    let calls = requests.iter().enumerate().map(|(at, request)| read_one(at, request)).collect::<Result<_, _>>()?;
    Ok(Raw { message: body.clone(), text: String::new(), calls, stopped: None })
}

pub(crate) fn read_one(at: usize, request: &Value) -> Result<RawCall, TurnError> {
    let parameters = match request.get("method").and_then(Value::as_str) {
        Some("tools/call") => request.get("params"),
        Some(_) => return Err(not_a_turn(Format::Mcp, "the method is not tools/call")),
        None => Some(request),
    };
    let Some(parameters) = parameters.filter(|p| p.get("name").is_some_and(Value::is_string)) else {
        return Err(not_a_turn(Format::Mcp, "expected a tools/call request, or its parameters with a `name`"));
    };
    Ok(RawCall::function(at, request.get("id"), parameters.get("name"), parameters.get("arguments")))
}
