//! The scenario format. Unknown keys are errors everywhere.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{expect::Expect, step::Step};

/// An optional key that, where it is there, must hold a value: `null` is one only where any JSON is.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(default)]
    pub(crate) scopes: Vec<ScopeSpec>,
    #[serde(default)]
    pub(crate) tools: Vec<ToolSpec>,
    #[serde(default)]
    pub(crate) pre: Vec<PreSpec>,
    #[serde(default)]
    pub(crate) guards: Vec<GuardSpec>,
    #[serde(default)]
    pub(crate) wrap: Vec<WrapSpec>,
    #[serde(default)]
    pub(crate) post: Vec<PostSpec>,
    #[serde(default)]
    pub(crate) observers: Vec<ObserverSpec>,
    #[serde(default)]
    pub(crate) restrict: Vec<RestrictSpec>,
    pub(crate) approval: Option<ApprovalSpec>,
    pub(crate) grace_ms: Option<u64>,
    #[serde(default)]
    pub(crate) calls: Vec<CallSpec>,
    pub(crate) batch: Option<BatchSpec>,
    pub(crate) expect: Expect,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScopeSpec {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
}

/// Limits a participant to the calls of one tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Only {
    pub(crate) tool: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolSpec {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) parameters: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) output: Option<Value>,
    pub(crate) body: Vec<Step>,
    #[serde(default)]
    pub(crate) render: Render,
    pub(crate) meta: Option<Value>,
    pub(crate) finalize: Option<FinalizeSpec>,
    pub(crate) timeout_ms: Option<u64>,
    #[serde(default)]
    pub(crate) concurrency: Concurrency,
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Render {
    #[default]
    Text,
    Json,
    Panic,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Concurrency {
    Safe,
    #[default]
    Exclusive,
    Panic,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FinalizeSpec {
    #[serde(rename = "do")]
    pub(crate) act: FinalizeAct,
    #[serde(default)]
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FinalizeAct {
    Append,
    Replace,
    Keep,
    Panic,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreSpec {
    pub(crate) name: String,
    #[serde(rename = "do")]
    pub(crate) act: PreAct,
    #[serde(default)]
    pub(crate) reason: String,
    pub(crate) sleep_ms: Option<u64>,
    pub(crate) with: Option<VerdictWord>,
    pub(crate) add_guard: Option<GuardSpec>,
    #[serde(default)]
    pub(crate) cancel: bool,
    pub(crate) only: Option<Only>,
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PreAct {
    Next,
    Allow,
    Deny,
    Ask,
    Fail,
    Panic,
    Override,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerdictWord {
    Allow,
    Deny,
    Ask,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardSpec {
    pub(crate) name: String,
    #[serde(rename = "do")]
    pub(crate) act: GuardAct,
    #[serde(default)]
    pub(crate) reason: String,
    pub(crate) only: Option<Only>,
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GuardAct {
    Deny,
    Abstain,
    Panic,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrapSpec {
    pub(crate) name: String,
    #[serde(rename = "do")]
    pub(crate) act: WrapAct,
    #[serde(default, deserialize_with = "present")]
    pub(crate) value: Option<Value>,
    pub(crate) message: Option<String>,
    pub(crate) ms: Option<u64>,
    pub(crate) times: Option<u32>,
    #[serde(default)]
    pub(crate) cancel_after: bool,
    #[serde(default)]
    pub(crate) contexts: Vec<String>,
    pub(crate) sleep_ms: Option<u64>,
    pub(crate) only: Option<Only>,
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WrapAct {
    Next,
    Value,
    Fail,
    Panic,
    Error,
    Retry,
    Deadline,
    Detach,
    Cancelled,
    ReplaceValue,
    Twice,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PostSpec {
    pub(crate) name: String,
    #[serde(rename = "do")]
    pub(crate) act: PostAct,
    pub(crate) text: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) value: Option<Value>,
    #[serde(default)]
    pub(crate) contexts: Vec<String>,
    pub(crate) sleep_ms: Option<u64>,
    #[serde(default)]
    pub(crate) cancel: bool,
    #[serde(default)]
    pub(crate) delegate: bool,
    pub(crate) only: Option<Only>,
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PostAct {
    Next,
    Accept,
    Content,
    Value,
    Block,
    Fail,
    Panic,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObserverSpec {
    pub(crate) name: String,
    pub(crate) panic: Option<String>,
    pub(crate) scope: Option<String>,
}

/// Nothing can be restricted yet: the keys are read, so that unknown ones are errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestrictSpec {
    pub(crate) scope: Option<String>,
    pub(crate) allow: Option<Vec<String>>,
    pub(crate) deny: Option<Vec<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalSpec {
    pub(crate) outcomes: Vec<AnswerWord>,
    #[serde(default)]
    pub(crate) delay_ms: u64,
    #[serde(default)]
    pub(crate) mode: ModeWord,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerWord {
    AllowedOnce,
    Rejected,
    Cancelled,
    Unavailable,
    Error,
    Panic,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModeWord {
    #[default]
    Ask,
    Never,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallSpec {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default, deserialize_with = "present")]
    pub(crate) arguments: Option<Value>,
    pub(crate) raw: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) drop_after_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cancel {
    Before,
    #[serde(untagged)]
    After(After),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct After {
    pub(crate) after_ms: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchSpec {
    pub(crate) max_parallel: Option<usize>,
    pub(crate) cancel: Option<Cancel>,
}
