//! What a scenario expects.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scenario::present;

/// Keys that are absent are not looked at, but for `register_errors`: none are expected then.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) results: Option<Vec<ExpectedResult>>,
    pub(crate) trace: Option<Vec<String>>,
    pub(crate) trace_contains: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) schemas: BTreeMap<String, Vec<String>>,
    pub(crate) elapsed_ms: Option<u64>,
    #[serde(default)]
    pub(crate) register_errors: Vec<String>,
}

/// Only the keys that are there are compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedResult {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    message_contains: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    text_contains: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    contexts: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    concludes: Option<bool>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    effects: Option<EffectsWord>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    dropped: Option<bool>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EffectsWord {
    None,
    Settled,
    Unknown,
}
