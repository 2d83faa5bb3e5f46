//! Alternatives at the root, where providers do not take them: one object that accepts what any of them does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    keywords::{escaped, types},
    merge::is_any,
    normal::Normal,
    note::Notes,
    open::open,
    report::{LossKind, Losses},
    unevaluated::lists_all,
};

type Schema = Map<String, Value>;

/// Schemas for one property. Where there are more, anything is accepted.
const FEW: usize = 64;
/// Alternatives within alternatives. Further in, anything is accepted.
const LEVELS: usize = 8;

/// Where alternatives differ in what they say of members.
#[derive(Debug, Default)]
pub(super) struct Uneven {
    /// What some of them declare, and another is closed to.
    pub(super) partial: BTreeSet<String>,
    /// What they say different things of.
    pub(super) mixed: BTreeSet<String>,
    /// What some of them require.
    pub(super) demanded: BTreeSet<String>,
}

/// Takes the alternatives of `keyword` into `root`, which has no reference and no `allOf`: the properties of all of them,
/// required where all of them require them.
/// Short ones are noted, too, as they were.
pub(super) fn flatten(
    normal: &Normal,
    root: &mut Schema,
    keyword: &str,
    losses: &mut Losses,
    notes: &mut Notes,
) -> Uneven {
    let mut uneven = Uneven::default();
    let Some(said) = root.get(keyword).cloned() else { return uneven };
    flatten_at(normal, root, keyword, losses, &mut uneven, 0);
    // What they refer to would mean nothing in a description.
    if !said.to_string().contains("\"$ref\"") {
        notes.add(keyword, &said);
    }
    uneven
}

/// Whether all members are known that the alternatives may look at.
fn flatten_at(
    normal: &Normal,
    root: &mut Schema,
    keyword: &str,
    losses: &mut Losses,
    uneven: &mut Uneven,
    level: usize,
) -> bool {
    let Some(Value::Array(branches)) = root.shift_remove(keyword) else { return true };
    let (branches, mut known) = opened(normal, branches, losses, uneven, level);
    let help = "alternatives at the root are not taken: their properties are those of one object";
    losses.add("", keyword, LossKind::Widened, help);
    let closed = |branch: &Schema| {
        branch.get("additionalProperties") == Some(&json!(false)) && !branch.contains_key("patternProperties")
    };
    let is_shut = |map: &Schema| {
        ["additionalProperties", "unevaluatedProperties"].iter().any(|k| map.get(*k).is_some_and(|rest| !is_any(rest)))
    };
    let root_shut = is_shut(root);
    let shut = |branch: &Schema| root_shut || is_shut(branch);
    let all_closed = !branches.is_empty() && branches.iter().all(closed);
    known &= branches.iter().all(|branch| closed(branch) || lists_all(branch));
    if !known && root.shift_remove("unevaluatedProperties").is_some() {
        let help = "what the alternatives look at cannot be listed: members of any name are taken";
        losses.add("", "unevaluatedProperties", LossKind::Widened, help);
    }
    let may_add = !closed(root);
    let mut properties = match root.shift_remove("properties") {
        Some(Value::Object(own)) => own,
        _ => Schema::new(),
    };
    if may_add {
        let open = branches.iter().filter(|branch| !closed(branch)).count();
        let shut_ones = branches.iter().filter(|branch| shut(branch)).count();
        for (name, said) in members(&branches, &properties, closed, shut) {
            if said.by_shut_ones < shut_ones {
                uneven.partial.insert(name.clone());
            }
            if said.schemas.len() > 1 {
                uneven.mixed.insert(name.clone());
            }
            let schema = if said.schemas.len() > FEW || said.schemas.iter().any(|schema| is_any(schema)) {
                json!({})
            } else if said.by_open_ones < open {
                let pointer = format!("/properties/{}", escaped(&name));
                let help = "one alternative takes any value here, the others do not";
                losses.add(&pointer, keyword, LossKind::Narrowed, help);
                any_of(&said.schemas)
            } else {
                any_of(&said.schemas)
            };
            properties.insert(name, schema);
        }
    }
    root.insert("properties".to_owned(), Value::Object(properties));
    if all_closed && may_add && !root.contains_key("patternProperties") {
        root.insert("additionalProperties".to_owned(), json!(false));
    }
    require_what_all_require(root, &branches, uneven);
    known
}

/// What alternatives say of one property.
#[derive(Default)]
struct Said<'a> {
    schemas: Vec<&'a Value>,
    by_open_ones: usize,
    by_shut_ones: usize,
}

fn any_of(schemas: &[&Value]) -> Value {
    match schemas {
        [one] => (*one).clone(),
        several => json!({"anyOf": several}),
    }
}

/// The properties of all alternatives that the root does not have, in their order.
fn members<'a>(
    branches: &'a [Schema],
    own: &Schema,
    closed: impl Fn(&Schema) -> bool,
    shut: impl Fn(&Schema) -> bool,
) -> Vec<(String, Said<'a>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out: Vec<(String, Said<'a>)> = Vec::new();
    for branch in branches {
        let (open, shut) = (usize::from(!closed(branch)), usize::from(shut(branch)));
        for (name, schema) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if own.contains_key(name) {
                continue;
            }
            let at = *places.entry(name).or_insert_with(|| {
                out.push((name.clone(), Said::default()));
                out.len() - 1
            });
            let said = &mut out[at].1;
            said.by_open_ones += open;
            said.by_shut_ones += shut;
            if said.schemas.len() <= FEW && !said.schemas.contains(&schema) {
                said.schemas.push(schema);
            }
        }
    }
    out
}

fn require_what_all_require(root: &mut Schema, branches: &[Schema], uneven: &mut Uneven) {
    let names =
        |map: &Schema| -> Vec<Value> { map.get("required").and_then(Value::as_array).cloned().unwrap_or_default() };
    let mut required = names(root);
    let mut known: BTreeSet<String> = required.iter().map(Value::to_string).collect();
    let mut by_all: Option<BTreeSet<String>> = None;
    for branch in branches {
        let own = names(branch);
        uneven.demanded.extend(own.iter().filter_map(Value::as_str).map(str::to_owned));
        let own: BTreeSet<String> = own.iter().map(Value::to_string).collect();
        by_all = Some(by_all.map_or_else(|| own.clone(), |all| all.intersection(&own).cloned().collect()));
    }
    let by_all = by_all.unwrap_or_default();
    let first = branches.first().map(names).unwrap_or_default();
    required
        .extend(first.into_iter().filter(|name| by_all.contains(&name.to_string()) && known.insert(name.to_string())));
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
}

/// The alternatives that an object can fit, each as one object, and whether all are told so. One that cannot be accepts any.
fn opened(
    normal: &Normal,
    all: Vec<Value>,
    losses: &mut Losses,
    uneven: &mut Uneven,
    level: usize,
) -> (Vec<Schema>, bool) {
    let (mut out, mut known) = (Vec::new(), true);
    for each in all {
        let Value::Object(each) = each else { continue };
        let mut branch = match open(normal, each) {
            Ok(opened) if level < LEVELS => opened.map,
            // It accepts more than it did, which is what the whole is reported as.
            _ => {
                known = false;
                Schema::new()
            }
        };
        let kinds = types(&branch);
        if kinds.is_some_and(|kinds| !kinds.contains(&"object")) || branch.get("not").is_some_and(is_any) {
            continue;
        }
        for keyword in ["anyOf", "oneOf"] {
            if branch.contains_key(keyword) {
                known &= flatten_at(normal, &mut branch, keyword, losses, uneven, level + 1);
            }
        }
        out.push(branch);
    }
    (out, known)
}
