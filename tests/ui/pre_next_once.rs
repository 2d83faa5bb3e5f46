//! A pre-policy asks those further in once.

use toolgate::{PolicyError, PreDecision, PreNext};

async fn twice(next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
    let first = next.run().await?;
    Ok(first.strictest(next.run().await?))
}

fn main() {
    let _ = twice;
}
