//! A participant that does what its part of the scenario says.

use std::sync::Arc;

use crate::world::World;

#[derive(Debug)]
pub(crate) struct Part<S> {
    pub(crate) spec: S,
    pub(crate) world: Arc<World>,
}

impl<S: Clone> Part<S> {
    pub(crate) fn new(spec: &S, world: &Arc<World>) -> Self {
        Self { spec: spec.clone(), world: world.clone() }
    }
}
