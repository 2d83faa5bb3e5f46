//! Scripted panics are part of a scenario, and no news; all others are.

use std::{fmt, panic, sync::Once};

const MARK: &str = "scripted: ";

/// A panic that a scenario asks for. It says `text`, which must not reach a model.
pub(crate) fn scripted_panic(text: impl fmt::Display) -> ! {
    panic!("{MARK}{text}")
}

/// From now on scripted panics are not printed.
pub(crate) fn silence_scripted_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !info.payload().downcast_ref::<String>().is_some_and(|text| text.starts_with(MARK)) {
                loud(info);
            }
        }));
    });
}
