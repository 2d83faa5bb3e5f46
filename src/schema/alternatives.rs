//! A value that fits no alternative of a union: which one it was meant to be.

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    graph::{Graph, Step},
    limits::{ALTERNATIVES, EXCERPT_BYTES, NESTED_UNIONS},
    place::Place,
    problem::at,
    words::{Words, names, pointer},
};
use crate::{arguments::kind, cut::cut};

/// A member that an alternative fixes to a few values.
struct Pin<'g> {
    name: &'g str,
    values: Vec<&'g Value>,
}

/// What is to be said of a union.
enum Closest<'e> {
    /// All of it.
    Told(String),
    Alternative {
        index: usize,
        label: Option<String>,
        errors: &'e [ValidationError<'static>],
    },
}

/// What was found of each alternative, if a violation is that of a union.
fn alternatives<'e>(error: &'e ValidationError<'_>) -> Option<&'e [Vec<ValidationError<'static>>]> {
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => Some(context),
        _ => None,
    }
}

/// What is wrong with the one alternative that is not null, if there are these two.
fn beside_null<'e>(found: &'e [Vec<ValidationError<'static>>]) -> Option<&'e [ValidationError<'static>]> {
    let is_null = |errors: &[ValidationError<'_>]| match errors {
        [only] => matches!(only.kind(), Kind::Type { kind: TypeKind::Single(JsonType::Null) }),
        _ => false,
    };
    match found {
        [one, other] if is_null(other) => Some(one),
        [other, one] if is_null(other) => Some(one),
        _ => None,
    }
}

/// Up to this many values a fixed member tells alternatives apart; more are a choice within one.
const PINNED: usize = 16;

/// One alternative, and what its own validator found.
struct Alternative<'g, 'e> {
    index: usize,
    node: Option<usize>,
    pins: Vec<Pin<'g>>,
    errors: &'e [ValidationError<'static>],
}

impl<'g> Words<'g> {
    /// Why a value fits no alternative of a union; `found` is what the validators of the alternatives say, those that the
    /// union itself was compiled with.
    pub(super) fn no_alternative(
        &self,
        error: &ValidationError<'_>,
        found: &[Vec<ValidationError<'static>>],
        path: &[String],
        place: &Place<'g>,
        unions: usize,
    ) -> String {
        if unions >= NESTED_UNIONS {
            return format!("fits none of the alternatives, got {}", kind(error.instance()));
        }
        let (index, label, errors) = match self.closest(error, found, path, place) {
            Closest::Told(text) => return text,
            Closest::Alternative { index, label, errors } => (index, label, errors),
        };
        let label = label.map(|l| format!(" ({l})")).unwrap_or_default();
        // Beside null there is one thing to be: what is wrong with it is all there is to say.
        let (mut out, mut joint, errors) = if let Some(errors) = beside_null(found) {
            (String::new(), "", errors)
        } else {
            let many = found.len();
            let closest = format!("fits none of {many} alternatives; closest is alternative {}{label}", index + 1);
            (closest, ": ", errors)
        };
        let own = pointer(path, place);
        // The union itself was counted as one already.
        self.left.set(self.left.get() + 1);
        for error in errors {
            if self.left.get() == 0 {
                out.push_str("; … and more");
                break;
            }
            let (pointer, what) = self.tell(error, unions + 1);
            let here = joint.is_empty() && *pointer == own;
            out.push_str(joint);
            out.push_str(&if here { what } else { at(&pointer, &what) });
            joint = "; ";
        }
        out
    }

    /// The union further in that is all there is wrong with the closest alternative of this one, if it is so: then that is
    /// what is to be told, and not the way there.
    pub(super) fn further_in<'e>(
        &self,
        error: &'e ValidationError<'_>,
        path: &[String],
        place: &Place<'g>,
    ) -> Option<&'e ValidationError<'static>> {
        let found = alternatives(error)?;
        if let Some([inner]) = beside_null(found) {
            return Some(inner).filter(|_| self.flat(found, path, place, error.instance()).is_none());
        }
        match self.closest(error, found, path, place) {
            Closest::Alternative { errors: [inner], .. } => {
                alternatives(inner).filter(|_| self.steps(inner) != path).map(|_| inner)
            }
            _ => None,
        }
    }

    fn closest<'e>(
        &self,
        error: &ValidationError<'_>,
        found: &'e [Vec<ValidationError<'static>>],
        path: &[String],
        place: &Place<'g>,
    ) -> Closest<'e> {
        let value = error.instance().as_ref();
        let nothing = || Closest::Told(format!("fits none of the alternatives, got {}", kind(value)));
        if found.len() > ALTERNATIVES {
            return nothing();
        }
        if let Some(flat) = self.flat(found, path, place, value) {
            return Closest::Told(flat);
        }
        let graph = self.places.graph;
        let union = graph.nodes.first().and_then(|root| root.schema.pointer(error.schema_path().as_str()));
        // Within a part that has a name of its own the path begins there, and may lead to something else here.
        let union = union.filter(|u| u.as_array().is_some_and(|all| all.len() == found.len()));
        let alternatives: Vec<Alternative<'_, '_>> = (found.iter().enumerate())
            .map(|(index, errors)| {
                let node = union.and_then(|u| u.get(index)).and_then(|schema| graph.find(schema));
                let pins = node.map(|n| pins(graph, n, |_| true)).unwrap_or_default();
                Alternative { index, node, pins, errors }
            })
            .collect();
        if let Some(told) = self.told_apart(&alternatives, path, place, value) {
            return Closest::Told(format!("fits none of {} alternatives; {told}", found.len()));
        }
        match alternatives.iter().min_by_key(|a| self.distance(a, path, place, value)) {
            Some(a) => Closest::Alternative { index: a.index, label: self.label(a, place, value), errors: a.errors },
            None => nothing(),
        }
    }

    /// A union of nothing but types and listed values is a choice among those.
    fn flat(
        &self,
        found: &[Vec<ValidationError<'static>>],
        path: &[String],
        place: &Place<'g>,
        value: &Value,
    ) -> Option<String> {
        let (mut options, mut types): (Vec<&Value>, Vec<String>) = (Vec::new(), Vec::new());
        for errors in found {
            let (mut listed, mut wanted) = (Vec::new(), Vec::new());
            for error in errors {
                match error.kind() {
                    _ if self.steps(error) != path => return None,
                    Kind::Enum { options } => listed.extend(options.as_array()?),
                    Kind::Constant { expected_value } => listed.push(expected_value),
                    Kind::Type { kind } => wanted.extend(names(kind)),
                    _ => return None,
                }
            }
            match (listed.is_empty(), wanted.is_empty()) {
                (true, true) => return None,
                (false, _) => options.extend(listed),
                (true, false) => types.extend(wanted),
            }
        }
        let mut seen = Vec::new();
        types.retain(|name| {
            !seen.contains(name) && {
                seen.push(name.clone());
                true
            }
        });
        Some(if options.is_empty() {
            self.wrong_type(&types, place, value)
        } else {
            self.none_of(&options, &types, place, value)
        })
    }

    /// What is wrong with the member that tells all alternatives apart, if it is what fails in all of them.
    fn told_apart(
        &self,
        alternatives: &[Alternative<'_, '_>],
        path: &[String],
        place: &Place<'g>,
        value: &Value,
    ) -> Option<String> {
        let map = value.as_object()?;
        // Those for other than objects are out of the question.
        let fitting: Vec<_> = alternatives.iter().filter(|a| !self.has_other_type(a.errors, path)).collect();
        let first = fitting.first().filter(|_| fitting.len() > 1)?;
        first.pins.iter().find_map(|pin| {
            let name = pin.name;
            let all: Vec<&Pin<'_>> = fitting.iter().filter_map(|a| a.pins.iter().find(|p| p.name == name)).collect();
            if all.len() != fitting.len() {
                return None;
            }
            let mut options: Vec<&Value> = Vec::new();
            for value in all.iter().flat_map(|p| &p.values) {
                if !options.contains(value) {
                    options.push(value);
                }
            }
            match map.get(name) {
                Some(got) if !options.contains(&got) => {
                    let here = self.places.within(place, name);
                    let mut inner = path.to_vec();
                    inner.push(name.to_owned());
                    Some(at(&pointer(&inner, &here), &self.none_of(&options, &[], &here, got)))
                }
                None if fitting.iter().all(|a| self.lacks(a.errors, name, path)) => {
                    let listed = super::words::listed(&options);
                    Some(at(&pointer(path, place), &format!("missing {name:?}, one of {listed}")))
                }
                _ => None,
            }
        })
    }

    /// Less is closer: what tells alternatives apart first, then the type, then how many names are known, then how
    /// little is wrong: an alternative that knows none of the names may lack a single one.
    fn distance(
        &self,
        a: &Alternative<'_, '_>,
        path: &[String],
        place: &Place<'g>,
        value: &Value,
    ) -> (u8, bool, usize, usize) {
        let mut told_apart = 1;
        for (pin, got) in self.shown(&a.pins, place, value) {
            if !pin.values.contains(&got) {
                told_apart = 2;
                break;
            }
            told_apart = 0;
        }
        let known = a.node.map_or(0, |node| {
            let of = |n: &usize| self.places.graph.nodes[*n].edges.iter().filter_map(|e| e.name);
            let merged = merged(self.places.graph, node);
            merged.iter().flat_map(of).filter(|name| value.get(*name).is_some()).count()
        });
        (told_apart, self.has_other_type(a.errors, path), usize::MAX - known, a.errors.len())
    }

    /// Whether an alternative is for values of another type.
    fn has_other_type(&self, errors: &[ValidationError<'_>], path: &[String]) -> bool {
        errors.iter().any(|e| matches!(e.kind(), Kind::Type { .. }) && self.steps(e) == path)
    }

    fn lacks(&self, errors: &[ValidationError<'_>], name: &str, path: &[String]) -> bool {
        let is_it = |e: &ValidationError<'_>| matches!(e.kind(), Kind::Required { property } if property == name);
        errors.iter().any(|e| is_it(e) && self.steps(e) == path)
    }

    /// The pins whose member is there and not kept to itself: which alternative is named must not tell its value.
    fn shown<'p, 'x>(
        &'p self,
        pins: &'p [Pin<'x>],
        place: &'p Place<'g>,
        value: &'p Value,
    ) -> impl Iterator<Item = (&'p Pin<'x>, &'p Value)> {
        let there = pins.iter().filter_map(|pin| Some((pin, value.get(pin.name)?)));
        there.filter(|(pin, _)| !self.hides(&self.places.within(place, pin.name)))
    }

    /// What an alternative goes by: what tells it apart, else its title, else the name of its definition.
    fn label(&self, a: &Alternative<'_, '_>, place: &Place<'g>, value: &Value) -> Option<String> {
        let pinned = self.shown(&a.pins, place, value).find(|(pin, got)| pin.values.contains(got));
        let pinned = pinned
            .map(|(pin, got)| format!("{} {}", cut(pin.name, EXCERPT_BYTES), cut(&got.to_string(), EXCERPT_BYTES)));
        pinned.or_else(|| {
            let schema = self.places.graph.nodes.get(a.node?)?.schema;
            let title = schema.get("title").and_then(Value::as_str);
            let name = || schema.get("$ref")?.as_str()?.rsplit_once('/').map(|(_, name)| name);
            let label = title.or_else(name).filter(|l| !l.is_empty())?;
            Some(cut(label, EXCERPT_BYTES).to_owned())
        })
    }
}

/// A subschema and those that it is merged from: by reference, and by `allOf`.
pub(super) fn merged(graph: &Graph<'_>, start: usize) -> Vec<usize> {
    let mut out = vec![start];
    let mut next = 0;
    while let Some(node) = out.get(next).copied() {
        next += 1;
        let own = graph.nodes[node].pointer.as_str();
        let part_of_all = |to: usize| {
            let keyword = graph.nodes[to].pointer.strip_prefix(own);
            keyword.is_some_and(|keyword| keyword.starts_with("/allOf/"))
        };
        for edge in graph.nodes[node].edges.iter().filter(|e| e.step == Step::InPlace) {
            let joins = edge.by_reference || part_of_all(edge.to);
            if joins && !out.contains(&edge.to) && out.len() < ALTERNATIVES {
                out.push(edge.to);
            }
        }
    }
    out
}

/// The members that an alternative fixes, of those that are `wanted`.
fn pins<'g>(graph: &'g Graph<'_>, node: usize, wanted: impl Fn(&str) -> bool) -> Vec<Pin<'g>> {
    let mut out = Vec::new();
    for edge in merged(graph, node).iter().flat_map(|n| &graph.nodes[*n].edges) {
        let Some(name) = edge.name.filter(|name| wanted(name)) else { continue };
        let listed = merged(graph, edge.to).into_iter().find_map(|n| {
            let schema = graph.nodes[n].schema;
            let one = schema.get("const").map(|one| vec![one]);
            one.or_else(|| schema.get("enum")?.as_array().map(|values| values.iter().collect()))
        });
        if let Some(values) = listed.filter(|values| values.len() <= PINNED) {
            out.push(Pin { name, values });
        }
        if out.len() >= PINNED {
            break;
        }
    }
    out
}

/// Whether an alternative is for values of another kind, by a member that it fixes.
pub(super) fn mistaken(graph: &Graph<'_>, node: usize, value: &Value) -> bool {
    let pins = pins(graph, node, |name| value.get(name).is_some());
    pins.iter().any(|pin| value.get(pin.name).is_some_and(|got| !pin.values.contains(&got)))
}
