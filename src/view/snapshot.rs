//! Everything that is registered at one moment.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock, Weak},
};

use crate::{
    approver::Approver,
    call::{ScopeId, ScopeKey},
    call_core::Caller,
    chain::Named,
    view::{Handle, Layer, View, handles::Handles},
};

/// Everything that is registered at one moment: an immutable value, read without a lock.
#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Counts the changes.
    pub(crate) version: u64,
    global: Arc<Slot>,
    scopes: HashMap<ScopeId, Arc<Slot>>,
    /// The registry that all this is registered with.
    caller: Weak<dyn Caller>,
    pub(crate) approver: Option<(u64, Named<dyn Approver>)>,
}

/// A layer, where it hangs, and its scope's views, which are made on first use.
struct Slot {
    key: ScopeKey,
    parent: Option<ScopeId>,
    layer: Arc<Layer>,
    view: OnceLock<Handles>,
    /// What is left to calls whose own scope, under this one, is not open: the participants and no tool.
    closed: OnceLock<Handles>,
}

/// One opening of a scope.
pub(crate) type Opening = (ScopeId, ScopeKey);

impl Slot {
    fn new(key: ScopeKey, parent: Option<ScopeId>, layer: Arc<Layer>) -> Arc<Self> {
        Arc::new(Self { key, parent, layer, view: OnceLock::new(), closed: OnceLock::new() })
    }

    /// The same with views that are yet to be made.
    fn renewed(&self) -> Arc<Self> {
        Self::new(self.key, self.parent.clone(), self.layer.clone())
    }
}

/// Where a layer is: `None` is the global one.
pub(crate) type Place<'a> = Option<(&'a ScopeId, ScopeKey)>;

impl Snapshot {
    pub(crate) fn empty(caller: Weak<dyn Caller>) -> Self {
        Self {
            version: 0,
            global: Slot::new(ScopeKey(0), None, Arc::default()),
            scopes: HashMap::new(),
            caller,
            approver: None,
        }
    }

    /// The view that a call of `agent` has, and which opening of its scope that is.
    pub(crate) fn view(&self, agent: Option<&ScopeId>) -> (Arc<Handle>, Option<ScopeKey>) {
        let slot = match agent {
            None => &self.global,
            Some(agent) => match self.scopes.get(agent) {
                Some(slot) => slot,
                None => return (self.closed_view(&[]), None),
            },
        };
        let make = || Handles::new(View::new(&self.chain(agent), self.above(slot), self.caller.clone()));
        (slot.view.get_or_init(make).mine(), Some(slot.key))
    }

    /// The view of a call whose scope was opened as `key` under `above`, the nearest first. If that opening is over it
    /// sees no tool, but whoever is registered in an ancestor that is still open goes on having a say.
    pub(crate) fn view_of(&self, agent: Option<&ScopeId>, key: Option<ScopeKey>, above: &[Opening]) -> Arc<Handle> {
        match self.view(agent) {
            (view, now) if now == key => view,
            _ => self.closed_view(above),
        }
    }

    /// The ancestors of a scope, the nearest first.
    fn above(&self, slot: &Slot) -> Box<[Opening]> {
        let mut next = slot.parent.as_ref();
        std::iter::from_fn(|| {
            let id = next?;
            let slot = self.scopes.get(id)?;
            next = slot.parent.as_ref();
            Some((id.clone(), slot.key))
        })
        .collect()
    }

    /// The layers from the global one to the scope's own.
    fn chain(&self, agent: Option<&ScopeId>) -> Vec<&Layer> {
        let mut layers = Vec::new();
        let mut next = agent;
        while let Some(slot) = next.and_then(|id| self.scopes.get(id)) {
            layers.push(&*slot.layer);
            next = slot.parent.as_ref();
        }
        layers.push(&*self.global.layer);
        layers.reverse();
        layers
    }

    /// An open scope's ancestors are all open: what hangs on the nearest open one is what is left of the chain.
    fn closed_view(&self, above: &[Opening]) -> Arc<Handle> {
        let open = above.iter().find(|(id, key)| self.is_open(Some((id, *key)))).map(|(id, _)| id);
        let slot = open.and_then(|id| self.scopes.get(id)).unwrap_or(&self.global);
        let make = || Handles::new(View::without_tools(&self.chain(open), self.caller.clone()));
        slot.closed.get_or_init(make).mine()
    }

    /// Whether a tool of this name is registered globally or in an ancestor of `id`, hidden or not.
    pub(crate) fn is_inherited(&self, id: &ScopeId, name: &str) -> bool {
        let parent = self.scopes.get(id).and_then(|slot| slot.parent.as_ref());
        self.chain(parent).iter().any(|layer| layer.tools.contains_key(name))
    }

    pub(crate) fn is_open(&self, place: Place<'_>) -> bool {
        place.is_none_or(|(id, key)| self.scopes.get(id).is_some_and(|slot| slot.key == key))
    }

    pub(crate) fn opened(&self, id: &ScopeId) -> Option<(ScopeKey, Option<&ScopeId>)> {
        self.scopes.get(id).map(|slot| (slot.key, slot.parent.as_ref()))
    }

    pub(crate) fn open(&mut self, id: ScopeId, key: ScopeKey, parent: Option<ScopeId>) {
        self.scopes.insert(id, Slot::new(key, parent, Arc::default()));
    }

    /// Closes a scope and all that hangs under it.
    pub(crate) fn close(&mut self, id: &ScopeId) {
        for closed in self.below(id) {
            self.scopes.remove(&closed);
        }
    }

    /// The scope and its descendants.
    fn below(&self, id: &ScopeId) -> Vec<ScopeId> {
        let mut found = vec![id.clone()];
        let mut at = 0;
        while let Some(parent) = found.get(at).cloned() {
            let children = self.scopes.iter().filter(|(_, slot)| slot.parent.as_ref() == Some(&parent));
            found.extend(children.map(|(child, _)| child.clone()));
            at += 1;
        }
        found
    }

    /// A copy of the layer at `place`, if it is open.
    pub(crate) fn layer(&self, place: Place<'_>) -> Option<Arc<Layer>> {
        match place {
            None => Some(self.global.layer.clone()),
            Some((id, key)) => self.scopes.get(id).filter(|s| s.key == key).map(|s| s.layer.clone()),
        }
    }

    /// Puts a changed layer in place; the views that it is part of are made anew when they are asked for.
    pub(crate) fn set_layer(&mut self, place: Place<'_>, layer: Layer) {
        let layer = Arc::new(layer);
        match place {
            None => {
                self.global = Slot::new(self.global.key, None, layer);
                for slot in self.scopes.values_mut() {
                    *slot = slot.renewed();
                }
            }
            Some((id, key)) => {
                for below in self.below(id) {
                    if let Some(slot) = self.scopes.get_mut(&below) {
                        *slot = slot.renewed();
                    }
                }
                if let Some(slot) = self.scopes.get_mut(id) {
                    *slot = Slot::new(key, slot.parent.clone(), layer);
                }
            }
        }
    }
}
