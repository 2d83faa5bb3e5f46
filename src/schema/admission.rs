//! What a schema must be like before anything is compiled from it, so that validating by it is bounded.

use std::io::{self, Write};

use serde_json::Value;

use super::{
    cost::{Cost, is_unevaluated},
    graph::{Graph, Step},
    limits::{
        ENUM_VALUES, HARD_DEPTH, KEY_BYTES, PATTERN_BYTES, PATTERNS, SCHEMA_BYTES, SCHEMA_DEPTH, SCHEMA_NODES,
        SCHEMA_PATHS, SCHEMA_REFS,
    },
    problem::{SchemaProblem, excerpt},
    value::deeper_than,
};

/// What is known of an admitted schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Admitted {
    /// What validating by it costs at worst.
    pub(super) cost: Cost,
    /// Where recursive unions go on into a value, as pointers to the subschemas that look at its parts. What is wrong with
    /// a value is not collected through them: the alternatives multiply with every level.
    pub(super) loops: Vec<String>,
    /// Schemas with conditions that go there too: one that looks at nothing further in would hold too often.
    pub(super) conditions: Vec<String>,
    /// How often such a union looks at the same part of a value from one level to the next, at most; else 1.
    pub(super) branching: u64,
}

/// Checks a schema; every problem is found.
pub(super) fn admit(schema: &Value) -> Result<Admitted, Vec<SchemaProblem>> {
    if deeper_than(schema, HARD_DEPTH) {
        return Err(vec![SchemaProblem::new("", format!("nested deeper than {HARD_DEPTH} levels of JSON"))]);
    }
    if larger_than(schema, SCHEMA_BYTES) {
        return Err(vec![SchemaProblem::new("", format!("larger than {SCHEMA_BYTES} bytes"))]);
    }
    if let Some(name) = long_name(schema) {
        return Err(vec![SchemaProblem::new(
            "",
            format!("the name {} is longer than {KEY_BYTES} bytes", excerpt(name)),
        )]);
    }
    let graph = Graph::of(schema);
    if graph.too_long {
        return Err(vec![SchemaProblem::new("", "its names are too long for so many subschemas within one another")]);
    }
    if graph.too_many {
        return Err(vec![SchemaProblem::new("", format!("more than {SCHEMA_NODES} subschemas"))]);
    }
    let mut problems = Vec::new();
    sizes(&graph, &mut problems);
    references(&graph, &mut problems);
    pure_cycles(&graph, &mut problems);
    if problems.is_empty() && paths(&graph) > SCHEMA_PATHS {
        let help = "its references multiply: more than 10000 ways lead from the root to its subschemas";
        problems.push(SchemaProblem::new("", help));
    }
    if problems.is_empty() {
        let cost = Cost::of(&graph);
        if cost.is_bearable() {
            return Ok(loops(&graph, cost));
        }
        let help = if cost.recursive {
            "it comes back to itself over so many alternatives or references that checking a value has no bound"
        } else {
            "its patterns, references or subschemas for one value are so many that checking leaves no room for real values"
        };
        problems.push(SchemaProblem::new("", help));
    }
    Err(problems)
}

/// A name too long to be part of a pointer. The depth has been checked.
fn long_name(schema: &Value) -> Option<&str> {
    match schema {
        Value::Array(items) => items.iter().find_map(long_name),
        Value::Object(map) => {
            let own = map.keys().find(|name| name.len() > KEY_BYTES).map(String::as_str);
            own.or_else(|| map.values().find_map(long_name))
        }
        _ => None,
    }
}

fn larger_than(schema: &Value, bytes: usize) -> bool {
    struct Left(usize);
    impl Write for Left {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(data.len()).ok_or(io::ErrorKind::OutOfMemory)?;
            Ok(data.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Left(bytes), schema).is_err()
}

fn sizes(graph: &Graph<'_>, problems: &mut Vec<SchemaProblem>) {
    let mut patterns = 0;
    for node in &graph.nodes {
        let mut found = |message: String| problems.push(SchemaProblem::new(&node.pointer, message));
        if node.depth == SCHEMA_DEPTH + 1 {
            found(format!("more than {SCHEMA_DEPTH} subschemas deep"));
        }
        let Value::Object(map) = node.schema else { continue };
        if map.get("enum").and_then(Value::as_array).is_some_and(|values| values.len() > ENUM_VALUES) {
            found(format!("an enum of more than {ENUM_VALUES} values"));
        }
        let named = map.get("patternProperties").and_then(Value::as_object);
        let own = map.get("pattern").and_then(Value::as_str);
        for pattern in own.into_iter().chain(named.into_iter().flatten().map(|(p, _)| p.as_str())) {
            patterns += 1;
            if pattern.len() > PATTERN_BYTES {
                found(format!("a pattern longer than {PATTERN_BYTES} bytes"));
            }
        }
    }
    if patterns > PATTERNS {
        problems.push(SchemaProblem::new("", format!("more than {PATTERNS} patterns")));
    }
}

fn references(graph: &Graph<'_>, problems: &mut Vec<SchemaProblem>) {
    if graph.references > SCHEMA_REFS {
        problems.push(SchemaProblem::new("", format!("more than {SCHEMA_REFS} references")));
    }
    for (pointer, reference) in graph.remote.iter().take(10) {
        let help = format!("$ref {} leads out of the schema; put what it means under $defs", excerpt(reference));
        problems.push(SchemaProblem::new(pointer, help));
    }
    for (pointer, reference) in graph.lost.iter().take(10) {
        let help = format!("$ref {} leads nowhere; use #/$defs/… or an $anchor", excerpt(reference));
        problems.push(SchemaProblem::new(pointer, help));
    }
    for (pointer, reference) in graph.ambiguous.iter().take(10) {
        let help = format!("$ref {} may mean several parts: give each a name of its own", excerpt(reference));
        problems.push(SchemaProblem::new(pointer, help));
    }
    for pointer in graph.nested_dialects.iter().take(10) {
        problems.push(SchemaProblem::new(pointer, "a $schema further in names another dialect than that of the whole"));
    }
    for pointer in graph.nested_ids.iter().take(10) {
        let help = "an $id further in changes what references mean, unless it is a plain name of what refers to nothing; use $defs and #/$defs/… instead";
        problems.push(SchemaProblem::new(pointer, help));
    }
}

/// Schemas that come back to themselves without going into the value accept anything, or nothing.
fn pure_cycles(graph: &Graph<'_>, problems: &mut Vec<SchemaProblem>) {
    let component = graph.components(|e| e.step == Step::InPlace);
    let mut told = Vec::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        let back = |e: &super::graph::Edge<'_>| e.step == Step::InPlace && component[e.to] == component[index];
        if node.edges.iter().any(back) && !told.contains(&component[index]) {
            told.push(component[index]);
            let help = "refers to itself without going into the value, which checks nothing";
            problems.push(SchemaProblem::new(&node.pointer, help));
        }
    }
}

/// How many ways lead from the root to subschemas, each cycle walked once.
fn paths(graph: &Graph<'_>) -> u64 {
    let component = graph.components(|_| true);
    let mut ways = vec![0_u64; component.iter().max().map_or(0, |m| m + 1)];
    let mut nodes: Vec<usize> = (0..graph.nodes.len()).collect();
    // Components that others lead to have the lower numbers.
    nodes.sort_by_key(|n| component[*n]);
    for node in nodes {
        let own = component[node];
        let out = graph.nodes[node].edges.iter().filter(|e| component[e.to] != own).map(|e| ways[component[e.to]]);
        ways[own] = out.fold(ways[own].saturating_add(1), u64::saturating_add);
    }
    component.first().map_or(0, |root| ways[*root])
}

/// Finds recursive unions: where several alternatives go on into the same part of a value, and come back.
fn loops(graph: &Graph<'_>, cost: Cost) -> Admitted {
    let component = graph.components(|_| true);
    let count = component.iter().max().map_or(0, |m| m + 1);
    let most = Descents::of(graph, &component).most(&component, count);
    let (mut loops, mut conditions) = (Vec::new(), Vec::new());
    for (index, node) in graph.nodes.iter().enumerate().filter(|(i, _)| most[component[*i]] > 1) {
        let further = |e: &&super::graph::Edge<'_>| e.step != Step::InPlace && component[e.to] == component[index];
        loops.extend(node.edges.iter().filter(further).map(|e| graph.nodes[e.to].pointer.clone()));
        if node.schema.get("if").is_some() {
            conditions.push(node.pointer.clone());
        }
    }
    // To know what was evaluated, those at the same value are asked again, and once more.
    let asked = if graph.nodes.iter().any(|node| is_unevaluated(node.schema)) { 3 } else { 1 };
    let branching = most.into_iter().max().unwrap_or(1).max(1).saturating_mul(asked);
    Admitted { cost, loops, conditions, branching }
}

/// For each node: how often the same member or item is looked at further in within its component, all alternatives counted.
struct Descents {
    members: Vec<Option<u64>>,
    items: Vec<Option<u64>>,
}

impl Descents {
    fn of(graph: &Graph<'_>, component: &[usize]) -> Self {
        let n = graph.nodes.len();
        let mut counts = Self { members: vec![None; n], items: vec![None; n] };
        for node in 0..n {
            counts.visit(graph, component, node);
        }
        counts
    }

    /// Pure cycles have been refused, so this ends. Each frame is a node and the edge to look at next.
    fn visit(&mut self, graph: &Graph<'_>, component: &[usize], start: usize) {
        let mut path = if self.members[start].is_none() { vec![(start, 0)] } else { Vec::new() };
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            let own = component[node];
            let edges = &graph.nodes[node].edges;
            if let Some(next) = edges.get(*edge) {
                *edge += 1;
                if next.step == Step::InPlace && component[next.to] == own && self.members[next.to].is_none() {
                    path.push((next.to, 0));
                }
                continue;
            }
            path.pop();
            let inside = || edges.iter().filter(|e| component[e.to] == own);
            let in_place = || inside().filter(|e| e.step == Step::InPlace);
            let add = |known: &[Option<u64>]| in_place().filter_map(|e| known[e.to]).fold(0, u64::saturating_add);
            let count = |step: Step| inside().filter(|e| e.step == step).count() as u64;
            let members = add(&self.members)
                .saturating_add(count(Step::Member { shared: false }).min(1))
                .saturating_add(count(Step::Member { shared: true }));
            let items = add(&self.items)
                .saturating_add(count(Step::Item { shared: false }).min(1))
                .saturating_add(count(Step::Item { shared: true }));
            self.members[node] = Some(members);
            self.items[node] = Some(items);
        }
    }

    /// The most of each component.
    fn most(&self, component: &[usize], count: usize) -> Vec<u64> {
        let mut most = vec![0; count];
        for (node, own) in component.iter().enumerate() {
            let here = self.members[node].max(self.items[node]).unwrap_or(0);
            most[*own] = here.max(most[*own]);
        }
        most
    }
}
