//! Views as calls hold them: counted apart for each thread, because a count that all threads change is what they would
//! wait for one another at.

use std::{
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value;

use super::View;
use crate::call_core::{Caller, Home};

/// As many threads as this count apart; more of them share.
const APART: usize = 8;

/// One view, for many threads.
pub(crate) struct Handles {
    view: Arc<View>,
    each: [OnceLock<Arc<Handle>>; APART],
}

/// A view, counted by a few threads only. On two lines of the cache, so that no neighbour is counted on the same.
#[repr(align(128))]
pub(crate) struct Handle {
    view: Arc<View>,
}

impl Handles {
    pub(crate) fn new(view: View) -> Self {
        Self { view: Arc::new(view), each: [const { OnceLock::new() }; APART] }
    }

    /// The handle of this thread.
    pub(crate) fn mine(&self) -> Arc<Handle> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static MINE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % APART);
        // A thread that ends counts with the first.
        let mine = MINE.try_with(|mine| *mine).unwrap_or_default();
        self.each[mine].get_or_init(|| Arc::new(Handle { view: self.view.clone() })).clone()
    }
}

impl Deref for Handle {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Home for Handle {
    fn caller(&self) -> Option<Arc<dyn Caller>> {
        self.view.caller()
    }

    fn parameters(&self, tool: usize) -> &Value {
        self.view.tool_at(tool).schema.parameters()
    }
}

/// The view as it is now: mostly the one that a call was admitted with.
pub(crate) enum Live<'a> {
    Same(&'a View),
    Changed(Arc<Handle>),
}

impl Deref for Live<'_> {
    type Target = View;

    fn deref(&self) -> &View {
        match self {
            Self::Same(view) => view,
            Self::Changed(view) => view,
        }
    }
}
