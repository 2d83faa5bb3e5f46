//! A dispatch's signal can be narrowed; it can neither be taken away nor put in place of the caller's.

use toolgate::{DispatchExecution, Signal};

fn detach(cx: &mut DispatchExecution) {
    cx.signal = None;
}

fn replace(cx: &mut DispatchExecution) {
    *cx.signal() = Signal::never();
}

fn main() {
    let _ = (detach, replace);
}
