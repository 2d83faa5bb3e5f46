//! Random trees of scopes with random shadows and restrictions, against a naive model.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use toolgate::{Restriction, ScopeId, ToolCall, ToolRegistry};

use crate::{answering, paused};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

#[derive(Clone, Debug)]
enum Change {
    /// In layer `at`, 0 being the global one.
    Register {
        at: usize,
        name: usize,
    },
    Remove {
        at: usize,
        name: usize,
    },
    Restrict {
        at: usize,
        allow: Option<BTreeSet<usize>>,
        deny: Option<BTreeSet<usize>>,
    },
    Close {
        at: usize,
    },
    Open {
        at: usize,
    },
}

fn change(layers: usize) -> impl Strategy<Value = Change> {
    let at = 0..layers;
    let names = || prop::option::of(prop::collection::btree_set(0..NAMES.len(), 0..3));
    prop_oneof![
        5 => (at.clone(), 0..NAMES.len()).prop_map(|(at, name)| Change::Register { at, name }),
        2 => (at.clone(), 0..NAMES.len()).prop_map(|(at, name)| Change::Remove { at, name }),
        2 => (at.clone(), names(), names()).prop_map(|(at, allow, deny)| Change::Restrict { at, allow, deny }),
        1 => (1..layers).prop_map(|at| Change::Close { at }),
        1 => (1..layers).prop_map(|at| Change::Open { at }),
    ]
}

/// Parents come before their children; layer 0 is the global one.
fn tree() -> impl Strategy<Value = (Vec<usize>, Vec<Change>)> {
    (1_usize..6).prop_flat_map(|scopes| {
        let parents: Vec<_> = (1..=scopes).map(|at| 0..at).collect();
        (parents, prop::collection::vec(change(scopes + 1), 0..25))
    })
}

/// The naive model: every layer by itself, everything worked out anew at each look.
#[derive(Default)]
struct Model {
    parents: Vec<usize>,
    open: Vec<bool>,
    tools: Vec<BTreeMap<usize, u32>>,
    filters: Vec<Vec<Change>>,
    made: u32,
}

impl Model {
    fn new(parents: &[usize]) -> Self {
        let layers = parents.len() + 1;
        Self {
            parents: [0].iter().chain(parents).copied().collect(),
            open: vec![true; layers],
            tools: vec![BTreeMap::new(); layers],
            filters: vec![Vec::new(); layers],
            made: 0,
        }
    }

    fn chain(&self, at: usize) -> Vec<usize> {
        let mut chain = vec![at];
        while let Some(at) = chain.last().copied().filter(|at| *at != 0) {
            chain.push(self.parents[at]);
        }
        chain.reverse();
        chain
    }

    fn sees(&self, at: usize) -> BTreeMap<usize, u32> {
        let mut seen = BTreeMap::new();
        if !self.open[at] {
            return seen;
        }
        for layer in self.chain(at) {
            for filter in &self.filters[layer] {
                let Change::Restrict { allow, deny, .. } = filter else { continue };
                seen.retain(|name, _| {
                    allow.as_ref().is_none_or(|a| a.contains(name)) && !deny.as_ref().is_some_and(|d| d.contains(name))
                });
            }
            seen.extend(self.tools[layer].iter().map(|(name, made)| (*name, *made)));
        }
        seen
    }

    fn close(&mut self, at: usize) {
        for layer in 1..self.open.len() {
            if self.chain(layer).contains(&at) {
                self.open[layer] = false;
                self.tools[layer].clear();
                self.filters[layer].clear();
            }
        }
    }
}

fn id(at: usize) -> ScopeId {
    ScopeId::new(format!("s{at}"))
}

fn open(registry: &ToolRegistry, model: &Model, at: usize) -> Result<toolgate::Scope, toolgate::RegisterError> {
    match model.parents[at] {
        0 => Ok(registry.scope(id(at))),
        parent => registry.scope(id(parent)).child(id(at)),
    }
}

fn names_of(set: Option<&BTreeSet<usize>>) -> Option<Vec<&'static str>> {
    set.map(|set| set.iter().map(|n| NAMES[*n]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// Listing, lookup and the model agree after every change; what a child sees, its parent sees or it has itself.
    #[test]
    fn views_are_those_of_the_naive_model((parents, changes) in tree()) {
        let registry = ToolRegistry::new();
        let mut model = Model::new(&parents);
        let mut handles = BTreeMap::new();
        for at in 1..=parents.len() {
            open(&registry, &model, at).expect("its parent is open");
        }
        for change in changes {
            apply(&registry, &mut model, &mut handles, change);
            for at in 0..=parents.len() {
                agree(&registry, &model, at)?;
            }
        }
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

type Handles = BTreeMap<(usize, usize), toolgate::Registration>;

fn apply(registry: &ToolRegistry, model: &mut Model, handles: &mut Handles, change: Change) {
    match change {
        Change::Register { at, name } => {
            if !model.open[at] {
                return;
            }
            let definition = answering(NAMES[name], model.made.to_string());
            let registered =
                if at == 0 { registry.register(definition) } else { registry.scope(id(at)).register(definition) };
            assert_eq!(registered.is_err(), model.tools[at].contains_key(&name), "a name is there once in a layer");
            if let Ok(handle) = registered {
                model.tools[at].insert(name, model.made);
                handles.insert((at, name), handle);
            }
            model.made += 1;
        }
        Change::Remove { at, name } => {
            let was = model.tools[at].remove(&name).is_some();
            let removed = handles.remove(&(at, name)).is_some_and(|handle| handle.remove());
            assert_eq!(removed, was);
        }
        Change::Restrict { at, ref allow, ref deny } => {
            if at == 0 || !model.open[at] {
                return;
            }
            let mut restriction = Restriction::new();
            if let Some(names) = names_of(allow.as_ref()) {
                restriction = restriction.and_allow(names);
            }
            if let Some(names) = names_of(deny.as_ref()) {
                restriction = restriction.and_deny(names);
            }
            let above = model.chain(model.parents[at]);
            let known = |name: &usize| above.iter().any(|layer| model.tools[*layer].contains_key(name));
            let sound = (allow.is_some() || deny.is_some()) && allow.iter().chain(deny).flatten().all(known);
            assert_eq!(registry.scope(id(at)).restrict(restriction).is_ok(), sound);
            if sound {
                model.filters[at].push(change);
            }
        }
        Change::Close { at } => {
            if model.open[at] {
                assert!(registry.scope(id(at)).close());
                model.close(at);
            }
        }
        Change::Open { at } => {
            let parent = model.parents[at];
            if !model.open[at] && (parent == 0 || model.open[parent]) {
                open(registry, model, at).expect("its parent is open");
                model.open[at] = true;
            }
        }
    }
}

fn agree(registry: &ToolRegistry, model: &Model, at: usize) -> Result<(), TestCaseError> {
    let expected = model.sees(at);
    let agent = (at != 0).then(|| id(at));
    let listed = agent.as_ref().map_or_else(|| registry.schemas(), |agent| registry.schemas_for(agent));
    let names: BTreeSet<_> = listed.iter().map(|s| s.name().to_owned()).collect();
    prop_assert_eq!(names.len(), listed.len());
    prop_assert_eq!(names, expected.keys().map(|n| NAMES[*n].to_owned()).collect::<BTreeSet<_>>());
    for (index, name) in NAMES.iter().enumerate() {
        let mut call = ToolCall::new("c", *name);
        if let Some(agent) = &agent {
            call = call.with_agent(agent);
        }
        let result = paused(registry.execute(call));
        match expected.get(&index) {
            Some(made) => prop_assert_eq!(result.text(), made.to_string()),
            None => prop_assert!(result.code().is_some_and(|c| c == "UNKNOWN_TOOL")),
        }
    }
    if at != 0 && model.open[at] {
        let parent = model.sees(model.parents[at]);
        for (name, made) in &expected {
            prop_assert!(parent.get(name) == Some(made) || model.tools[at].get(name) == Some(made));
        }
    }
    Ok(())
}
