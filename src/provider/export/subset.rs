//! Writes a schema in a subset of JSON Schema: what holds for every subset, by a table of rules.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    alternatives::flatten,
    keywords::{concerns, escaped, is_annotation, is_of, type_of, types},
    merge::{is_any, part_for},
    normal::{Normal, name_in},
    note::Notes,
    open::open,
    report::{LossKind, Losses},
    rules::{References, Rules},
    whole::only,
};

pub(super) type Schema = Map<String, Value>;

/// A schema, or why it cannot be said in the subset, with the pointer to what cannot.
pub(super) type Outcome = Result<Schema, String>;

/// Schemas written for one tool: as many as admission counts ways to them.
const MOST_NODES: usize = 10_000;

/// Writes one tool's parameters.
pub(super) struct Writer<'a> {
    pub(super) normal: &'a Normal,
    pub(super) rules: &'a Rules,
    pub(super) losses: &'a mut Losses,
    /// Definitions that the node being written is within; `None` is the root.
    path: Vec<Option<String>>,
    /// Definitions that are referred to, in the order in which they were met.
    wanted: Vec<String>,
    nodes: usize,
    depth: usize,
    levels: usize,
    bytes_left: usize,
    /// How often a definition may be within itself and be put in its place.
    again: usize,
    /// Set when the whole is too large: nothing is left out in order to go on.
    pub(super) exhausted: bool,
}

pub(super) fn fail(at: &str, reason: impl std::fmt::Display) -> String {
    format!("{}: {reason}", if at.is_empty() { "/" } else { at })
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        normal: &'a Normal,
        rules: &'a Rules,
        losses: &'a mut Losses,
        levels: usize,
        bytes: usize,
    ) -> Self {
        Self {
            normal,
            rules,
            losses,
            path: vec![None],
            wanted: Vec::new(),
            nodes: 0,
            depth: 0,
            levels,
            bytes_left: bytes,
            again: match rules.references {
                References::Inlined(times) => times,
                _ => 1,
            },
            exhausted: false,
        }
    }

    /// A writer that puts nothing into itself.
    pub(super) fn once(mut self) -> Self {
        self.again = 1;
        self
    }

    /// The whole of it. The root is an object, alternatives at it become one.
    pub(super) fn root(&mut self) -> Outcome {
        let opened = open(self.normal, self.normal.root.clone()).map_err(|e| fail("", e))?;
        let mut root = opened.map;
        let mut notes = Notes::default();
        for keyword in ["anyOf", "oneOf"] {
            let uneven = flatten(self.normal, &mut root, keyword, self.losses, &mut notes);
            if self.rules.all_required {
                self.nulls_can_stand(&uneven, &root, keyword)?;
            }
        }
        let mut out = self.kind(&root, "object", "", true)?;
        notes.write(&mut out);
        let mut defs = Schema::new();
        while let Some(name) = self.wanted.get(defs.len()).cloned() {
            self.path = vec![Some(name.clone())];
            let schema = self.normal.target(Some(&name)).unwrap_or_default();
            let pointer = self.normal.pointer(Some(&name));
            let schema = self.node(&schema, &pointer, false)?;
            defs.insert(name, Value::Object(schema));
        }
        if !defs.is_empty() {
            out.insert("$defs".to_owned(), Value::Object(defs));
        }
        Ok(out)
    }

    /// One schema. `alternative`: it is one of several, or will be.
    pub(super) fn node(&mut self, schema: &Value, at: &str, alternative: bool) -> Outcome {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            self.exhausted = true;
            return Err(fail(at, format!("more than {MOST_NODES} schemas, with references in place")));
        }
        if self.depth == self.levels {
            return Err(fail(at, format!("more than {} levels", self.levels)));
        }
        let nothing = Schema::new();
        let map = match schema {
            Value::Object(map) => map,
            Value::Bool(false) => return Err(fail(at, "nothing is valid here")),
            _ => &nothing,
        };
        self.depth += 1;
        let within = self.path.len();
        let out = self.resolved(map, at, alternative);
        self.path.truncate(within);
        self.depth -= 1;
        out
    }

    fn resolved(&mut self, map: &Schema, at: &str, alternative: bool) -> Outcome {
        if !map.contains_key("$ref") && !map.contains_key("allOf") {
            return self.opened(map, at);
        }
        let plain = only(map, &["$ref"]);
        let refers = map.contains_key("$ref");
        let kept = match self.rules.references {
            References::Kept => refers && plain,
            References::KeptOutsideAlternatives => refers && !alternative && map.len() == 1,
            References::Inlined(_) => false,
        };
        if kept {
            return Ok(self.reference(map, at));
        }
        let opened = open(self.normal, map.clone()).map_err(|e| fail(at, e))?;
        let from = opened.entered.first().map(|name| self.normal.pointer(name.as_deref()));
        for name in opened.entered {
            if self.path.iter().filter(|other| **other == name).count() >= self.again {
                return Err(fail(at, "it comes back to itself, and cannot be put in its own place"));
            }
            self.path.push(name);
        }
        match from {
            Some(pointer) if plain => self.opened(&opened.map, &pointer),
            _ => self.opened(&opened.map, at),
        }
    }

    fn reference(&mut self, map: &Schema, at: &str) -> Schema {
        let reference = map.get("$ref").cloned().unwrap_or_default();
        if let Some(name) = reference.as_str().and_then(name_in)
            && !self.wanted.iter().any(|wanted| wanted == name)
        {
            self.wanted.push(name.to_owned());
        }
        let target = json!({"$ref": reference});
        let mut out = Schema::new();
        self.words(map, &mut out, at).write(&mut out);
        match target {
            Value::Object(target) if out.is_empty() => target,
            // A reference has nothing beside it; one alternative is the same.
            target => {
                out.insert("anyOf".to_owned(), json!([target]));
                out
            }
        }
    }

    /// Title and description; the other words about the value become notes.
    pub(super) fn words(&mut self, map: &Schema, out: &mut Schema, at: &str) -> Notes {
        let mut notes = Notes::default();
        for (key, value) in map.iter().filter(|(key, _)| is_annotation(key)) {
            match (key.as_str(), value) {
                ("description", _) => _ = out.insert(key.clone(), value.clone()),
                ("title", _) if self.rules.titles => _ = out.insert(key.clone(), value.clone()),
                ("title", _) | (_, Value::Bool(false)) if key != "default" => {}
                (key, _) if self.rules.keep.contains(&key) => _ = out.insert(key.to_owned(), value.clone()),
                (key, value) => notes.take(self.losses, at, key, value),
            }
        }
        let text = out.get("description").and_then(Value::as_str).map_or(0, str::len);
        self.spend(text + 16);
        notes
    }

    /// Counts what is written, roughly. What is far beyond its budget is not written to its end.
    pub(super) fn spend(&mut self, bytes: usize) {
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => self.bytes_left = left,
            None => self.exhausted = true,
        }
    }

    /// A schema without references and `allOf`.
    fn opened(&mut self, map: &Schema, at: &str) -> Outcome {
        if self.exhausted {
            return Err(fail(at, "larger than the budget, with references in place"));
        }
        if map.get("not").is_some_and(is_any) {
            return Err(fail(at, "nothing is valid here"));
        }
        if let Some(keyword) = ["anyOf", "oneOf"].into_iter().find(|k| map.contains_key(*k)) {
            return self.alternatives(map, keyword, at);
        }
        let kinds = self.kinds(map, at);
        let null_fits = kinds.iter().any(|k| k == "null") && listed(map).is_none_or(|v| v.contains(&&Value::Null));
        let kinds: Vec<String> = kinds.into_iter().filter(|kind| kind != "null").collect();
        match &*kinds {
            [] if null_fits => Ok(Schema::from_iter([("type".to_owned(), json!("null"))])),
            [] => self.any(map, at),
            [kind] => {
                let out = self.kind(map, kind, at, false)?;
                Ok(if null_fits { self.or_null(out) } else { out })
            }
            several => {
                let mut rest = map.clone();
                rest.retain(|key, _| !is_annotation(key));
                let mut parts: Vec<Value> = several.iter().map(|kind| Value::Object(part_for(&rest, kind))).collect();
                if null_fits {
                    parts.push(json!({"type": "null"}));
                }
                let mut union: Schema =
                    map.iter().filter(|(key, _)| is_annotation(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
                union.insert("anyOf".to_owned(), Value::Array(parts));
                self.alternatives(&union, "anyOf", at)
            }
        }
    }

    /// The types that a value may have: as named, or else as its listed values have, or what its assertions speak of.
    fn kinds(&mut self, map: &Schema, at: &str) -> Vec<String> {
        let own = |kinds: Vec<&str>| {
            let whole_too = kinds.contains(&"number");
            let mut out: Vec<String> = Vec::new();
            for kind in kinds.into_iter().filter(|kind| !(whole_too && *kind == "integer")) {
                if !out.iter().any(|known| known == kind) {
                    out.push(kind.to_owned());
                }
            }
            out
        };
        if let Some(kinds) = types(map) {
            return own(kinds);
        }
        if let Some(values) = listed(map) {
            return own(values.into_iter().map(type_of).collect());
        }
        let mut spoken: Vec<&str> = map.keys().filter_map(|key| concerns(key)).collect();
        spoken.dedup();
        match &*spoken {
            [first, others @ ..] if others.iter().all(|kind| kind == first) => {
                let help = format!("no type is named: taken as {first}, as the other keywords speak of it");
                self.losses.add(at, "type", LossKind::Narrowed, help);
                vec![(*first).to_owned()]
            }
            _ => Vec::new(),
        }
    }

    /// Any value at all.
    fn any(&mut self, map: &Schema, at: &str) -> Outcome {
        if self.rules.strict {
            return Err(fail(at, "any value is taken here, and it has to have a type"));
        }
        self.losses.add(
            at,
            "type",
            LossKind::Narrowed,
            "any value is taken here: only texts, numbers, yes or no and null are left",
        );
        let mut out = Schema::new();
        self.words(map, &mut out, at).write(&mut out);
        out.insert("anyOf".to_owned(), json!([{"type": "string"}, {"type": "number"}, {"type": "boolean"}]));
        Ok(self.or_null(out))
    }

    /// Alternatives: each has what stands beside them, too.
    fn alternatives(&mut self, map: &Schema, keyword: &str, at: &str) -> Outcome {
        let mut rest = map.clone();
        rest.retain(|key, _| key != keyword && !is_annotation(key));
        let branches = map.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let (mut list, mut known, mut null_fits) = (Vec::new(), BTreeSet::new(), false);
        for (i, branch) in branches.iter().enumerate() {
            let branch = if rest.is_empty() { branch.clone() } else { json!({"allOf": [rest, branch]}) };
            let pointer = format!("{at}/{}/{i}", escaped(keyword));
            match self.node(&branch, &pointer, true) {
                Ok(node) if node.len() == 1 && node.get("type") == Some(&json!("null")) => null_fits = true,
                Ok(node) => {
                    let node = Value::Object(node);
                    if known.insert(node.to_string()) {
                        list.push(node);
                    }
                }
                Err(reason) if !self.rules.strict && !self.exhausted => {
                    let help = format!("this alternative is left out: {reason}");
                    self.losses.add(&pointer, keyword, LossKind::Narrowed, help);
                }
                Err(reason) => return Err(reason),
            }
        }
        if keyword == "oneOf" && list.len() > 1 {
            self.losses.add(at, keyword, LossKind::Widened, "written as anyOf: several may fit at once");
        }
        let mut words = Schema::new();
        self.words(map, &mut words, at).write(&mut words);
        let mut out = match list.pop() {
            None if null_fits => return Ok(Schema::from_iter([("type".to_owned(), json!("null"))])),
            None => return Err(fail(at, "no alternative is left")),
            Some(Value::Object(one)) if list.is_empty() && (words.is_empty() || !one.contains_key("$ref")) => one,
            Some(branch) => {
                list.push(branch);
                Schema::from_iter([("anyOf".to_owned(), Value::Array(list))])
            }
        };
        out.extend(words);
        Ok(if null_fits { self.or_null(out) } else { out })
    }
}

/// The values that a schema lists, those that its types exclude left out.
pub(super) fn listed(map: &Schema) -> Option<Vec<&Value>> {
    let values = match (map.get("const"), map.get("enum")) {
        (Some(one), _) => vec![one],
        (None, Some(Value::Array(values))) => values.iter().collect(),
        _ => return None,
    };
    let kinds = types(map);
    Some(values.into_iter().filter(|v| kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|k| is_of(v, k)))).collect())
}
