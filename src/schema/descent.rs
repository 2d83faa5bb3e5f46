//! The innermost part of a value that does not fit, where telling everything about the whole would cost too much.
//!
//! Levels of recursive unions multiply what collecting every violation costs, but not what checking does. So the way
//! down is found by checking parts, and one part is explained. The validators of parts are compiled on the way and
//! dropped at its end: a message needs few of them, most schemas never need any, and to keep them all with every
//! registered schema would cost more than all messages do.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::Value;

use super::{
    alternatives::mistaken,
    graph::{Graph, Step},
    limits::{DESCENT_BYTES, DESCENT_LOOKS, HARD_DEPTH},
    value::count_nodes,
};

/// A part of a value that does not fit the subschema that looks at it.
pub(super) struct Part<'v> {
    pub(super) path: Vec<String>,
    pub(super) value: &'v Value,
    /// Where the subschema lies.
    pub(super) pointer: String,
    pub(super) validator: Validator,
}

/// Goes down from the root, each time into the first part that does not fit, until `is_small` says that a part is small
/// enough to be explained, or all its parts fit. `compile` gives the validator of the subschema at a pointer; `looks` is
/// what a look at one value costs.
pub(super) fn innermost<'v>(
    schema: &Value,
    value: &'v Value,
    looks: u64,
    is_small: impl Fn(&Value) -> bool,
    compile: &dyn Fn(&str) -> Option<Validator>,
) -> Option<Part<'v>> {
    let graph = Graph::of(schema);
    let size = schema.to_string().len().max(1);
    let mut descent = Descent {
        graph: &graph,
        compile,
        validators: HashMap::new(),
        parts: DESCENT_BYTES / size,
        looks,
        left: DESCENT_LOOKS,
    };
    let (mut node, mut value, mut path) = (0, value, Vec::new());
    let mut found = None;
    for _ in 0..HARD_DEPTH {
        let Some((next, step, part)) = descent.first_wrong(node, value) else { break };
        path.push(step);
        (node, value) = (next, part);
        found = Some(node);
        if is_small(value) {
            break;
        }
    }
    let node = found?;
    let validator = descent.validators.remove(&node)??;
    Some(Part { path, value, pointer: graph.nodes[node].pointer.clone(), validator })
}

struct Descent<'g> {
    graph: &'g Graph<'g>,
    compile: &'g dyn Fn(&str) -> Option<Validator>,
    validators: HashMap<usize, Option<Validator>>,
    /// How many more validators may be compiled.
    parts: usize,
    looks: u64,
    /// How many more looks checking may take.
    left: u64,
}

impl Descent<'_> {
    /// The first part of `value` that does not fit: where several alternatives may be meant, none of them has a use for it.
    fn first_wrong<'v>(&mut self, node: usize, value: &'v Value) -> Option<(usize, String, &'v Value)> {
        let mut parts: Vec<(String, &'v Value, Vec<usize>)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for place in self.same_value(node, value) {
            for edge in 0..self.graph.nodes[place].edges.len() {
                let to = self.target(self.graph.nodes[place].edges[edge].to);
                if *self.graph.nodes[to].schema == Value::Bool(false) {
                    continue;
                }
                for (step, part) in self.looked_at(place, edge, value) {
                    let index = *known.entry(step.clone()).or_insert(parts.len());
                    if index == parts.len() {
                        parts.push((step, part, Vec::new()));
                    }
                    if !parts[index].2.contains(&to) {
                        parts[index].2.push(to);
                    }
                }
            }
        }
        for (step, part, looking) in parts {
            let cost = self.looks.saturating_mul(count_nodes(part, usize::MAX - 1) as u64);
            let mut fits = false;
            for to in &looking {
                self.left = self.left.checked_sub(cost)?;
                fits |= self.validator(*to)?.is_valid(part);
            }
            if let (false, Some(to)) = (fits, looking.first()) {
                return Some((*to, step, part));
            }
        }
        None
    }

    fn validator(&mut self, node: usize) -> Option<&Validator> {
        if !self.validators.contains_key(&node) {
            self.parts = self.parts.checked_sub(1)?;
            let validator = (self.compile)(&self.graph.nodes[node].pointer);
            self.validators.insert(node, validator);
        }
        self.validators.get(&node)?.as_ref()
    }

    /// The subschemas that look at the same value, but for alternatives that are meant for another kind of it, and for
    /// what is a condition or denied.
    fn same_value(&self, start: usize, value: &Value) -> Vec<usize> {
        let mut out = vec![start];
        let mut next = 0;
        while let Some(node) = out.get(next).copied() {
            next += 1;
            let from = &self.graph.nodes[node];
            for edge in from.edges.iter().filter(|e| e.step == Step::InPlace) {
                let keyword = self.graph.nodes[edge.to].pointer.strip_prefix(from.pointer.as_str());
                let applies = edge.by_reference
                    || keyword.is_some_and(|k| ["/allOf/", "/anyOf/", "/oneOf/"].iter().any(|a| k.starts_with(a)));
                if applies && !out.contains(&edge.to) && !mistaken(self.graph, edge.to, value) {
                    out.push(edge.to);
                }
            }
        }
        out
    }

    /// The parts of `value` that the subschema at the end of an edge looks at.
    fn looked_at<'v>(&self, place: usize, edge: usize, value: &'v Value) -> Vec<(String, &'v Value)> {
        let from = &self.graph.nodes[place];
        let edge = &from.edges[edge];
        let keyword = self.graph.nodes[edge.to].pointer.strip_prefix(from.pointer.as_str()).unwrap_or_default();
        match (edge.step, value) {
            (Step::Member { .. }, Value::Object(map)) => match edge.name {
                Some(name) => map.get(name).map(|part| (name.to_owned(), part)).into_iter().collect(),
                None if keyword == "/additionalProperties" && from.schema.get("patternProperties").is_none() => {
                    let declared = |name: &String| from.schema.get("properties").is_some_and(|p| p.get(name).is_some());
                    let others = map.iter().filter(|(name, _)| !declared(name));
                    others.map(|(name, part)| (name.clone(), part)).collect()
                }
                None => Vec::new(),
            },
            (Step::Item { .. }, Value::Array(items)) => {
                let of = |(i, part): (usize, &'v Value)| (i.to_string(), part);
                if keyword == "/items" && from.schema.get("prefixItems").is_none() {
                    return items.iter().enumerate().map(of).collect();
                }
                let index = keyword.strip_prefix("/prefixItems/").or_else(|| keyword.strip_prefix("/items/"));
                let index = index.and_then(|i| i.parse::<usize>().ok());
                index.and_then(|i| items.get(i).map(|part| of((i, part)))).into_iter().collect()
            }
            _ => Vec::new(),
        }
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
