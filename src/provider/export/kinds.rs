//! One type of value in a subset of JSON Schema: objects, arrays, and the rest.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    bounds::tighten,
    keywords::{escaped, is_annotation, is_of, matters},
    merge::is_any,
    note::Notes,
    nulls::takes_null,
    report::LossKind,
    subset::{Outcome, Schema, Writer, fail, listed},
    unevaluated::looks_at_more,
};

/// What is dealt with by itself, or says nothing more once the type is known.
const DONE: [&str; 15] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "items",
    "prefixItems",
    "unevaluatedItems",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "$ref",
    "allOf",
];

/// Keywords that assert something. Others are unknown to JSON Schema.
const ASSERTIONS: [&str; 25] = [
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "contentEncoding",
];

impl Writer<'_> {
    /// A schema for values of one type, without references, `allOf` and alternatives.
    pub(super) fn kind(&mut self, map: &Schema, kind: &str, at: &str, root: bool) -> Outcome {
        let mut out = Schema::from_iter([("type".to_owned(), json!(kind))]);
        let mut notes = self.words(map, &mut out, at);
        self.values(map, kind, &mut out, &mut notes, at)?;
        for (key, value) in map {
            if DONE.contains(&key.as_str()) || is_annotation(key) || !matters(key, kind) {
                continue;
            }
            let taken = match key.as_str() {
                "format" => {
                    let formats = self.rules.formats.iter().find(|(own, _)| *own == kind).map(|(_, list)| *list);
                    value.as_str().is_some_and(|format| formats.is_some_and(|list| list.contains(&format)))
                }
                "pattern" => {
                    let text = value.as_str().unwrap_or_default();
                    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
                    let rich = has(&["(?=", "(?!", "(?<"])
                        || (!self.rules.rich_patterns && has(&["\\b", "\\B", "\\p", "\\P"]));
                    self.rules.keep.contains(&"pattern") && !rich
                }
                "minItems" if self.rules.only_small_min_items => value.as_u64().is_some_and(|n| n < 2),
                key => self.rules.keep.contains(&key),
            };
            if taken {
                tighten(&mut out, key, value.clone());
            } else if matches!(key.as_str(), "exclusiveMinimum" | "exclusiveMaximum")
                && self.rules.keep.contains(&"minimum")
            {
                self.exclusive(key, value, kind, &mut out, at);
            } else if ASSERTIONS.contains(&key.as_str()) || key == "contentMediaType" {
                notes.take(self.losses, at, key, value);
            } else {
                self.losses.add(at, key, LossKind::Dropped, "not a keyword that the format knows");
            }
        }
        match kind {
            "object" => self.members(map, &mut out, at, root)?,
            "array" => self.items(map, &mut out, at)?,
            _ => {}
        }
        notes.write(&mut out);
        Ok(out)
    }

    /// The values that are listed.
    fn values(
        &mut self,
        map: &Schema,
        kind: &str,
        out: &mut Schema,
        notes: &mut Notes,
        at: &str,
    ) -> Result<(), String> {
        let Some(values) = listed(map) else { return Ok(()) };
        let fit: Vec<&Value> = values.into_iter().filter(|v| is_of(v, kind)).collect();
        let keyword = if map.contains_key("const") { "const" } else { "enum" };
        let scalar = !matches!(kind, "object" | "array");
        let whole = map.get(keyword).unwrap_or(&Value::Null);
        self.spend(whole.to_string().len());
        if self.rules.strict && (fit.is_empty() || !scalar) {
            return Err(fail(at, format!("{keyword}: only lists of texts, numbers and the like can be said")));
        }
        if self.rules.enums_of_all {
            out.insert("enum".to_owned(), json!(fit));
            return Ok(());
        }
        let texts: Vec<&Value> =
            fit.iter().filter(|v| v.as_str().is_some_and(|text| !text.is_empty())).copied().collect();
        match (&*fit, kind) {
            (_, "string") if !texts.is_empty() => {
                if texts.len() < fit.len() {
                    self.losses.add(at, keyword, LossKind::Narrowed, "the empty text cannot be listed");
                }
                out.insert("enum".to_owned(), json!(texts));
            }
            ([one], "integer" | "number") => {
                tighten(out, "minimum", (*one).clone());
                tighten(out, "maximum", (*one).clone());
            }
            _ => notes.take(self.losses, at, keyword, whole),
        }
        Ok(())
    }

    fn members(&mut self, map: &Schema, out: &mut Schema, at: &str, root: bool) -> Result<(), String> {
        let nothing = Schema::new();
        let properties = map.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
        let said = map.get("additionalProperties").or_else(|| map.get("unevaluatedProperties"));
        self.rest(map, properties.is_empty(), said, at, root)?;
        let unevaluated = !map.contains_key("additionalProperties") && map.contains_key("unevaluatedProperties");
        if self.rules.strict && unevaluated && looks_at_more(map, properties) {
            let help = "members that only a condition declares were taken, and no more are";
            self.losses.add(at, "unevaluatedProperties", LossKind::Narrowed, help);
        }
        let names: Vec<&str> =
            map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let required: BTreeSet<&str> = names.iter().copied().collect();
        let mut written = Schema::new();
        for (name, schema) in properties {
            let pointer = format!("{at}/properties/{}", escaped(name));
            let needed = required.contains(name.as_str());
            if !needed && (*schema == json!({"not": {}}) || *schema == json!(false)) {
                continue;
            }
            self.spend(name.len());
            match self.member(name, schema, needed, &pointer) {
                Ok(node) => _ = written.insert(name.clone(), Value::Object(node)),
                Err(reason) if !self.rules.strict && !needed && !self.exhausted => {
                    self.losses.add(&pointer, "properties", LossKind::Narrowed, format!("left out: {reason}"));
                }
                Err(reason) => return Err(reason),
            }
        }
        for name in names.iter().filter(|name| !properties.contains_key(**name)) {
            let pointer = format!("{at}/required");
            let any = self.member(name, &json!({}), true, &pointer)?;
            written.insert((*name).to_owned(), Value::Object(any));
        }
        if written.is_empty() && !root && !self.rules.empty_objects {
            return Err(fail(at, "an object without properties"));
        }
        let needed: Vec<&String> =
            written.keys().filter(|name| self.rules.all_required || required.contains(name.as_str())).collect();
        if !needed.is_empty() || self.rules.strict {
            out.insert("required".to_owned(), json!(needed));
        }
        out.insert("properties".to_owned(), Value::Object(written));
        if self.rules.strict {
            out.insert("additionalProperties".to_owned(), json!(false));
        }
        Ok(())
    }

    /// What is said of members that are not listed.
    fn rest(&mut self, map: &Schema, none: bool, said: Option<&Value>, at: &str, root: bool) -> Result<(), String> {
        let patterns = map.get("patternProperties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
        let closed = said == Some(&json!(false)) || said == Some(&json!({"not": {}}));
        let schema = said.is_some_and(|said| !closed && !is_any(said));
        let mut lost = |kind, help: &str| self.losses.add(at, "additionalProperties", kind, help);
        if self.rules.strict {
            if patterns || schema || (none && !closed && !(root && said.is_none())) {
                return Err(fail(at, "a map: it takes members of any name"));
            }
            if !closed {
                lost(LossKind::Narrowed, "members that are not listed were taken, and no more are");
            }
        } else if patterns || schema {
            if none && !root {
                return Err(fail(at, "a map: it takes members of any name"));
            }
            lost(LossKind::Narrowed, "what members of other names hold cannot be said");
        } else if closed {
            lost(LossKind::Widened, "an object cannot be closed");
        } else if none && !root {
            return Err(fail(at, "a map: it takes members of any name"));
        }
        Ok(())
    }

    fn member(&mut self, name: &str, schema: &Value, needed: bool, at: &str) -> Outcome {
        if !(self.rules.property_name)(name) {
            return Err(fail(at, format!("the name {name:?} is not taken")));
        }
        let optional = !needed && self.rules.all_required;
        let node = self.node(schema, at, optional)?;
        if !optional {
            return Ok(node);
        }
        if takes_null(self.normal, &node) {
            let help = "null was a value of its own, and now stands for what is left out";
            self.losses.add(at, "required", LossKind::Narrowed, help);
            return Ok(node);
        }
        self.losses.add(at, "required", LossKind::Rewritten, "optional: null stands for what is left out");
        Ok(self.or_null(node))
    }

    fn items(&mut self, map: &Schema, out: &mut Schema, at: &str) -> Result<(), String> {
        let first = map.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let rest = map.get("items").or_else(|| map.get("unevaluatedItems"));
        let none = json!({"not": {}});
        let closed = rest.is_some_and(|rest| *rest == none || *rest == json!(false));
        let most = map.get("maxItems").and_then(Value::as_u64);
        let full = closed || most.is_some_and(|most| most <= first.len() as u64);
        let anything = json!({});
        if first.is_empty() {
            if closed {
                return Err(fail(at, "an array that is always empty"));
            }
            let items = self.node(rest.unwrap_or(&anything), &format!("{at}/items"), false)?;
            out.insert("items".to_owned(), Value::Object(items));
            return Ok(());
        }
        self.losses.add(at, "prefixItems", LossKind::Widened, "every item may be what any of them is");
        let (mut choice, mut known) = (Vec::new(), BTreeSet::new());
        for schema in first.iter().chain(rest.filter(|rest| !full && !is_any(rest))) {
            if known.insert(schema.to_string()) {
                choice.push(schema);
            }
        }
        if !full && rest.is_none_or(is_any) {
            let help = "any further items were taken; they have to be what one of the first ones is";
            self.losses.add(at, "prefixItems", LossKind::Narrowed, help);
        }
        let items = match &*choice {
            [one] => (*one).clone(),
            several => json!({"anyOf": several}),
        };
        let items = self.node(&items, &format!("{at}/prefixItems"), false)?;
        out.insert("items".to_owned(), Value::Object(items));
        if closed && most.is_none_or(|most| most > first.len() as u64) && self.rules.keep.contains(&"maxItems") {
            out.insert("maxItems".to_owned(), json!(first.len()));
        }
        Ok(())
    }
}
