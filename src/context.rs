//! What a tool's body gets.

use std::{fmt, ops::Deref};

use crate::{
    content::AdditionalContext,
    execution::{DispatchExecution, ToolExecution},
    signal::Signal,
};

/// A body's handle on its call: owned, and cheap to clone. Reads like a [`ToolExecution`].
///
/// It is dead when the body's run ends: contexts are refused then, and its signal has fired.
#[derive(Clone)]
pub struct ToolContext {
    execution: DispatchExecution,
    run: u32,
}

impl ToolContext {
    pub(crate) fn new(execution: DispatchExecution, run: u32) -> Self {
        Self { execution, run }
    }

    /// Tells the model `text` after the result, apart from it, in the tool's name.
    ///
    /// # Errors
    ///
    /// Gives the context back if the run has ended: nobody would hear it.
    pub fn defer_context(&self, text: impl Into<String>) -> Result<(), AdditionalContext> {
        self.core.defer(self.run, AdditionalContext::new(text, self.name()))
    }

    /// Asks for the turn to end with this result, if it is a success. False if the run has ended already.
    pub fn conclude_turn(&self) -> bool {
        self.core.conclude(self.run)
    }

    /// The cancellation that this run of the body is under: the caller's, every wrapper's and the definition's
    /// deadline. It also fires when the run ends.
    pub fn signal(&self) -> Signal {
        self.core.run_signal(self.run, &self.execution.signal())
    }
}

impl Deref for ToolContext {
    type Target = ToolExecution;

    fn deref(&self) -> &ToolExecution {
        &self.execution
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext").field("execution", &self.execution).field("run", &self.run).finish()
    }
}
