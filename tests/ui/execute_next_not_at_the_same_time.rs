//! A wrapper runs what lies further in again, but never twice at the same time.

use toolgate::{DispatchOutcome, ExecuteNext, PolicyError};

async fn race(mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
    let first = next.run();
    let second = next.run();
    first.await.or(second.await)
}

fn main() {
    let _ = race;
}
