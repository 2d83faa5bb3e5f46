//! The order of the participants of one kind in one layer.

use std::{collections::HashMap, fmt, sync::Arc};

use crate::{chain::Named, contain::Shell, register_error::RegisterError};

/// A participant and where it wants to stand: `before` or `after` others of its kind in its layer.
///
/// Without such a wish it stands where it was registered: behind those that are there already.
///
/// ```
/// # use async_trait::async_trait;
/// # use toolgate::*;
/// # #[derive(Debug)] struct P(&'static str);
/// # #[async_trait] impl PrePolicy for P {
/// #     fn name(&self) -> &str { self.0 }
/// #     async fn decide(&self, _: &ToolExecution, n: PreNext<'_>) -> Result<PreDecision, PolicyError> { n.run().await }
/// # }
/// let registry = ToolRegistry::new();
/// registry.pre_policy(P("rules"))?;
/// registry.pre_policy(Placed::new(P("audit")).before("rules"))?;
/// # Ok::<(), RegisterError>(())
/// ```
pub struct Placed<P: ?Sized> {
    pub(crate) part: Shell<Arc<P>>,
    pub(crate) before: Vec<Arc<str>>,
    pub(crate) after: Vec<Arc<str>>,
}

impl<P> Placed<P> {
    /// The participant, without a wish yet.
    pub fn new(part: P) -> Self {
        Self::arc(Arc::new(part))
    }
}

impl<P: ?Sized> Placed<P> {
    pub(crate) fn arc(part: Arc<P>) -> Self {
        Self { part: Shell::new(part), before: Vec::new(), after: Vec::new() }
    }

    /// Farther out than the one called `name`. It must be registered when this is.
    #[must_use]
    pub fn before(mut self, name: impl Into<Arc<str>>) -> Self {
        self.before.push(name.into());
        self
    }

    /// Farther in than the one called `name`. It must be registered when this is.
    #[must_use]
    pub fn after(mut self, name: impl Into<Arc<str>>) -> Self {
        self.after.push(name.into());
        self
    }
}

impl<P: ?Sized> fmt::Debug for Placed<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Placed").field("before", &self.before).field("after", &self.after).finish_non_exhaustive()
    }
}

macro_rules! placed {
    ($($role:ident)*) => {$(
        impl<P: crate::$role> From<P> for Placed<dyn crate::$role> {
            fn from(part: P) -> Self {
                Self::arc(Arc::new(part))
            }
        }

        impl<P: crate::$role> From<Placed<P>> for Placed<dyn crate::$role> {
            fn from(placed: Placed<P>) -> Self {
                Self { part: Shell::new(placed.part.into_inner()), before: placed.before, after: placed.after }
            }
        }

        impl From<Arc<dyn crate::$role>> for Placed<dyn crate::$role> {
            fn from(part: Arc<dyn crate::$role>) -> Self {
                Self::arc(part)
            }
        }
    )*};
}

placed!(PrePolicy ExecuteWrapper PostPolicy Guard ResultObserver);

/// The participants of one kind in one layer, as registered and as they run.
pub(crate) struct Row<P: ?Sized> {
    entries: Vec<Entry<P>>,
    /// The order from configuration.
    list: Vec<Arc<str>>,
    pub(crate) ordered: Vec<Named<P>>,
}

struct Entry<P: ?Sized> {
    id: u64,
    named: Named<P>,
    before: Vec<Arc<str>>,
    after: Vec<Arc<str>>,
}

impl<P: ?Sized> Clone for Entry<P> {
    fn clone(&self) -> Self {
        Self { id: self.id, named: self.named.clone(), before: self.before.clone(), after: self.after.clone() }
    }
}

impl<P: ?Sized> Clone for Row<P> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), list: self.list.clone(), ordered: self.ordered.clone() }
    }
}

impl<P: ?Sized> Default for Row<P> {
    fn default() -> Self {
        Self { entries: Vec::new(), list: Vec::new(), ordered: Vec::new() }
    }
}

impl<P: ?Sized> Row<P> {
    /// Adds a participant; [`arrange`](Self::arrange) has to follow.
    pub(crate) fn add(&mut self, id: u64, name: Arc<str>, placed: Placed<P>) {
        let Placed { part, before, after } = placed;
        self.entries.push(Entry { id, named: Named::new(name, part.into_inner()), before, after });
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.iter().any(|e| &*e.named.name == name)
    }

    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let before = self.entries.len();
        self.entries.retain(|e| e.id != id);
        self.ordered_without_wishes_of_the_absent();
        self.entries.len() != before
    }

    pub(crate) fn set_list(&mut self, list: Vec<Arc<str>>) {
        self.list = list;
    }

    /// Every name that a wish or the list mentions and that is not there.
    pub(crate) fn unknown_names(&self, only: impl Fn(u64) -> bool) -> Vec<Arc<str>> {
        let wished = self.entries.iter().filter(|e| only(e.id)).flat_map(|e| e.before.iter().chain(&e.after));
        wished.filter(|name| !self.contains(name)).cloned().collect()
    }

    pub(crate) fn unknown_in_list(&self) -> Vec<Arc<str>> {
        self.list.iter().filter(|name| !self.contains(name)).cloned().collect()
    }

    /// Works out the running order: registration order, changed by wishes and list.
    pub(crate) fn arrange(&mut self, kind: &'static str) -> Result<(), RegisterError> {
        match self.sorted() {
            Ok(ordered) => {
                self.ordered = ordered;
                Ok(())
            }
            Err(stuck) => {
                let names = stuck.join(", ");
                Err(RegisterError::one(kind, "order", format!("these want to stand before one another: {names}")))
            }
        }
    }

    /// Removing can make no cycle, and a wish about somebody who is gone is no wish.
    fn ordered_without_wishes_of_the_absent(&mut self) {
        if let Ok(ordered) = self.sorted() {
            self.ordered = ordered;
        }
    }

    /// Again and again the earliest registered one whose predecessors all stand already.
    fn sorted(&self) -> Result<Vec<Named<P>>, Vec<String>> {
        let index: HashMap<&str, usize> = self.entries.iter().enumerate().map(|(i, e)| (&*e.named.name, i)).collect();
        let mut waits_for: Vec<Vec<usize>> = vec![Vec::new(); self.entries.len()];
        for (i, entry) in self.entries.iter().enumerate() {
            waits_for[i].extend(entry.after.iter().filter_map(|n| index.get(&**n)));
            for later in entry.before.iter().filter_map(|n| index.get(&**n)) {
                waits_for[*later].push(i);
            }
        }
        let listed: Vec<usize> = self.list.iter().filter_map(|n| index.get(&**n).copied()).collect();
        for pair in listed.windows(2) {
            if let [first, second] = pair {
                waits_for[*second].push(*first);
            }
        }
        let (mut out, mut done) = (Vec::new(), vec![false; self.entries.len()]);
        while out.len() < self.entries.len() {
            let free = (0..self.entries.len()).find(|i| !done[*i] && waits_for[*i].iter().all(|w| done[*w]));
            let Some(next) = free else {
                let stuck = self.entries.iter().zip(&done).filter(|(_, d)| !**d);
                return Err(stuck.map(|(e, _)| format!("{:?}", e.named.name)).collect());
            };
            done[next] = true;
            out.push(self.entries[next].named.clone());
        }
        Ok(out)
    }
}
