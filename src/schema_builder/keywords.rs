//! What can be said of a schema's values.

use serde_json::Value;

use super::{Kind, Schema};
use crate::pointer::escaped;
use crate::schema::dismantle;

const NUMERIC: &[Kind] = &[Kind::Number, Kind::Integer];

/// Of every schema.
impl Schema {
    /// What it is, for the model.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.with("description", text.into())
    }

    /// A short name for it.
    #[must_use]
    pub fn title(self, text: impl Into<String>) -> Self {
        self.with("title", text.into())
    }

    /// What is meant where it is left out. For the model to read: nothing is filled in.
    #[must_use]
    pub fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }

    /// Values that show what is meant. For the model to read.
    #[must_use]
    pub fn examples<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.with("examples", values)
    }

    /// One of these values.
    #[must_use]
    pub fn enum_values<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.with("enum", values)
    }

    /// This value, and no other.
    #[must_use]
    pub fn constant(self, value: impl Into<Value>) -> Self {
        self.with("const", value)
    }

    /// It must not be repeated: no message quotes what was sent in its place.
    #[must_use]
    pub fn write_only(self) -> Self {
        self.with("writeOnly", true)
    }

    fn with(mut self, keyword: &'static str, value: impl Into<Value>) -> Self {
        self.put(keyword, value.into());
        self
    }

    /// The keyword, where it means something; else a mistake.
    fn with_on(mut self, kinds: &[Kind], whose: &str, keyword: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if kinds.contains(&self.kind) || self.kind == Kind::Raw {
            self.put(keyword, value);
        } else {
            dismantle(value);
            self.mistake(format!("/{keyword}"), format!("is for {whose}, and this is {}", self.kind.noun()));
        }
        self
    }
}

/// Of numbers and integers.
impl Schema {
    /// It is this or more.
    #[must_use]
    pub fn minimum(self, bound: impl Into<Value>) -> Self {
        self.bound("minimum", bound)
    }

    /// It is this or less.
    #[must_use]
    pub fn maximum(self, bound: impl Into<Value>) -> Self {
        self.bound("maximum", bound)
    }

    /// It is more than this.
    #[must_use]
    pub fn exclusive_minimum(self, bound: impl Into<Value>) -> Self {
        self.bound("exclusiveMinimum", bound)
    }

    /// It is less than this.
    #[must_use]
    pub fn exclusive_maximum(self, bound: impl Into<Value>) -> Self {
        self.bound("exclusiveMaximum", bound)
    }

    /// It is this number times an integer.
    #[must_use]
    pub fn multiple_of(self, number: impl Into<Value>) -> Self {
        self.bound("multipleOf", number)
    }

    fn bound(mut self, keyword: &'static str, bound: impl Into<Value>) -> Self {
        let bound = bound.into();
        if bound.is_number() {
            return self.with_on(NUMERIC, "numbers and integers", keyword, bound);
        }
        // What is not finite is `null` in JSON.
        let got = if bound.is_null() { "must be a finite number" } else { "must be a number" };
        dismantle(bound);
        self.mistake(format!("/{keyword}"), got);
        self
    }
}

/// Of strings.
impl Schema {
    /// It has at least so many characters.
    #[must_use]
    pub fn min_length(self, characters: usize) -> Self {
        self.with_on(&[Kind::String], "strings", "minLength", characters)
    }

    /// It has at most so many characters.
    #[must_use]
    pub fn max_length(self, characters: usize) -> Self {
        self.with_on(&[Kind::String], "strings", "maxLength", characters)
    }

    /// This regular expression matches in it; no look-around, no back-references.
    #[must_use]
    pub fn pattern(self, regex: impl Into<String>) -> Self {
        self.with_on(&[Kind::String], "strings", "pattern", regex.into())
    }

    /// What form it has, such as `date-time` or `uri`. For the model to read: it is not checked. What has the format
    /// `password` is repeated in no message.
    #[must_use]
    pub fn format(self, name: impl Into<String>) -> Self {
        self.with_on(&[Kind::String], "strings", "format", name.into())
    }
}

/// Of arrays.
impl Schema {
    /// It has at least so many items.
    #[must_use]
    pub fn min_items(self, items: usize) -> Self {
        self.with_on(&[Kind::Array], "arrays", "minItems", items)
    }

    /// It has at most so many items.
    #[must_use]
    pub fn max_items(self, items: usize) -> Self {
        self.with_on(&[Kind::Array], "arrays", "maxItems", items)
    }

    /// No two of its items are equal.
    #[must_use]
    pub fn unique_items(self) -> Self {
        self.with_on(&[Kind::Array], "arrays", "uniqueItems", true)
    }
}

/// Of objects.
impl Schema {
    /// It has a member `name`.
    #[must_use]
    pub fn required(self, name: impl Into<String>, schema: impl Into<Schema>) -> Self {
        self.property(name.into(), schema.into(), true)
    }

    /// It may have a member `name`. `null` is no absence: where models send it, let it through with
    /// `Schema::any_of([.., Schema::null()])`.
    #[must_use]
    pub fn optional(self, name: impl Into<String>, schema: impl Into<Schema>) -> Self {
        self.property(name.into(), schema.into(), false)
    }

    /// What other members are like than those declared. `false`: there are none. Unsaid: anything.
    #[must_use]
    pub fn additional_properties(mut self, schema: impl Into<Schema>) -> Self {
        let value = self.taken(schema.into(), "additionalProperties", None);
        self.with_on(&[Kind::Object], "objects", "additionalProperties", value)
    }

    fn property(mut self, name: String, schema: Schema, required: bool) -> Self {
        let at = format!("/properties/{}", escaped(&name));
        if !matches!(self.kind, Kind::Object | Kind::Raw) {
            self.mistake(at, format!("only an object has properties, and this is {}", self.kind.noun()));
            return self;
        }
        let value = self.taken(schema, "properties", Some(&name));
        let Some(properties) = self.list("properties", || Value::Object(serde_json::Map::new())) else {
            dismantle(value);
            self.mistake(at, "properties are no object here");
            return self;
        };
        match properties.as_object_mut() {
            Some(map) if !map.contains_key(&name) => _ = map.insert(name.clone(), value),
            declared => {
                let message = if declared.is_some() { "declared twice" } else { "properties are no object here" };
                dismantle(value);
                self.mistake(at, message);
                return self;
            }
        }
        if required && let Some(Value::Array(names)) = self.list("required", || Value::Array(Vec::new())) {
            names.push(Value::String(name));
        }
        self
    }

    /// The value of a keyword, made first if there is none.
    fn list(&mut self, keyword: &str, empty: fn() -> Value) -> Option<&mut Value> {
        let map = self.value.as_object_mut()?;
        Some(map.entry(keyword).or_insert_with(empty))
    }
}

impl Kind {
    fn noun(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Integer => "an integer",
            Self::Boolean => "a boolean",
            Self::Null => "null",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::Any => "any JSON",
            Self::Branches => "a choice: say it of its branches",
            Self::Raw => "JSON Schema",
        }
    }
}
