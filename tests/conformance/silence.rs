//! Scripted panics are part of a scenario, and no news.

use std::{cell::Cell, panic, sync::Once};

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Does `f` without a word about panics on this thread.
pub(crate) fn silently<T>(f: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !SILENT.get() {
                loud(info);
            }
        }));
    });
    let _silence = Silence(SILENT.replace(true));
    f()
}

/// Puts back what was, also when what is done panics.
struct Silence(bool);

impl Drop for Silence {
    fn drop(&mut self) {
        SILENT.set(self.0);
    }
}
