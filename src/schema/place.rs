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

/// Up to so many subschemas a look through them is quicker than a set.
const FEW: usize = 16;

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
        path.iter().fold(place, |place, step| self.within(&place, step))
    }

    /// The place one step further in.
    pub(super) fn within(&self, place: &Place<'g>, step: &str) -> Place<'g> {
        let is_index = step.bytes().all(|b| b.is_ascii_digit());
        let (mut nodes, mut is_declared) = (Vec::new(), false);
        for edge in place.nodes.iter().flat_map(|n| &self.graph.nodes[*n].edges) {
            let leads = match edge.step {
                Step::InPlace => false,
                Step::Member { .. } => edge.name.is_none_or(|name| name == step),
                Step::Item { .. } => is_index,
            };
            if leads {
                is_declared |= edge.name.is_some();
                nodes.push(edge.to);
            }
        }
        let mut declared = place.declared.clone();
        declared.push(is_declared);
        let open = place.open + usize::from(!place.secret);
        let mut inner = Place { nodes, open, secret: place.secret, declared, graph: self.graph };
        self.spread(&mut inner);
        inner
    }

    /// Adds the subschemas that look at the same value.
    fn spread(&self, place: &mut Place<'g>) {
        // Mostly there is one or a few: a look through them is quicker than a set.
        let mut many: Option<HashSet<usize>> = None;
        let mut todo = std::mem::take(&mut place.nodes);
        todo.reverse();
        while let Some(node) = todo.pop() {
            let known = match &mut many {
                Some(many) => !many.insert(node),
                None => place.nodes.contains(&node),
            };
            if known {
                continue;
            }
            if many.is_none() && place.nodes.len() == FEW {
                many = Some(place.nodes.iter().copied().chain([node]).collect());
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

/// Whether what lies at `path` in `value` is not to be repeated: the schema marks it, what it is in, or what is in it.
pub(crate) fn is_secret(schema: &Value, value: &Value, path: &[String]) -> bool {
    let graph = Graph::of(schema);
    let places = Places::new(&graph);
    let (mut place, mut here) = (places.at(&[]), Some(value));
    for step in path {
        if place.secret {
            return true;
        }
        place = places.within(&place, step);
        here = match here {
            Some(Value::Array(items)) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
            Some(Value::Object(members)) => members.get(step),
            _ => None,
        };
    }
    here.map_or(place.secret, |here| holds_secret(&places, &place, here))
}

/// As deep as the value is, and no deeper than the limits on arguments.
fn holds_secret(places: &Places<'_>, place: &Place<'_>, value: &Value) -> bool {
    if place.secret || place.nodes.is_empty() {
        return place.secret;
    }
    let inside = |step: &str, part: &Value| holds_secret(places, &places.within(place, step), part);
    match value {
        Value::Array(items) => items.iter().enumerate().any(|(index, item)| inside(&index.to_string(), item)),
        Value::Object(members) => members.iter().any(|(name, member)| inside(name, member)),
        _ => false,
    }
}

/// Whether a schema says that the values it looks at are not to be shown.
fn is_marked(schema: &Value) -> bool {
    schema.get("writeOnly").is_some_and(|w| *w == Value::Bool(true))
        || schema.get("format").is_some_and(|f| f == "password")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn steps(steps: &[&str]) -> Vec<String> {
        steps.iter().map(|step| (*step).to_owned()).collect()
    }

    #[test]
    fn what_is_too_much_to_look_at_is_taken_to_be_secret() {
        let schema = json!({"items": {"anyOf": [{}, {}, {}]}});
        assert!(!is_secret(&schema, &Value::from(vec![0; 1_000]), &[]));
        assert!(is_secret(&schema, &Value::from(vec![0; PLACE_LOOKS]), &[]));
    }

    #[test]
    fn what_is_secret_is_so_from_above_and_from_below() {
        let schema = json!({"properties": {
            "a": {"writeOnly": true, "properties": {"in": {}}},
            "b": {"items": {"format": "password"}},
            "c": {"writeOnly": false, "format": "uri"},
        }});
        let value = json!({"a": {"in": 1}, "b": [1], "c": 1});
        for secret in [&["a", "in"][..], &["a", "nowhere"], &["b"], &[]] {
            assert!(is_secret(&schema, &value, &steps(secret)), "{secret:?}");
        }
        for open in [&["c"][..], &["c", "nowhere"], &["nowhere"]] {
            assert!(!is_secret(&schema, &value, &steps(open)), "{open:?}");
        }
    }
}
