//! A schema as a graph: which subschemas look at a value, which at its parts, and where it comes back to itself.

use std::collections::HashMap;

use jsonschema::Draft;
use serde_json::Value;

use super::{
    dialect::dialect,
    limits::{POINTER_BYTES, SCHEMA_NODES},
    named::Names,
};
use crate::pointer::escaped;

/// How a subschema relates to the value its parent looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It looks at the same value.
    InPlace,
    /// It looks at a member of an object; several such may look at the same member.
    Member { shared: bool },
    /// It looks at an item of an array; several such may look at the same item.
    Item { shared: bool },
}

pub(super) struct Edge<'a> {
    pub(super) to: usize,
    pub(super) step: Step,
    pub(super) by_reference: bool,
    /// The one member it looks at, if it is one.
    pub(super) name: Option<&'a str>,
}

pub(super) struct Node<'a> {
    pub(super) schema: &'a Value,
    pub(super) pointer: String,
    /// Subschemas around it.
    pub(super) depth: usize,
    pub(super) edges: Vec<Edge<'a>>,
}

/// Every subschema of a schema, and every one that a reference leads to.
#[derive(Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// Pointers of references that lead out of the schema, with what they say.
    pub(super) remote: Vec<(String, String)>,
    /// The same of those that lead nowhere that is known here. The compiler may know more ways to follow one; what is
    /// not followed is not bounded.
    pub(super) lost: Vec<(String, String)>,
    /// The same of plain names that more than one part goes by.
    pub(super) ambiguous: Vec<(String, String)>,
    /// Whether the pointers of all subschemas together are too long to be kept.
    pub(super) too_long: bool,
    /// Whether there are more subschemas than are looked at.
    pub(super) too_many: bool,
    /// Pointers of `$id`s further in.
    pub(super) nested_ids: Vec<String>,
    /// Pointers of a `$schema` further in that names another dialect.
    pub(super) nested_dialects: Vec<String>,
    pub(super) references: usize,
    by_address: HashMap<usize, usize>,
    /// Parts by the plain names that the dialect knows.
    pub(super) anchors: HashMap<&'a str, usize>,
    /// Parts that have a name of their own and lead nowhere else, by it.
    pub(super) named: HashMap<&'a str, usize>,
    pub(super) names: Option<Names<'a>>,
    pending: Vec<(usize, &'a str, &'a str)>,
    /// What the schema calls itself: references may begin with it.
    pub(super) own_id: Option<&'a str>,
    /// The dialect that the compiler reads the schema in.
    pub(super) dialect: Draft,
    pointer_bytes: usize,
    todo: Vec<usize>,
}

impl<'a> Graph<'a> {
    pub(super) fn of(root: &'a Value) -> Self {
        let mut graph = Self { dialect: dialect(root), ..Self::default() };
        let own_id = root.get(graph.dialect.id_keyword()).and_then(Value::as_str);
        graph.own_id = own_id.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty() && !id.starts_with('#'));
        graph.node(root, String::new(), 0);
        loop {
            while let Some(node) = graph.todo.pop() {
                graph.discover(node);
            }
            let pending = std::mem::take(&mut graph.pending);
            if pending.is_empty() {
                return graph;
            }
            for (from, keyword, reference) in pending {
                graph.resolve(root, from, keyword, reference);
            }
        }
    }

    /// The node of a subschema, which must be part of the schema itself and no copy.
    pub(super) fn find(&self, schema: &Value) -> Option<usize> {
        self.by_address.get(&std::ptr::from_ref(schema).addr()).copied()
    }

    pub(super) fn node(&mut self, schema: &'a Value, pointer: String, depth: usize) -> usize {
        let address = std::ptr::from_ref(schema).addr();
        if let Some(known) = self.by_address.get(&address) {
            return *known;
        }
        self.pointer_bytes += pointer.len();
        self.too_long |= self.pointer_bytes > POINTER_BYTES;
        self.too_many |= self.nodes.len() >= SCHEMA_NODES;
        if self.too_long || self.too_many {
            return 0;
        }
        let index = self.nodes.len();
        self.by_address.insert(address, index);
        self.nodes.push(Node { schema, pointer, depth, edges: Vec::new() });
        self.todo.push(index);
        index
    }

    fn discover(&mut self, index: usize) {
        let Value::Object(map) = self.nodes[index].schema else { return };
        for (key, value) in map {
            let shared = match key.as_str() {
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    if let Value::String(reference) = value {
                        self.references += 1;
                        self.pending.push((index, key, reference));
                    }
                    continue;
                }
                "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$schema" => {
                    self.identify(index, key, value);
                    continue;
                }
                "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" | "dependencies" => {
                    Some(Step::InPlace)
                }
                "properties" | "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                    Some(Step::Member { shared: false })
                }
                "patternProperties" => Some(Step::Member { shared: true }),
                "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" => Some(Step::Item { shared: false }),
                "contains" => Some(Step::Item { shared: true }),
                "$defs" | "definitions" | "contentSchema" => None,
                _ => continue,
            };
            let named = matches!(
                key.as_str(),
                "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "$defs" | "definitions"
            );
            self.children(index, key, value, named, shared);
        }
    }

    fn children(&mut self, from: usize, key: &str, value: &'a Value, named: bool, step: Option<Step>) {
        let at = format!("{}/{}", self.nodes[from].pointer, escaped(key));
        let depth = self.nodes[from].depth + 1;
        match value {
            Value::Object(map) if named => {
                if map.iter().any(|(name, value)| self.moves(name, value)) {
                    self.nested_ids.push(at.clone());
                }
                for (name, schema) in map {
                    let member = (key == "properties").then_some(name.as_str());
                    self.child(from, schema, format!("{at}/{}", escaped(name)), depth, step.map(|s| (s, member)));
                }
            }
            Value::Array(items) => {
                for (i, schema) in items.iter().enumerate() {
                    self.child(from, schema, format!("{at}/{i}"), depth, step.map(|s| (s, None)));
                }
            }
            schema => self.child(from, schema, at, depth, step.map(|s| (s, None))),
        }
    }

    fn child(
        &mut self,
        from: usize,
        schema: &'a Value,
        pointer: String,
        depth: usize,
        step: Option<(Step, Option<&'a str>)>,
    ) {
        if !schema.is_object() && !schema.is_boolean() {
            return;
        }
        let to = self.node(schema, pointer, depth);
        if let Some((step, name)) = step {
            self.nodes[from].edges.push(Edge { to, step, by_reference: false, name });
        }
    }

    /// The strongly connected components over the edges that `follow` takes: a number for each node, the components
    /// that others lead to numbered first.
    pub(super) fn components(&self, follow: impl Fn(&Edge<'_>) -> bool) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let n = self.nodes.len();
        let (mut order, mut low) = (vec![UNSEEN; n], vec![0; n]);
        let (mut component, mut waiting) = (vec![UNSEEN; n], Vec::new());
        let (mut seen, mut found) = (0, 0);
        for start in 0..n {
            // Each frame is a node and the edge to look at next: a walk in depth without recursion.
            let mut path = vec![(start, 0)];
            if order[start] != UNSEEN {
                continue;
            }
            while let Some((node, edge)) = path.last_mut() {
                let node = *node;
                if *edge == 0 {
                    order[node] = seen;
                    low[node] = seen;
                    seen += 1;
                    waiting.push(node);
                }
                let next = self.nodes[node].edges.get(*edge);
                *edge += 1;
                match next {
                    Some(e) if !follow(e) => {}
                    Some(e) if order[e.to] == UNSEEN => path.push((e.to, 0)),
                    Some(e) => {
                        if component[e.to] == UNSEEN {
                            low[node] = low[node].min(order[e.to]);
                        }
                    }
                    None => {
                        path.pop();
                        if let Some((parent, _)) = path.last() {
                            low[*parent] = low[*parent].min(low[node]);
                        }
                        if low[node] == order[node] {
                            while let Some(member) = waiting.pop() {
                                component[member] = found;
                                if member == node {
                                    break;
                                }
                            }
                            found += 1;
                        }
                    }
                }
            }
        }
        component
    }
}

pub(super) fn percent_decoded(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let code = fragment.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let (b'%', Some(code)) = (byte, code) {
            out.push(code);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
