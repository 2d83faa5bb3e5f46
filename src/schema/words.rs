//! One violation in words that a model can act on: where, what was expected, and what there was.

use std::{cell::Cell, collections::HashSet};

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    graph::Graph,
    limits::{EXCERPT_BYTES, MAX_VIOLATIONS},
    near::Near,
    place::{Place, Places},
    problem::excerpt,
};
use crate::{
    arguments::kind,
    cut::cut,
    pointer::{escaped, unescaped},
};

/// Bytes of a schema's own words that one violation repeats.
const LISTED_BYTES: usize = 300;
/// Bytes of a pointer in a message.
const POINTER_BYTES: usize = 512;

/// One violation: where, and what. The place may be the value as a whole.
pub(super) type Told = (String, String);

/// Puts the violations of one value into words.
pub(super) struct Words<'g> {
    pub(super) places: Places<'g>,
    pub(super) near: Near,
    /// Whether values may be quoted where the schema does not say otherwise.
    pub(super) quote: bool,
    /// How many more violations are told.
    pub(super) left: Cell<usize>,
    /// Where the value lies that is explained.
    within: Vec<String>,
}

impl<'g> Words<'g> {
    pub(super) fn new(graph: &'g Graph<'g>, quote: bool, within: Vec<String>) -> Self {
        Self { places: Places::new(graph), near: Near::new(), quote, left: Cell::new(MAX_VIOLATIONS), within }
    }

    /// The steps to the value that a violation is about.
    pub(super) fn steps(&self, error: &ValidationError<'_>) -> Vec<String> {
        let mut path = self.within.clone();
        path.extend(error.instance_path().as_str().split('/').skip(1).map(unescaped));
        path
    }

    /// Tells of one violation, `unions` of which lie around it.
    pub(super) fn tell(&self, error: &ValidationError<'_>, unions: usize) -> Told {
        let mut error = error;
        let (mut path, mut place) = self.here(error);
        while let Some(inner) = self.further_in(error, &path, &place) {
            error = inner;
            (path, place) = self.here(error);
        }
        self.left.set(self.left.get().saturating_sub(1));
        let what = self.what(error, &path, &place, unions);
        (pointer(&path, &place), what)
    }

    fn here(&self, error: &ValidationError<'_>) -> (Vec<String>, Place<'g>) {
        let path = self.steps(error);
        let place = self.places.at(&path);
        (path, place)
    }

    fn what(&self, error: &ValidationError<'_>, path: &[String], place: &Place<'g>, unions: usize) -> String {
        let value = error.instance().as_ref();
        let got = || self.got(place, value);
        let size = |count: usize| if self.hides(place) { String::new() } else { format!(", got {count}") };
        let items = || size(value.as_array().map_or(0, Vec::len));
        let members = || size(value.as_object().map_or(0, serde_json::Map::len));
        let letters = || size(value.as_str().map_or(0, |text| text.chars().count()));
        match error.kind() {
            Kind::Required { property } => self.missing(property.as_str().unwrap_or_default(), place, value),
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                self.unexpected(unexpected, place, value)
            }
            Kind::Type { kind: wanted } => self.wrong_type(&names(wanted), place, value) + self.way_out(path, value),
            Kind::Enum { options } => {
                let options: Vec<&Value> = options.as_array().map(|o| o.iter().collect()).unwrap_or_default();
                self.none_of(&options, &[], place, value)
            }
            Kind::Constant { expected_value } => self.none_of(&[expected_value], &[], place, value),
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.no_alternative(error, context, path, place, unions)
            }
            Kind::OneOfMultipleValid { context } => {
                let fitting = context.iter().enumerate().filter(|(_, errors)| errors.is_empty());
                let fitting: Vec<String> = fitting.take(MAX_VIOLATIONS).map(|(i, _)| (i + 1).to_string()).collect();
                let which = fitting.join(", ");
                format!("fits more than one of the alternatives that exclude each other: {which}")
            }
            Kind::Minimum { limit } => format!("expected at least {}, got {}", number(limit), got()),
            Kind::Maximum { limit } => format!("expected at most {}, got {}", number(limit), got()),
            Kind::ExclusiveMinimum { limit } => format!("expected more than {}, got {}", number(limit), got()),
            Kind::ExclusiveMaximum { limit } => format!("expected less than {}, got {}", number(limit), got()),
            Kind::MultipleOf { multiple_of } => {
                format!("expected a multiple of {}, got {}", cut(&multiple_of.to_string(), EXCERPT_BYTES), got())
            }
            Kind::MinLength { limit } => format!("expected at least {}{}", many(*limit, "character"), letters()),
            Kind::MaxLength { limit } => format!("expected at most {}{}", many(*limit, "character"), letters()),
            Kind::MinItems { limit } => format!("expected at least {}{}", many(*limit, "item"), items()),
            Kind::MaxItems { limit } => format!("expected at most {}{}", many(*limit, "item"), items()),
            Kind::AdditionalItems { limit } => format!("expected at most {}{}", many(*limit as u64, "item"), items()),
            Kind::UnevaluatedItems { .. } => "unexpected items".to_owned(),
            Kind::MinProperties { limit } => format!("expected at least {}{}", properties(*limit), members()),
            Kind::MaxProperties { limit } => format!("expected at most {}{}", properties(*limit), members()),
            Kind::Pattern { pattern } => {
                let pattern = cut(pattern, LISTED_BYTES);
                format!("expected text that matches {pattern:?}, got {}", got())
            }
            Kind::UniqueItems => "expected items that differ, got some twice".to_owned(),
            Kind::Contains => "expected an item of the kind that \"contains\" asks for".to_owned(),
            Kind::FalseSchema => {
                // Told of the object, with the value of a member.
                let keyword = error.schema_path().as_str();
                let closed = keyword.ends_with("/additionalProperties")
                    && !keyword.ends_with("/properties/additionalProperties");
                if closed { "takes no properties".to_owned() } else { "nothing is allowed here".to_owned() }
            }
            Kind::Not { schema } => format!("must not fit {}", listed(&[schema])),
            Kind::PropertyNames { error } => self.wrong_name(error, place),
            // What is left is not asserted, or cannot be on this engine.
            other => format!("does not fit {:?}", other.keyword()),
        }
    }

    /// Whether the value at a place is kept out of messages.
    pub(super) fn hides(&self, place: &Place<'_>) -> bool {
        place.secret || !self.quote
    }

    /// A value as it may be shown: a scalar as it is, cut; a container, or what is kept to itself, as its kind.
    pub(super) fn got(&self, place: &Place<'_>, value: &Value) -> String {
        match value {
            _ if self.hides(place) => kind(value).to_owned(),
            Value::String(text) => excerpt(text),
            Value::Number(number) => cut(&number.to_string(), EXCERPT_BYTES).to_owned(),
            Value::Bool(_) | Value::Null => value.to_string(),
            Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        }
    }

    pub(super) fn missing(&self, property: &str, place: &Place<'_>, value: &Value) -> String {
        let unknown = || {
            let declared: HashSet<&str> = place.names().collect();
            let names = value.as_object().into_iter().flat_map(|map| map.keys().map(String::as_str));
            self.near.nearest(property, names.filter(move |name| !declared.contains(*name)))
        };
        match if place.secret { None } else { unknown() } {
            Some(name) => ["missing ", &excerpt(property), " (did you mean it by ", &excerpt(name), "?)"].concat(),
            None => ["missing ", &excerpt(property)].concat(),
        }
    }

    pub(super) fn unexpected(&self, unexpected: &[String], place: &Place<'_>, value: &Value) -> String {
        if place.secret {
            // The names are part of the value.
            return format!("unexpected {}", properties(unexpected.len() as u64));
        }
        let hint = |name: &str| {
            let free = place.names().filter(|known| value.get(*known).is_none());
            self.near.nearest(name, free)
        };
        if let [name] = unexpected {
            return match hint(name) {
                Some(meant) => format!("unexpected {}; did you mean {}?", excerpt(name), excerpt(meant)),
                None => format!("unexpected {}", excerpt(name)),
            };
        }
        let told = unexpected.iter().take(MAX_VIOLATIONS).map(|name| match hint(name) {
            Some(meant) => format!("{} (did you mean {}?)", excerpt(name), excerpt(meant)),
            None => excerpt(name),
        });
        let told: Vec<String> = told.collect();
        let more = if unexpected.len() > told.len() { " and more" } else { "" };
        format!("unexpected {}{more}", told.join(", "))
    }

    /// The name of a member is the value that this violation looks at.
    fn wrong_name(&self, error: &ValidationError<'_>, place: &Place<'g>) -> String {
        let why = self.what(error, &[], place, usize::MAX);
        match error.instance().as_str() {
            Some(name) if !place.secret => format!("the name {} is not allowed: {why}", excerpt(name)),
            _ => "one of its names is not allowed".to_owned(),
        }
    }

    /// For a mistaken type the kind of what there was counts; the value is quoted where another spelling would do.
    pub(super) fn wrong_type(&self, wanted: &[String], place: &Place<'_>, value: &Value) -> String {
        let is_wanted = |name: &str| wanted.iter().any(|w| w == name);
        let expected = wanted.join(" or ");
        let scalar = ["integer", "number", "boolean", "null"].into_iter().any(is_wanted);
        match value {
            Value::String(text) => {
                let start = text.trim_start();
                let inside =
                    (start.starts_with('[') && is_wanted("array")) || (start.starts_with('{') && is_wanted("object"));
                let hint = if inside { "; send the JSON directly, not inside a string" } else { "" };
                let quoted = if scalar && !inside && !self.hides(place) {
                    ["the string ", &excerpt(text)].concat()
                } else {
                    kind(value).to_owned()
                };
                ["expected ", &expected, ", got ", &quoted, hint].concat()
            }
            Value::Number(_) if is_wanted("integer") => {
                ["expected ", &expected, ", got ", &self.got(place, value)].concat()
            }
            _ => ["expected ", &expected, ", got ", kind(value)].concat(),
        }
    }

    /// What to do about a null that stands for a member which may be left out.
    fn way_out(&self, path: &[String], value: &Value) -> &'static str {
        let Some((name, around)) = path.split_last().filter(|_| value.is_null()) else { return "" };
        let around = self.places.at(around);
        let schemas = || around.nodes.iter().map(|node| self.places.graph.nodes[*node].schema);
        let declares = |schema: &Value| schema.get("properties").is_some_and(|p| p.get(name).is_some());
        let requires = |schema: &Value| {
            schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n == name))
        };
        if schemas().any(declares) && !schemas().any(requires) { "; leave it out" } else { "" }
    }

    /// A value that is none of `options`, and of none of the types `or`.
    pub(super) fn none_of(&self, options: &[&Value], or: &[String], place: &Place<'_>, value: &Value) -> String {
        let one_of = if options.len() > 1 { "one of " } else { "" };
        let or = or.iter().fold(String::new(), |out, name| out + " or " + name);
        let texts = options.iter().filter_map(|o| o.as_str());
        let meant = value.as_str().filter(|_| !self.hides(place)).and_then(|text| self.near.nearest(text, texts));
        let hint = meant.map(|m| format!("; did you mean {}?", excerpt(m))).unwrap_or_default();
        format!("expected {one_of}{}{or}, got {}{hint}", listed(options), self.got(place, value))
    }
}

/// A pointer as it may be shown. Within a value that is kept to itself, only names are that the schema declares.
pub(super) fn pointer(path: &[String], place: &Place<'_>) -> String {
    let mut out = String::new();
    for (i, step) in path.iter().enumerate() {
        out.push('/');
        if i >= place.open && !place.declared.get(i).copied().unwrap_or(false) {
            out.push('…');
            return out;
        }
        out.push_str(&escaped(step));
        if out.len() > POINTER_BYTES {
            return format!("{}…", cut(&out, POINTER_BYTES));
        }
    }
    out
}

pub(super) fn names(wanted: &TypeKind) -> Vec<String> {
    match wanted {
        TypeKind::Single(one) => vec![one.as_str().to_owned()],
        TypeKind::Multiple(set) => set.iter().map(|one| one.as_str().to_owned()).collect(),
    }
}

/// The schema's own values, cut.
pub(super) fn listed(values: &[&Value]) -> String {
    let mut out = String::new();
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&value.to_string());
        if out.len() > LISTED_BYTES {
            return format!("{}…", cut(&out, LISTED_BYTES));
        }
    }
    out
}

fn number(limit: &Value) -> String {
    cut(&limit.to_string(), EXCERPT_BYTES).to_owned()
}

pub(super) fn many(count: u64, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "property") => format!("{count} properties"),
        _ => format!("{count} {what}s"),
    }
}

fn properties(count: u64) -> String {
    many(count, "property")
}
