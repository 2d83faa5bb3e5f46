//! Who was entered, in which order.

use std::sync::{Mutex, MutexGuard, PoisonError};

use toolgate::ToolExecution;

#[derive(Debug, Default)]
pub(crate) struct Trace {
    entries: Mutex<Vec<String>>,
}

/// A finalizer is not told which call it is for: its entry ends so until the first observer fills the call in.
const OPEN: &str = "?";

impl Trace {
    fn entries(&self) -> MutexGuard<'_, Vec<String>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, kind: &str, name: &str, cx: &ToolExecution) {
        self.entries().push(format!("{kind}:{name}:{}", cx.call_id()));
    }

    /// What the participant delegated to has come back to it.
    pub(crate) fn after(&self, kind: &str, name: &str, cx: &ToolExecution) {
        self.entries().push(format!("{kind}:{name}:{}:after", cx.call_id()));
    }

    pub(crate) fn ask(&self, call_id: &str) {
        self.entries().push(format!("ask:{call_id}"));
    }

    pub(crate) fn finalize(&self, tool: &str) {
        self.entries().push(format!("finalize:{tool}:{OPEN}"));
    }

    /// Finalizers and observers of a call run in one step: what is open belongs to the call that is observed now.
    pub(crate) fn fill_in(&self, cx: &ToolExecution) {
        let mut entries = self.entries();
        for entry in entries.iter_mut().rev().take_while(|e| e.starts_with("finalize:")) {
            if let Some(open) = entry.strip_suffix(OPEN) {
                *entry = format!("{open}{}", cx.call_id());
            }
        }
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.entries().clone()
    }
}
