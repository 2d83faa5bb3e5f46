//! What is registered, as immutable values: layers, snapshots, and the resolved view of one scope.

mod handles;
mod layer;
mod order;
mod registered;
mod resolved;
mod snapshot;

pub(crate) use handles::{Handle, Live};
pub(crate) use layer::Layer;
pub use order::Placed;
pub(crate) use order::Row;
pub(crate) use registered::RegisteredTool;
pub(crate) use resolved::View;
pub(crate) use snapshot::{Opening, Place, Snapshot};
