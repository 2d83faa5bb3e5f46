//! Everything that is registered at one moment.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use crate::{
    approver::Approver,
    call::ScopeId,
    chain::Named,
    view::{Layer, View},
};

/// One opening of a scope: a closed id that is opened again is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeKey(pub(crate) u64);

/// Everything that is registered at one moment: an immutable value, read without a lock.
#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Counts the changes.
    pub(crate) version: u64,
    global: Arc<Slot>,
    scopes: HashMap<ScopeId, Arc<Slot>>,
    /// What a call of an unopened scope sees: the global participants and no tool.
    closed: Arc<OnceLock<Arc<View>>>,
    pub(crate) approver: Option<(u64, Named<dyn Approver>)>,
}

/// A layer and its scope's view, which is made on first use.
struct Slot {
    key: ScopeKey,
    layer: Arc<Layer>,
    view: OnceLock<Arc<View>>,
}

impl Slot {
    fn new(key: ScopeKey, layer: Arc<Layer>) -> Arc<Self> {
        Arc::new(Self { key, layer, view: OnceLock::new() })
    }
}

/// Where a layer is: `None` is the global one.
pub(crate) type Place<'a> = Option<(&'a ScopeId, ScopeKey)>;

impl Snapshot {
    pub(crate) fn empty() -> Self {
        Self {
            version: 0,
            global: Slot::new(ScopeKey(0), Arc::default()),
            scopes: HashMap::new(),
            closed: Arc::default(),
            approver: None,
        }
    }

    /// The view that a call of `agent` has, and which opening of its scope that is.
    pub(crate) fn view(&self, agent: Option<&ScopeId>) -> (Arc<View>, Option<ScopeKey>) {
        let Some(agent) = agent else {
            let view = self.global.view.get_or_init(|| Arc::new(View::new(&[&self.global.layer], true)));
            return (view.clone(), Some(self.global.key));
        };
        match self.scopes.get(agent) {
            Some(slot) => {
                let layers = [&*self.global.layer, &*slot.layer];
                let view = slot.view.get_or_init(|| Arc::new(View::new(&layers, true)));
                (view.clone(), Some(slot.key))
            }
            None => (self.closed_view(), None),
        }
    }

    /// The view of a call whose scope was opened as `key`: nothing, if that opening is over.
    pub(crate) fn view_of(&self, agent: Option<&ScopeId>, key: Option<ScopeKey>) -> Arc<View> {
        match self.view(agent) {
            (view, now) if now == key => view,
            _ => self.closed_view(),
        }
    }

    fn closed_view(&self) -> Arc<View> {
        self.closed.get_or_init(|| Arc::new(View::new(&[&self.global.layer], false))).clone()
    }

    pub(crate) fn is_open(&self, place: Place<'_>) -> bool {
        place.is_none_or(|(id, key)| self.scopes.get(id).is_some_and(|slot| slot.key == key))
    }

    pub(crate) fn opened(&self, id: &ScopeId) -> Option<ScopeKey> {
        self.scopes.get(id).map(|slot| slot.key)
    }

    pub(crate) fn open(&mut self, id: ScopeId, key: ScopeKey) {
        self.scopes.insert(id, Slot::new(key, Arc::default()));
    }

    pub(crate) fn close(&mut self, id: &ScopeId) {
        self.scopes.remove(id);
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
                self.global = Slot::new(self.global.key, layer);
                self.closed = Arc::default();
                for slot in self.scopes.values_mut() {
                    *slot = Slot::new(slot.key, slot.layer.clone());
                }
            }
            Some((id, key)) => {
                self.scopes.insert(id.clone(), Slot::new(key, layer));
            }
        }
    }
}
