//! What the benches share, and the test that counts allocations.

pub(crate) mod adding;
pub(crate) mod floor;
pub(crate) mod rounds;
pub(crate) mod texts;
