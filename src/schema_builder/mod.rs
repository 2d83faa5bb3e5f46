//! Schemas written in Rust, for tools that are known only at run time.

mod check;
mod error;
mod keywords;

use std::fmt;

use serde_json::{Map, Value, json};

pub use error::{SchemaError, SchemaMistake};

use crate::{
    pointer::escaped,
    schema::{CompiledSchema, HARD_DEPTH, Shielded, deeper_than, dismantle},
};

/// A JSON Schema, built step by step: the parameters of a tool, or what it answers with.
///
/// ```
/// use serde_json::json;
/// use toolgate::Schema;
///
/// let parameters = Schema::object()
///     .required("path", Schema::string().description("Relative to the workspace").min_length(1))
///     .optional("mode", Schema::string().enum_values(["text", "bytes"]).default("text"))
///     .optional("lines", Schema::array(Schema::integer().minimum(1)).max_items(2))
///     .additional_properties(false);
/// assert_eq!(
///     parameters.build()?,
///     json!({
///         "type": "object",
///         "properties": {
///             "path": {"type": "string", "description": "Relative to the workspace", "minLength": 1},
///             "mode": {"type": "string", "enum": ["text", "bytes"], "default": "text"},
///             "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 2},
///         },
///         "required": ["path"],
///         "additionalProperties": false,
///     })
/// );
///
/// // Every mistake is named with its path, here and at registration.
/// let wrong = Schema::object()
///     .optional("limit", Schema::integer().minimum(10).maximum(1))
///     .required("limit", Schema::string().multiple_of(2));
/// assert_eq!(
///     wrong.build().unwrap_err().to_string(),
///     "/properties/limit/minimum: 10 is more than maximum, 1; \
///      /properties/limit/multipleOf: is for numbers and integers, and this is a string; \
///      /properties/limit: declared twice"
/// );
/// # Ok::<(), toolgate::SchemaError>(())
/// ```
///
/// [`ToolDefinition::parameters`](crate::ToolDefinition::parameters) and [`OutputSpec::json`](crate::OutputSpec::json) take
/// it as it is, and take a [`Value`] as well, which is a schema of any draft, local references and recursion included.
/// A `Value` is also taken wherever a part of a schema is. References in it start at the root of the whole, as everywhere
/// in JSON Schema: `$defs` of a part are `#/properties/NAME/$defs/…`, and a schema that is recursive is best written whole.
///
/// - Objects are **open**, the root as any other: members that are not declared are let through, as JSON Schema has it,
///   until [`additional_properties`](Self::additional_properties) says otherwise.
/// - A default tells the model what is done without the property. Nothing is filled in: arguments stay as they were sent.
/// - Enums, constants, defaults and examples have to fit the rest of their schema. A `Value` is not looked into for that:
///   its author may mean what others would not.
/// - Schemas within one another are refused from 64 levels on; neither building nor dropping thousands of them overflows.
/// - A keyword that is said twice is what was said last; a property that is declared twice is a mistake.
/// - Properties keep their order, and so do keywords, in the text that models read.
/// - A number without a fraction is an integer, however it is written: `1` fits both branches of
///   `one_of([Schema::integer(), Schema::number()])`, and `one_of` wants exactly one. [`any_of`](Self::any_of) does not mind.
pub struct Schema {
    kind: Kind,
    value: Value,
    mistakes: Vec<SchemaMistake>,
}

/// Which keywords make sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    String,
    Number,
    Integer,
    Boolean,
    Null,
    Array,
    Object,
    Any,
    Branches,
    /// Written as JSON: whatever its author says.
    Raw,
}

impl Schema {
    fn new(kind: Kind, value: Value) -> Self {
        Self { kind, value, mistakes: Vec::new() }
    }

    /// Text.
    pub fn string() -> Self {
        Self::new(Kind::String, json!({ "type": "string" }))
    }

    /// A number.
    pub fn number() -> Self {
        Self::new(Kind::Number, json!({ "type": "number" }))
    }

    /// A number without a fraction.
    pub fn integer() -> Self {
        Self::new(Kind::Integer, json!({ "type": "integer" }))
    }

    /// True or false.
    pub fn boolean() -> Self {
        Self::new(Kind::Boolean, json!({ "type": "boolean" }))
    }

    /// `null`, and nothing else.
    pub fn null() -> Self {
        Self::new(Kind::Null, json!({ "type": "null" }))
    }

    /// Any JSON.
    pub fn any() -> Self {
        Self::new(Kind::Any, json!({}))
    }

    /// A list of values that are all as `items` says.
    pub fn array(items: impl Into<Schema>) -> Self {
        let mut array = Self::new(Kind::Array, json!({ "type": "array" }));
        let items = array.taken(items.into(), "items", None);
        array.put("items", items);
        array
    }

    /// An object, open and without properties so far.
    pub fn object() -> Self {
        Self::new(Kind::Object, json!({ "type": "object", "properties": {} }))
    }

    /// What is exactly one of two or more things.
    pub fn one_of<S: Into<Schema>>(branches: impl IntoIterator<Item = S>) -> Self {
        Self::branches("oneOf", branches)
    }

    /// What is one of two or more things, or several of them at once.
    pub fn any_of<S: Into<Schema>>(branches: impl IntoIterator<Item = S>) -> Self {
        Self::branches("anyOf", branches)
    }

    fn branches<S: Into<Schema>>(keyword: &'static str, branches: impl IntoIterator<Item = S>) -> Self {
        let mut union = Self::new(Kind::Branches, Value::Object(Map::new()));
        let mut list = Vec::new();
        for (index, branch) in branches.into_iter().enumerate() {
            list.push(union.taken(branch.into(), keyword, Some(&index.to_string())));
        }
        if list.len() < 2 {
            union.mistake(format!("/{keyword}"), "at least two branches are needed");
        }
        union.put(keyword, Value::Array(list));
        union
    }

    /// Checks it whole, and gives it as JSON.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, each with a JSON pointer to the place in the schema.
    pub fn build(self) -> Result<Value, SchemaError> {
        let (value, compiled) = self.compile();
        compiled.map(|_| value.into_inner()).map_err(SchemaError::new)
    }

    /// Its JSON, which may be of any depth where it does not compile, and the schema made of it or everything that is
    /// wrong with it.
    pub(crate) fn compile(self) -> (Shielded, Result<CompiledSchema, Vec<SchemaMistake>>) {
        let (value, mut mistakes) = self.finish();
        let value = Shielded::new(value);
        let compiled = CompiledSchema::compile(&value);
        if let Err(problems) = &compiled {
            // What the builder knows is told in its words, and once.
            let new = problems.iter().filter(|p| !mistakes.iter().any(|m| m.path() == p.pointer));
            let new: Vec<_> = new.cloned().map(SchemaMistake::from).collect();
            mistakes.extend(new);
        }
        let compiled = match compiled {
            Ok(compiled) if mistakes.is_empty() => Ok(compiled),
            _ => Err(mistakes),
        };
        (value, compiled)
    }

    /// Its JSON, which may be of any depth, and what is wrong with it that only the builder knows.
    fn finish(mut self) -> (Value, Vec<SchemaMistake>) {
        if self.kind != Kind::Raw && !deeper_than(&self.value, HARD_DEPTH) {
            self.mistakes.extend(check::mistakes(&self.value));
        }
        (std::mem::take(&mut self.value), std::mem::take(&mut self.mistakes))
    }

    /// Makes `part` a part of this one, under a keyword and, there, a name.
    fn taken(&mut self, part: Schema, keyword: &str, name: Option<&str>) -> Value {
        let (value, mistakes) = part.finish();
        let at = name.map_or_else(|| format!("/{keyword}"), |name| format!("/{keyword}/{}", escaped(name)));
        self.mistakes.extend(mistakes.into_iter().map(|mistake| mistake.below(&at)));
        value
    }

    fn mistake(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.mistakes.push(SchemaMistake::new(path, message));
    }

    fn put(&mut self, keyword: &'static str, value: Value) {
        if self.value == Value::Bool(true) {
            self.value = Value::Object(Map::new());
        }
        let Value::Object(map) = &mut self.value else {
            dismantle(value);
            self.mistake("", format!("{keyword} was added to a schema that is no object"));
            return;
        };
        if let Some(before) = map.insert(keyword.to_owned(), value) {
            dismantle(before);
        }
    }
}

impl From<Value> for Schema {
    /// A schema that was written as JSON.
    fn from(value: Value) -> Self {
        Self::new(Kind::Raw, value)
    }
}

impl From<bool> for Schema {
    /// What accepts anything, or nothing.
    fn from(anything: bool) -> Self {
        Self::new(Kind::Raw, Value::Bool(anything))
    }
}

impl Clone for Schema {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.kind, Value::Null);
        copy.mistakes.clone_from(&self.mistakes);
        if deeper_than(&self.value, HARD_DEPTH) {
            copy.value = json!({});
            copy.mistake("", format!("nested deeper than {HARD_DEPTH} levels of JSON"));
        } else {
            copy.value = self.value.clone();
        }
        copy
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        // It may be nested deeper than a recursive destructor gets.
        dismantle(std::mem::take(&mut self.value));
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Schema");
        if deeper_than(&self.value, HARD_DEPTH) {
            out.field("value", &"nested too deep to print");
        } else {
            out.field("value", &self.value);
        }
        out.field("mistakes", &self.mistakes).finish_non_exhaustive()
    }
}
