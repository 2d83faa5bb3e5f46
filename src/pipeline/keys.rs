//! Between approval and guards: what the call reads and writes is taken, all at once.

use std::{future::Future, pin::pin, task::Poll};

use crate::{
    code::ErrorCode,
    pipeline::{
        draft::{Draft, aborted},
        exit::Exit,
        running::RunningCall,
    },
    resources::{Claim, Held},
    result::ToolFailure,
};

/// The keys that a call holds or waits for. Given up when this is dropped.
pub(crate) enum Keys {
    /// Its tool declares none: nobody was asked for them.
    Undeclared,
    /// Its tool has none for these arguments.
    None,
    Claimed(Held),
    /// Waiting for them would never end.
    LockedUp,
}

/// Takes the call's keys if they are free, else queues for them.
pub(crate) fn claim(call: &RunningCall) -> Keys {
    let Some(tool) = call.tool().filter(|tool| tool.declares_keys()) else { return Keys::Undeclared };
    let Some(keys) = tool.keys(call.cx.arguments()) else { return Keys::None };
    let claim = Claim { owner: call.core().token, ancestors: call.core().ancestors.clone(), keys };
    call.registry.resources.claim(claim).map_or(Keys::LockedUp, Keys::Claimed)
}

impl Keys {
    /// Whether there is nothing to wait for.
    pub(crate) fn are_there(&self) -> bool {
        match self {
            Self::Undeclared | Self::None => true,
            Self::Claimed(held) => held.is_granted(),
            Self::LockedUp => false,
        }
    }

    /// Waits until the keys are there, or the caller cancels. No clock of the tool runs meanwhile.
    pub(crate) async fn granted(mut self, call: &RunningCall<'_>) -> Result<Self, Exit> {
        if let Self::LockedUp = self {
            return Err(Exit::Post(Draft::failure(locked_up(call))));
        }
        if let Self::Claimed(held) = &mut self
            && !held.is_granted()
        {
            let signal = call.signal();
            let mut cancelled = pin!(signal.cancelled());
            let mut granted = pin!(held.granted());
            let go_on = std::future::poll_fn(|cx| {
                signal.follow();
                if cancelled.as_mut().poll(cx).is_ready() {
                    signal.follow();
                    return Poll::Ready(false);
                }
                granted.as_mut().poll(cx).map(|()| true)
            });
            if !go_on.await {
                return Err(Exit::Post(Draft::failure(aborted(call.core()))));
            }
        }
        Ok(self)
    }
}

/// Told at once, instead of a wait that only a cancellation would end.
fn locked_up(call: &RunningCall) -> ToolFailure {
    let message = format!(
        "tool \"{}\" needs what another call holds, and that one waits for what this call's caller holds; try again later",
        call.cx.name()
    );
    ToolFailure::new(ErrorCode::TOOL_FAILED, message)
}
