//! A guard has no value with which it could allow a call.

use toolgate::{GuardVerdict, guard_fn};

fn main() {
    let _friendly = guard_fn("friendly", |_cx| GuardVerdict::Allow);
}
