//! What validating by a schema costs at worst: how often a value is looked at, and how deep the looks are stacked.

use std::cell::Cell;

use serde_json::Value;

use super::{
    dialect::pattern_weight,
    graph::{Graph, Step},
    limits::{
        FEW_LOOKS, HARD_ARGUMENT_BYTES, HARD_DEPTH, LOOKS, PATTERN_LOOKS, PATTERN_UNIT, RECURSIVE_LOOKS, STACKED,
        UNION_NAMES,
    },
    value::held,
};

/// What a schema's cost leaves to the values that it looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// How often one value is looked at.
    pub(super) looks: u64,
    /// How many values there may be, where a limit on values alone does not keep the cost down.
    pub(super) most_values: Option<usize>,
    /// How deep a value may be, where the limit on depth alone does not keep the stack.
    pub(super) most_levels: Option<usize>,
    /// How many bytes of text there may be, where many patterns look at each.
    pub(super) most_bytes: Option<usize>,
    /// How often the items of one array may be compared with one another, where that is asked for.
    pub(super) unique: u64,
    /// How many errors one value may be told by.
    pub(super) errors: u64,
    /// Bytes of the schema that the errors of one value repeat.
    pub(super) repeated: u64,
    /// How often one byte of text is matched, in looks of a simple pattern.
    pub(super) patterns: u64,
    /// Bytes of all patterns, compiled.
    pub(super) compiled: u64,
    /// Unions within one another. To explain one, its alternatives are checked once more.
    pub(super) unions: u64,
    /// Properties in the alternatives of all unions, those behind references counted at each.
    pub(super) union_names: u64,
    /// Whether it comes back to itself.
    pub(super) recursive: bool,
}

impl Cost {
    /// Pure cycles have been refused, so every walk over in-place edges ends.
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        let component = graph.components(|_| true);
        let inside =
            |(i, node): (usize, &super::graph::Node<'_>)| node.edges.iter().any(|e| component[e.to] == component[i]);
        let recursive = graph.nodes.iter().enumerate().any(inside);
        let in_place = |step| step == Step::InPlace;
        let looks = sums(graph, own_looks, true);
        let budget = if recursive { RECURSIVE_LOOKS } else { LOOKS };
        let most = usize::try_from(budget / looks.max(1)).unwrap_or(usize::MAX);
        let most_values = (recursive || looks > FEW_LOOKS).then_some(most);
        let compiled = Cell::new(0_u64);
        let patterns = |schema: &Value| {
            let own = own_patterns(schema);
            compiled.set(compiled.get().saturating_add(own.saturating_mul(PATTERN_UNIT as u64)));
            own
        };
        let patterns = sums(graph, patterns, true);
        let compiled = compiled.get();
        // What comes back to itself counts as one there, with patterns or without.
        let patterns = if compiled == 0 { 0 } else { patterns };
        let most_bytes = PATTERN_LOOKS.checked_div(usize::try_from(patterns).unwrap_or(usize::MAX));
        let most_bytes = most_bytes.filter(|most| *most < HARD_ARGUMENT_BYTES);
        let unique = sums(graph, own_unique, true);
        let errors = sums(graph, own_errors, true).max(sums(graph, own_errors, false));
        let repeated = sums(graph, own_repeated, true).max(sums(graph, own_repeated, false));
        let looks = looks.max(sums(graph, own_looks, false));
        let chain = longest(graph, in_place);
        let stacks_with_depth = recursive || longest(graph, |_| true) > STACKED;
        let levels = STACKED / chain.max(1);
        let most_levels = (stacks_with_depth && levels <= HARD_DEPTH).then_some(levels.saturating_sub(1));
        Self {
            looks,
            most_values,
            most_levels,
            most_bytes,
            unique,
            errors,
            repeated,
            patterns,
            compiled,
            unions: unions(graph),
            union_names: union_names(graph),
            recursive,
        }
    }

    /// Whether it leaves room for any real value.
    pub(super) fn is_bearable(&self) -> bool {
        self.most_values.is_none_or(|most| most >= 16)
            && self.most_levels.is_none_or(|most| most >= 4)
            && self.most_bytes.is_none_or(|most| most >= 4096)
            && self.union_names <= UNION_NAMES
    }
}

/// The most looks at one value: all those at the same value are added up; of those at its parts, where they are followed
/// `further`, the most expensive part counts. An edge back to where the walk comes from counts as one: it is remembered there.
fn sums(graph: &Graph<'_>, own: impl Fn(&Value) -> u64, further: bool) -> u64 {
    sums_of(graph, own, further).into_iter().max().unwrap_or(1)
}

/// The same of each subschema.
fn sums_of(graph: &Graph<'_>, own: impl Fn(&Value) -> u64, further: bool) -> Vec<u64> {
    walk(graph, |node, known| {
        let edges = &graph.nodes[node].edges;
        let of = |wanted: fn(Step) -> bool| edges.iter().filter(move |e| wanted(e.step)).map(|e| known(e.to));
        let shared = |step| matches!(step, Step::Member { shared: true } | Step::Item { shared: true });
        let apart = |step| matches!(step, Step::Member { shared: false } | Step::Item { shared: false });
        let schema = graph.nodes[node].schema;
        // To know what was evaluated, those at the same value are asked again, and once more.
        let asked = if is_unevaluated(schema) { 3 } else { 1 };
        let inner = of(|step| step == Step::InPlace).fold(0, u64::saturating_add).saturating_mul(asked);
        let mut sum = inner.saturating_add(own(schema));
        if further {
            sum = of(shared).fold(sum, u64::saturating_add).saturating_add(of(apart).max().unwrap_or(0));
        }
        sum
    })
}

/// The longest way over the edges that `follow` takes, in subschemas, each cycle walked once.
fn longest(graph: &Graph<'_>, follow: impl Fn(Step) -> bool) -> usize {
    let lengths = walk(graph, |node, known| {
        let next = graph.nodes[node].edges.iter().filter(|e| follow(e.step)).map(|e| known(e.to));
        next.max().unwrap_or(0) + 1
    });
    usize::try_from(lengths.into_iter().max().unwrap_or(1)).unwrap_or(usize::MAX)
}

/// The compiler looks at all properties of each alternative of each union.
fn union_names(graph: &Graph<'_>) -> u64 {
    let names = |schema: &Value| schema.get("properties").and_then(Value::as_object).map_or(0, |p| p.len() as u64);
    let names = sums_of(graph, names, false);
    let unions = graph.nodes.iter().zip(names).filter(|(node, _)| is_union(node.schema));
    unions.fold(0, |sum: u64, (_, names)| sum.saturating_add(names))
}

fn is_union(schema: &Value) -> bool {
    schema.get("anyOf").is_some() || schema.get("oneOf").is_some()
}

/// The most unions within one another, each cycle walked once.
fn unions(graph: &Graph<'_>) -> u64 {
    let counts = walk(graph, |node, known| {
        let further = graph.nodes[node].edges.iter().map(|e| known(e.to)).max().unwrap_or(1);
        further + u64::from(is_union(graph.nodes[node].schema))
    });
    counts.into_iter().max().unwrap_or(1)
}

/// Works out a figure for each node from those of the nodes it leads to, in depth, without recursion. A node that is on
/// the way to itself counts as one.
fn walk(graph: &Graph<'_>, figure: impl Fn(usize, &dyn Fn(usize) -> u64) -> u64) -> Vec<u64> {
    let mut figures: Vec<Option<u64>> = vec![None; graph.nodes.len()];
    let mut entered = vec![false; graph.nodes.len()];
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..graph.nodes.len() {
        if !entered[start] {
            path.push((start, 0));
        }
        while let Some((node, edge)) = path.last_mut() {
            entered[*node] = true;
            let node = *node;
            let Some(next) = graph.nodes[node].edges.get(*edge) else {
                let value = figure(node, &|to| figures[to].unwrap_or(1));
                figures[node] = Some(value);
                path.pop();
                continue;
            };
            *edge += 1;
            if !entered[next.to] {
                path.push((next.to, 0));
            }
        }
    }
    figures.into_iter().map(|f| f.unwrap_or(1)).collect()
}

pub(super) fn is_unevaluated(schema: &Value) -> bool {
    schema.get("unevaluatedProperties").is_some() || schema.get("unevaluatedItems").is_some()
}

/// An enum of more than texts is compared value by value, and what depends on properties name by name.
fn own_looks(schema: &Value) -> u64 {
    let listed = schema.get("enum").and_then(Value::as_array);
    let slow = |v: &Value| !v.is_string() && !v.is_null();
    let compared = listed.filter(|values| values.iter().any(slow)).map_or(0, Vec::len);
    let depending = ["dependentRequired", "dependentSchemas", "dependencies"].iter().filter_map(|key| schema.get(key));
    let names: usize = depending.filter_map(Value::as_object).map(serde_json::Map::len).sum();
    let unique = if schema.get("uniqueItems").is_some() { 10 } else { 0 };
    1 + (compared + names + unique) as u64
}

/// Each name that is required and not there is an error of its own.
fn own_errors(schema: &Value) -> u64 {
    let required = schema.get("required").and_then(Value::as_array).map_or(0, Vec::len);
    own_looks(schema) + required as u64
}

/// An error about what a value must not be repeats the schema of that.
fn own_repeated(schema: &Value) -> u64 {
    schema.get("not").map_or(0, held)
}

fn own_unique(schema: &Value) -> u64 {
    u64::from(schema.get("uniqueItems") == Some(&Value::Bool(true)))
}

/// What a byte of text costs at worst, in looks of a simple pattern.
fn own_patterns(schema: &Value) -> u64 {
    let named = schema.get("patternProperties").and_then(Value::as_object);
    let own = schema.get("pattern").and_then(Value::as_str);
    let all = own.into_iter().chain(named.into_iter().flatten().map(|(pattern, _)| pattern.as_str()));
    all.fold(0, |sum: u64, pattern| sum.saturating_add(pattern_weight(pattern)))
}
