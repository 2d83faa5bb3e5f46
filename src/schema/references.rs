//! Where the references of a schema lead: as the compiler follows them, or nowhere.
//!
//! What is bounded is what the graph knows. A reference that the compiler would follow to another place than the graph
//! is a way around every bound, so whatever may be read in two ways is not followed, and refused.

use jsonschema::Draft;
use serde_json::Value;

use super::{
    dialect::known,
    graph::{Edge, Graph, Step, percent_decoded},
    named::{Names, is_plain_name, is_self_contained},
};

impl<'a> Graph<'a> {
    /// What a keyword that names its subschema says: only the spelling counts that the dialect knows.
    pub(super) fn identify(&mut self, index: usize, keyword: &str, value: &'a Value) {
        let Some(text) = value.as_str() else { return };
        let modern = matches!(self.dialect, Draft::Draft201909 | Draft::Draft202012);
        let plain = match keyword {
            "$anchor" if modern => Some(text),
            "$dynamicAnchor" if self.dialect == Draft::Draft202012 => Some(text),
            "$schema" if index != 0 && known(value) != Some(self.dialect) => {
                self.nested_dialects.push(self.nodes[index].pointer.clone());
                None
            }
            "$id" | "id" if !text.starts_with('#') => {
                self.file(index, keyword, text);
                None
            }
            _ if !modern && keyword == self.dialect.id_keyword() => text.strip_prefix('#'),
            _ => None,
        };
        if let Some(name) = plain {
            self.anchors.entry(name).or_insert(index);
        }
    }

    /// An identifier further in changes what references mean, unless it is a plain name of what refers to nothing.
    fn file(&mut self, index: usize, keyword: &str, id: &'a str) {
        let ours = keyword == self.dialect.id_keyword();
        if index == 0 || (keyword == "id" && !ours) {
            return;
        }
        if ours && keyword == "$id" && is_plain_name(id) && is_self_contained(self.nodes[index].schema) {
            self.named.insert(id, index);
        } else {
            self.nested_ids.push(self.nodes[index].pointer.clone());
        }
    }

    /// Whether a member changes what references mean, where it lies in what is no subschema itself.
    pub(super) fn moves(&self, name: &str, value: &Value) -> bool {
        value.is_string() && (matches!(name, "$id" | "$schema") || name == self.dialect.id_keyword())
    }

    pub(super) fn resolve(&mut self, root: &'a Value, from: usize, keyword: &str, reference: &'a str) {
        let told = (self.nodes[from].pointer.clone(), reference.to_owned());
        if let Some(to) = self.named_part(root, reference) {
            self.refer(from, to);
            return;
        }
        let Some(fragment) = self.own_fragment(root, reference) else {
            self.remote.push(told);
            return;
        };
        let depth = self.nodes[from].depth + 1;
        let target = if keyword == "$recursiveRef" && !fragment.is_empty() {
            // The compiler takes it for the whole, whatever it says.
            None
        } else if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = percent_decoded(fragment);
            let target = root.pointer(&pointer).filter(|_| !self.is_moved(root, &pointer));
            target.map(|schema| self.node(schema, pointer, depth))
        } else {
            let known = self.anchors.get(fragment).copied();
            if known.is_some() && self.names(root).plain(fragment) != 1 {
                self.ambiguous.push(told);
                return;
            }
            known
        };
        match target {
            Some(to) => self.refer(from, to),
            None => self.lost.push(told),
        }
    }

    fn refer(&mut self, from: usize, to: usize) {
        self.nodes[from].edges.push(Edge { to, step: Step::InPlace, by_reference: true, name: None });
    }

    /// The part of a reference that leads into the schema itself; it may be called by its own name.
    fn own_fragment(&mut self, root: &'a Value, reference: &'a str) -> Option<&'a str> {
        if let Some(fragment) = reference.strip_prefix('#') {
            return Some(fragment);
        }
        if reference.is_empty() {
            return Some(reference);
        }
        let id = self.own_id?;
        let rest = reference.strip_prefix(id).filter(|rest| rest.is_empty() || rest.starts_with('#'))?;
        // The compiler must not take another part for it: all are read against the same base.
        let last = id.rsplit('/').next().unwrap_or(id);
        let names = self.names(root);
        let others = names.files(id) + if last == id { 0 } else { names.files(last) };
        (others <= 1).then(|| rest.strip_prefix('#').unwrap_or(rest))
    }

    /// The part with this name, if the compiler cannot take it for another: both are read against the same base.
    fn named_part(&mut self, root: &'a Value, name: &str) -> Option<usize> {
        let to = self.named.get(name).copied()?;
        let same_as_root = self.own_id.is_some_and(|id| id.rsplit('/').next() == Some(name));
        (self.names(root).files(name) == 1 && !same_as_root).then_some(to)
    }

    fn names(&mut self, root: &'a Value) -> &Names<'a> {
        self.names.get_or_insert_with(|| Names::of(root))
    }

    /// Whether the way to a place leads through something that is no subschema and changes what references mean.
    fn is_moved(&self, root: &Value, pointer: &str) -> bool {
        let ends = pointer.match_indices('/').map(|(at, _)| at).skip(1);
        ends.filter_map(|end| root.pointer(&pointer[..end])).any(|value| {
            let moved = value.as_object().is_some_and(|map| map.iter().any(|(name, value)| self.moves(name, value)));
            moved && self.find(value).is_none()
        })
    }
}
