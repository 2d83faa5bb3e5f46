//! Between approval and guards: what the call reads and writes is taken, all at once.

use std::{future::Future, pin::pin, task::Poll};

use crate::{
    pipeline::{
        draft::{Draft, aborted},
        exit::Exit,
        running::RunningCall,
    },
    resources::{Claim, Held},
};

/// The keys that a call holds; none, if its tool declares none. Given up when this is dropped.
pub(crate) struct Keys(Option<Held>);

/// Takes the call's keys if they are free, else queues for them.
pub(crate) fn claim(call: &RunningCall) -> Keys {
    let keys = call.tool.as_ref().and_then(|tool| tool.keys(call.cx.arguments()));
    Keys(keys.map(|keys| {
        let claim = Claim { owner: call.core().token, ancestors: call.core().ancestors.clone(), keys };
        call.registry.resources.claim(claim)
    }))
}

impl Keys {
    /// Waits until the keys are there, or the caller cancels. No clock of the tool runs meanwhile.
    pub(crate) async fn granted(mut self, call: &RunningCall) -> Result<Self, Exit> {
        if let Some(held) = self.0.as_mut().filter(|h| !h.is_granted()) {
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
