//! A tool as the registry keeps it: its definition checked, its schemas compiled.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    abridge::abridge,
    annotations::Annotations,
    contain::{Shell, contained},
    content::Blocks,
    definition::{Body, Classifier, Finalizer, Keys, Presenter, ToolDefinition},
    error::ErrorMap,
    output::{Render, render_plainly},
    register_error::{Problem, RegisterError},
    resources::ResourceKeys,
    schema::{CompiledSchema, Shielded, suspicions},
    schema_builder::Schema,
    tool_info::ToolInfo,
    tool_schema::ToolSchema,
};

/// A registered definition. Two calls have the same tool exactly if they share this allocation.
pub(crate) struct RegisteredTool {
    pub(crate) schema: ToolSchema,
    pub(crate) parameters: CompiledSchema,
    pub(crate) output: CompiledSchema,
    pub(crate) body: Shell<Body>,
    pub(crate) finalizer: Option<Shell<Finalizer>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Option<Duration>,
    max_text_bytes: Option<usize>,
    render: Option<Shell<Render>>,
    presenter: Option<Shell<Presenter>>,
    classifier: Option<Shell<Classifier>>,
    resources: Option<Shell<Keys>>,
    output_schema: Arc<Shielded>,
    annotations: Annotations,
    /// What is suspicious about its schemas.
    pub(crate) warnings: Vec<Problem>,
}

impl RegisteredTool {
    /// Checks a whole definition: every problem is found, not the first alone.
    pub(crate) fn new(definition: ToolDefinition) -> Result<Self, RegisterError> {
        let mut problems = Vec::new();
        check_name(&definition.name, &mut problems);
        let schema = definition.parameters.unwrap_or_else(|| Schema::from(json!({ "type": "object" })));
        let (schema, parameters) = compile("parameters", schema, &mut problems);
        if matches!(*schema, Value::Bool(false)) {
            problems.push(Problem::new("parameters", "accepts no arguments at all: no call could ever run"));
        } else if schema.get("type").is_some_and(|t| !names_object(t)) {
            problems.push(Problem::new("parameters", "must be a JSON Schema for an object: arguments always are one"));
        }
        let (output_schema, output, render) = if let Some(spec) = definition.output {
            let (schema, output) = compile("output", spec.schema, &mut problems);
            (schema, output, spec.render)
        } else {
            let help = "missing: say what the body answers with, such as .output(OutputSpec::text())";
            problems.push(Problem::new("output", help));
            (Shielded::new(Value::Null), None, None)
        };
        if definition.body.is_none() {
            problems.push(Problem::new("body", "missing: add .typed(..), .handler(..) or .body(..)"));
        }
        if definition.timeout.is_some_and(|t| t.is_zero()) {
            problems.push(Problem::new("timeout", "must be more than zero"));
        }
        if definition.max_text_bytes == Some(0) {
            problems.push(Problem::new("max_text_bytes", "must be more than zero"));
        }
        match (parameters, output, definition.body, problems.is_empty()) {
            (Some(parameters), Some(output), Some(body), true) => Ok(Self {
                warnings: warnings(&schema, &output_schema),
                schema: manual(definition.name, definition.description, schema.into_inner(), definition.derived),
                parameters,
                output,
                body: Shell::new(mapping_errors(body, definition.errors)),
                finalizer: definition.finalizer.map(Shell::new),
                timeout: definition.timeout,
                grace: definition.grace,
                max_text_bytes: definition.max_text_bytes,
                render: render.map(Shell::new),
                presenter: definition.presenter.map(Shell::new),
                classifier: definition.classifier.map(Shell::new),
                resources: definition.resources.map(Shell::new),
                output_schema: Arc::new(output_schema),
                annotations: definition.annotations,
            }),
            _ => Err(RegisterError::tool(&definition.name, problems)),
        }
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.schema.name
    }

    pub(crate) fn info(&self) -> ToolInfo {
        ToolInfo::new(self.schema.clone(), self.output_schema.clone(), self.annotations, self.timeout)
    }

    /// Whether a call with these arguments may overlap with others. Only an exact yes does; a panic is a no.
    pub(crate) fn is_concurrency_safe(&self, arguments: &Value) -> bool {
        match &self.classifier {
            Some(classifier) => contained(|| classifier(arguments, self.schema.parameters())).unwrap_or(false),
            None => self.annotations.read_only || self.resources.is_some(),
        }
    }

    pub(crate) fn declares_keys(&self) -> bool {
        self.resources.is_some()
    }

    /// Whether somebody foreign makes content or presentation of its values.
    pub(crate) fn shows_by_itself(&self) -> bool {
        self.render.is_some() || self.presenter.is_some()
    }

    /// What a call with these arguments reads and writes, if it says so. What cannot be computed is everything.
    pub(crate) fn keys(&self, arguments: &Value) -> Option<ResourceKeys> {
        let keys = self.resources.as_ref()?;
        let keys =
            contained(|| keys(arguments, self.schema.parameters())).unwrap_or_else(|_| ResourceKeys::everything());
        (!keys.is_empty()).then_some(keys)
    }

    /// The model-facing form of a value. Foreign code: may panic.
    pub(crate) fn render(&self, value: &Value) -> Blocks {
        let content = match &self.render {
            Some(render) => render(value).into(),
            None => render_plainly(value).into(),
        };
        match self.max_text_bytes {
            Some(most) => abridge(content, most),
            None => content,
        }
    }

    /// What a user interface shows of a success. Foreign code: may panic.
    pub(crate) fn present(&self, arguments: &Value, value: &Value) -> Option<Value> {
        self.presenter.as_ref().and_then(|present| present(arguments, value))
    }
}

impl std::fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisteredTool").field("name", &self.schema.name).finish_non_exhaustive()
    }
}

fn names_object(kind: &Value) -> bool {
    match kind {
        Value::String(name) => name == "object",
        Value::Array(names) => names.iter().any(|n| n == "object"),
        // Not a type at all: the schema compiler says so.
        _ => true,
    }
}

/// The schema as JSON, which may be of any depth where it does not compile.
fn compile(field: &'static str, schema: Schema, problems: &mut Vec<Problem>) -> (Shielded, Option<CompiledSchema>) {
    let (value, compiled) = schema.compile();
    match compiled {
        Ok(compiled) => (value, Some(compiled)),
        Err(mistakes) => {
            problems.extend(mistakes.iter().map(|mistake| Problem::new(field, mistake.to_string())));
            (value, None)
        }
    }
}

fn warnings(parameters: &Value, output: &Value) -> Vec<Problem> {
    let of = |field, schema| suspicions(schema).into_iter().map(move |p| Problem::new(field, p.to_string()));
    of("parameters", parameters).chain(of("output", output)).collect()
}

/// What the model sees. What a type's documentation says of it describes the tool, if nothing else does.
fn manual(name: Arc<str>, mut description: Arc<str>, mut parameters: Value, derived: bool) -> ToolSchema {
    if derived
        && description.is_empty()
        && let Some(map) = parameters.as_object_mut()
        && let Some(Value::String(text)) = map.shift_remove("description")
    {
        description = Arc::from(text);
    }
    ToolSchema::new(name, description, parameters)
}

fn mapping_errors(body: Body, maps: Vec<ErrorMap>) -> Body {
    if maps.is_empty() {
        return body;
    }
    let maps: Arc<[ErrorMap]> = Arc::from(maps);
    Arc::new(move |cx| {
        let (run, maps) = (body(cx), maps.clone());
        Box::pin(async move { run.await.map_err(|error| error.mapped(&maps)) })
    })
}

/// What MCP allows. What a provider takes is narrower, and the business of whoever exports the tool.
fn check_name(name: &str, problems: &mut Vec<Problem>) {
    let fits = (1..=128).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    if !fits {
        problems.push(Problem::new("name", "must be 1 to 128 of A-Z a-z 0-9 _ . -"));
    }
}
