//! What a schema says of one place in a value: which names it knows there, and whether it is to be kept to itself.

use std::{cell::Cell, collections::HashSet};

use serde_json::Value;

use super::{
    graph::{Graph, Step},
    limits::PLACE_LOOKS,
};

/// One place in a value, as a schema sees it.
pub(super) struct Place<'g> {
    /// The subschemas that may look at it.
    pub(super) nodes: Vec<usize>,
    /// How many steps of the way there can be told: what comes after them lies in a value that is kept to itself.
    pub(super) open: usize,
    /// Whether the value here is kept to itself.
    pub(super) secret: bool,
    /// For each step of the way, whether its name is the schema's own word.
    pub(super) declared: Vec<bool>,
    graph: &'g Graph<'g>,
}

impl<'g> Place<'g> {
    /// The names of members that the schema declares here.
    pub(super) fn names(&self) -> impl Iterator<Item = &'g str> + '_ {
        let edges = self.nodes.iter().flat_map(|n| &self.graph.nodes[*n].edges);
        edges.filter_map(|e| e.name)
    }
}

/// Finds places, within a budget of looks.
pub(super) struct Places<'g> {
    pub(super) graph: &'g Graph<'g>,
    left: Cell<usize>,
}

impl<'g> Places<'g> {
    pub(super) fn new(graph: &'g Graph<'g>) -> Self {
        Self { graph, left: Cell::new(PLACE_LOOKS) }
    }

    /// The place at the end of `path`. Every subschema counts that could look at the values on the way, of all
    /// alternatives, whether it does or not: what one of them marks is marked. With no budget left, all is.
    pub(super) fn at(&self, path: &[String]) -> Place<'g> {
        let mut place = Place { nodes: vec![0], open: 0, secret: false, declared: Vec::new(), graph: self.graph };
        self.spread(&mut place);
        for step in path {
            if !place.secret {
                place.open += 1;
            }
            let is_index = step.bytes().all(|b| b.is_ascii_digit());
            let mut next = Vec::new();
            let mut declared = false;
            for edge in place.nodes.iter().flat_map(|n| &self.graph.nodes[*n].edges) {
                let leads = match edge.step {
                    Step::InPlace => false,
                    Step::Member { .. } => edge.name.is_none_or(|name| name == step),
                    Step::Item { .. } => is_index,
                };
                declared |= leads && edge.name.is_some();
                if leads {
                    next.push(edge.to);
                }
            }
            place.declared.push(declared);
            place.nodes = next;
            self.spread(&mut place);
        }
        place
    }

    /// Adds the subschemas that look at the same value.
    fn spread(&self, place: &mut Place<'g>) {
        let mut seen: HashSet<usize> = HashSet::new();
        let mut todo = std::mem::take(&mut place.nodes);
        todo.reverse();
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            place.nodes.push(node);
            let node = &self.graph.nodes[node];
            place.secret |= is_marked(node.schema);
            let Some(left) = self.left.get().checked_sub(1 + node.edges.len()) else {
                place.secret = true;
                return;
            };
            self.left.set(left);
            todo.extend(node.edges.iter().rev().filter(|e| e.step == Step::InPlace).map(|e| e.to));
        }
    }
}

/// Whether a schema says that the values it looks at are not to be shown.
fn is_marked(schema: &Value) -> bool {
    schema.get("writeOnly").is_some_and(|w| *w == Value::Bool(true))
        || schema.get("format").is_some_and(|f| f == "password")
}
