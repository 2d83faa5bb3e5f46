//! What a body does, step by step.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use crate::scenario::GuardSpec;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    SleepMs(u64),
    IgnoreCancelMs(u64),
    WaitCancel(Yes),
    DeferContext(String),
    Conclude(Yes),
    Call(NestedSpec),
    Unregister(String),
    AddGuard(GuardSpec),
    Return(Value),
    ReturnArgs(Yes),
    ReturnLast(Yes),
    Fail(FailSpec),
    Panic(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailSpec {
    pub(crate) code: Option<String>,
    pub(crate) message: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NestedSpec {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// The only thing that such a key can say is `true`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yes;

impl<'de> Deserialize<'de> for Yes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if bool::deserialize(from)? { Ok(Self) } else { Err(D::Error::custom("expected true")) }
    }
}
