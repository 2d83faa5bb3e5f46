//! Several calls of one assistant message.

mod driver;
mod history;
mod options;
mod turns;
mod watch;

pub(crate) use driver::run;
pub use history::repair_history;
pub use options::BatchOptions;
