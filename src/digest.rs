//! A fingerprint of what is asked about.

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::call::ScopeId;

/// SHA-256 over a versioned, length-prefixed encoding of tool, canonical arguments (keys sorted, numbers as read) and agent.
///
/// Two calls have the same digest exactly if the same agent asks for the same tool with the same arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApprovalDigest([u8; 32]);

/// The first bytes of every encoding; another encoding gets another number.
const VERSION: &[u8] = b"toolgate-approval-1";

impl ApprovalDigest {
    /// Arguments have been checked for depth before this recursion.
    pub(crate) fn of(tool: &str, arguments: &Value, agent: Option<&ScopeId>) -> Self {
        let mut hash = Sha256::new();
        bytes(&mut hash, VERSION);
        bytes(&mut hash, tool.as_bytes());
        match agent {
            Some(agent) => {
                hash.update(b"a");
                bytes(&mut hash, agent.as_str().as_bytes());
            }
            None => hash.update(b"-"),
        }
        value(&mut hash, arguments);
        Self(hash.finalize().into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

fn bytes(hash: &mut Sha256, data: &[u8]) {
    hash.update((data.len() as u64).to_le_bytes());
    hash.update(data);
}

fn value(hash: &mut Sha256, v: &Value) {
    match v {
        Value::Null => hash.update(b"z"),
        Value::Bool(false) => hash.update(b"f"),
        Value::Bool(true) => hash.update(b"t"),
        Value::Number(n) => {
            hash.update(b"n");
            bytes(hash, n.to_string().as_bytes());
        }
        Value::String(s) => {
            hash.update(b"s");
            bytes(hash, s.as_bytes());
        }
        Value::Array(items) => {
            hash.update(b"[");
            hash.update((items.len() as u64).to_le_bytes());
            for item in items {
                value(hash, item);
            }
        }
        Value::Object(map) => {
            hash.update(b"{");
            hash.update((map.len() as u64).to_le_bytes());
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_unstable_by_key(|(k, _)| k.as_str());
            for (key, item) in keys {
                bytes(hash, key.as_bytes());
                value(hash, item);
            }
        }
    }
}

impl fmt::Display for ApprovalDigest {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for ApprovalDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn key_order_does_not_matter_and_everything_else_does() {
        let a = ScopeId::new("a");
        let of = |tool: &str, args: &Value, agent| ApprovalDigest::of(tool, args, agent);
        let base = of("t", &json!({"x": 1, "y": [1, 2]}), Some(&a));
        assert_eq!(base, of("t", &json!({"y": [1, 2], "x": 1}), Some(&a)));
        for other in [
            of("u", &json!({"x": 1, "y": [1, 2]}), Some(&a)),
            of("t", &json!({"x": 1, "y": [2, 1]}), Some(&a)),
            of("t", &json!({"x": "1", "y": [1, 2]}), Some(&a)),
            of("t", &json!({"x": 1.0, "y": [1, 2]}), Some(&a)),
            of("t", &json!({"x": 1, "y": [1, 2]}), None),
        ] {
            assert_ne!(base, other);
        }
    }
}
