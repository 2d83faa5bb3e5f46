//! The innermost part of a value that does not fit, where telling everything about the whole would cost too much.
//!
//! Levels of recursive unions multiply what collecting every violation costs, but not what checking does. So the way
//! down is found by checking parts, and one part is explained. The validators of parts are compiled on the way and
//! dropped at its end: a message needs few of them, most schemas never need any, and to keep them all with every
//! registered schema would cost more than all messages do.

use std::collections::{HashMap, HashSet};

use jsonschema::Validator;
use serde_json::Value;

use super::{
    alternatives::{merged, mistaken},
    cost::Cost,
    graph::{Graph, Step},
    limits::{DESCENT_BYTES, DESCENT_COMPILED, DESCENT_LOOKS, HARD_DEPTH, NAME_LOOK, PATTERN_LOOK, RECURSIVE_LOOK},
    value::{comparisons, repeated},
};

/// A part of a value that does not fit the subschema that looks at it.
pub(super) struct Part<'v> {
    pub(super) path: Vec<String>,
    pub(super) value: &'v Value,
    /// Where the subschema lies.
    pub(super) pointer: String,
    pub(super) validator: Validator,
    /// How many subschemas look at it, none of which it fits.
    pub(super) looking: usize,
}

/// What the way down came to.
#[derive(Default)]
pub(super) struct Found<'v> {
    pub(super) part: Option<Part<'v>>,
    /// Whether nothing was too dear to be looked at.
    pub(super) is_all: bool,
}

/// Goes down from the root, each time into the first part that does not fit, until `is_small` says that a part is small
/// enough to be explained, or all its parts fit, or looking further would cost too much. `compile` gives the validator of
/// the subschema at a pointer; `cost` is that of the whole.
pub(super) fn innermost<'v>(
    schema: &Value,
    value: &'v Value,
    cost: &Cost,
    is_small: impl Fn(&Value) -> bool,
    compile: &dyn Fn(&str) -> Option<Validator>,
) -> Found<'v> {
    let graph = Graph::of(schema);
    let compiled = usize::try_from(cost.compiled / DESCENT_COMPILED).unwrap_or(usize::MAX);
    let parts = DESCENT_BYTES / schema.to_string().len().saturating_add(compiled).max(1);
    let look = if cost.recursive { RECURSIVE_LOOK } else { 1 };
    let checkers = HashMap::new();
    let mut descent =
        Descent { graph: &graph, compile, checkers, parts, cost, look, left: DESCENT_LOOKS, is_spent: false };
    let (mut node, mut value, mut path) = (0, value, Vec::new());
    let mut found = None;
    for _ in 0..HARD_DEPTH {
        let Some((looking, step, part)) = descent.first_wrong(node, value) else { break };
        let Some(next) = looking.first() else { break };
        path.push(step);
        (node, value) = (*next, part);
        found = Some((node, looking.len()));
        if is_small(value) {
            break;
        }
    }
    let part = found.and_then(|(node, looking)| {
        let validator = descent.checkers.remove(&node)?.validator?;
        Some(Part { path, value, pointer: graph.nodes[node].pointer.clone(), validator, looking })
    });
    Found { part, is_all: !descent.is_spent }
}

struct Descent<'g> {
    graph: &'g Graph<'g>,
    compile: &'g dyn Fn(&str) -> Option<Validator>,
    checkers: HashMap<usize, Checker>,
    /// How many more validators may be compiled.
    parts: usize,
    cost: &'g Cost,
    /// What a look counts.
    look: u64,
    /// How many more looks checking may take.
    left: u64,
    /// Whether that was not enough.
    is_spent: bool,
}

/// What checks a part.
struct Checker {
    validator: Option<Validator>,
    /// Whether it may match patterns.
    matches: bool,
    /// Whether it may compare the items of an array.
    compares: bool,
}

impl Descent<'_> {
    /// The first part of `value` that does not fit, and the subschemas that look at it: where several alternatives may be
    /// meant, none of them has a use for it.
    fn first_wrong<'v>(&mut self, node: usize, value: &'v Value) -> Option<(Vec<usize>, String, &'v Value)> {
        let mut looks = Vec::new();
        for place in self.same_value(node, value)? {
            for edge in 0..self.graph.nodes[place].edges.len() {
                let to = self.target(self.graph.nodes[place].edges[edge].to);
                if *self.graph.nodes[to].schema != Value::Bool(false) {
                    looks.push((at(self.graph, place, edge), to));
                }
            }
        }
        let tests = looks.iter().map(|(at, _)| if matches!(at, At::Others(_)) { NAME_LOOK } else { 1 }.max(self.look));
        let tests = tests.sum();
        match value {
            Value::Object(map) => {
                for (name, part) in map {
                    let looking = looks.iter().filter(|(at, _)| at.is_member(name)).map(|(_, to)| *to);
                    let looking = distinct(looking);
                    if self.is_wrong(tests, &looking, part)? {
                        return Some((looking, name.clone(), part));
                    }
                }
            }
            Value::Array(items) => {
                for (index, part) in items.iter().enumerate() {
                    let looking = looks.iter().filter(|(at, _)| at.is_item(index)).map(|(_, to)| *to);
                    let looking = distinct(looking);
                    if self.is_wrong(tests, &looking, part)? {
                        return Some((looking, index.to_string(), part));
                    }
                }
            }
            _ => {}
        }
        None
    }

    /// Whether a part fits none of those that look at it. None if it would cost too much to know.
    fn is_wrong(&mut self, tests: u64, looking: &[usize], part: &Value) -> Option<bool> {
        self.spend(tests)?;
        let (values, bytes) = repeated(part, 1);
        let looks = self.look.saturating_mul(self.cost.looks).saturating_mul(values.saturating_add(bytes / 64));
        for to in looking {
            self.spend(looks)?;
            let Checker { matches, compares, .. } = *self.checker(*to)?;
            if matches {
                self.spend(bytes.saturating_mul(self.cost.patterns).saturating_mul(PATTERN_LOOK))?;
            }
            if compares {
                self.spend(comparisons(part).saturating_mul(self.cost.unique))?;
            }
            if self.checker(*to)?.validator.as_ref()?.is_valid(part) {
                return Some(false);
            }
        }
        Some(!looking.is_empty())
    }

    fn spend(&mut self, cost: u64) -> Option<()> {
        self.is_spent |= self.left < cost;
        self.left = self.left.checked_sub(cost)?;
        Some(())
    }

    fn checker(&mut self, node: usize) -> Option<&Checker> {
        if !self.checkers.contains_key(&node) {
            self.is_spent |= self.parts == 0;
            self.parts = self.parts.checked_sub(1)?;
            let validator = (self.compile)(&self.graph.nodes[node].pointer);
            let (matches, compares) = self.finds(node);
            self.checkers.insert(node, Checker { validator, matches, compares });
        }
        self.checkers.get(&node)
    }

    /// Whether a subschema leads to patterns, and to items that have to differ.
    fn finds(&self, node: usize) -> (bool, bool) {
        let (mut seen, mut todo) = (HashSet::from([node]), vec![node]);
        let (mut matches, mut compares) = (false, false);
        while let Some(node) = todo.pop() {
            let node = &self.graph.nodes[node];
            matches |= node.schema.get("pattern").is_some() || node.schema.get("patternProperties").is_some();
            compares |= node.schema.get("uniqueItems").is_some();
            todo.extend(node.edges.iter().map(|e| e.to).filter(|to| seen.insert(*to)));
        }
        (matches, compares)
    }

    /// The subschemas that look at the same value, but for alternatives that are meant for another kind of it, and for
    /// what is a condition or denied.
    fn same_value(&mut self, start: usize, value: &Value) -> Option<Vec<usize>> {
        let graph = self.graph;
        let (mut out, mut seen) = (vec![start], HashSet::from([start]));
        let mut next = 0;
        while let Some(node) = out.get(next).copied() {
            next += 1;
            let from = &graph.nodes[node];
            for edge in from.edges.iter().filter(|e| e.step == Step::InPlace) {
                let keyword = graph.nodes[edge.to].pointer.strip_prefix(from.pointer.as_str());
                let applies = edge.by_reference
                    || keyword.is_some_and(|k| ["/allOf/", "/anyOf/", "/oneOf/"].iter().any(|a| k.starts_with(a)));
                if !applies || !seen.insert(edge.to) {
                    continue;
                }
                let names: usize = merged(graph, edge.to).iter().map(|node| graph.nodes[*node].edges.len()).sum();
                self.spend(NAME_LOOK.saturating_mul(names as u64))?;
                if !mistaken(graph, edge.to, value) {
                    out.push(edge.to);
                }
            }
        }
        Some(out)
    }

    /// Where a subschema leads that is a reference and nothing more.
    fn target(&self, mut node: usize) -> usize {
        for _ in 0..HARD_DEPTH {
            let from = &self.graph.nodes[node];
            let alone = from.schema.as_object().is_some_and(|map| map.len() == 1);
            match from.edges.as_slice() {
                [edge] if alone && edge.by_reference => node = edge.to,
                _ => break,
            }
        }
        node
    }
}

/// Which parts of a value are looked at.
enum At<'g> {
    Member(&'g str),
    /// All members but these.
    Others(Option<&'g Value>),
    Item(usize),
    Items,
    Nowhere,
}

impl At<'_> {
    fn is_member(&self, name: &str) -> bool {
        match self {
            Self::Member(own) => *own == name,
            Self::Others(declared) => declared.is_none_or(|d| d.get(name).is_none()),
            _ => false,
        }
    }

    fn is_item(&self, index: usize) -> bool {
        match self {
            Self::Item(own) => *own == index,
            Self::Items => true,
            _ => false,
        }
    }
}

fn distinct(nodes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    nodes.filter(|node| seen.insert(*node)).collect()
}

/// Which parts of a value the subschema at the end of an edge looks at.
fn at<'g>(graph: &'g Graph<'_>, place: usize, edge: usize) -> At<'g> {
    let from = &graph.nodes[place];
    let edge = &from.edges[edge];
    let keyword = graph.nodes[edge.to].pointer.strip_prefix(from.pointer.as_str()).unwrap_or_default();
    let lacks = |key: &str| from.schema.get(key).is_none();
    match (edge.step, edge.name) {
        (Step::Member { .. }, Some(name)) => At::Member(name),
        (Step::Member { .. }, None) if keyword == "/additionalProperties" && lacks("patternProperties") => {
            At::Others(from.schema.get("properties"))
        }
        (Step::Item { .. }, _) if keyword == "/items" && lacks("prefixItems") => At::Items,
        (Step::Item { .. }, _) => {
            let index = keyword.strip_prefix("/prefixItems/").or_else(|| keyword.strip_prefix("/items/"));
            index.and_then(|i| i.parse().ok()).map_or(At::Nowhere, At::Item)
        }
        _ => At::Nowhere,
    }
}
