//! The tools of an MCP server, out of its listing.

use std::{collections::HashSet, fmt};

use serde_json::{Value, json};

use crate::{
    Annotations, OutputSpec, ToolDefinition,
    provider::turn::{MOST_LEVELS, deeper_than},
    tool,
};

/// The tools that an MCP server lists. One bad entry costs that entry, and never the others.
///
/// ```
/// use serde_json::json;
/// use toolgate::{ToolRegistry, provider::McpTools};
///
/// let listed = McpTools::read(&json!({"tools": [
///     {"name": "add", "inputSchema": {"type": "object"}},
///     {"name": "broken", "inputSchema": {"$ref": "#/$defs/Missing"}},
///     {"title": "no name"},
/// ]}));
/// assert_eq!(listed.problems()[0].to_string(), "tool 2 of the listing: has no name");
///
/// let registry = ToolRegistry::new();
/// let mut refused = Vec::new();
/// for tool in listed.tools() {
///     // The body is whatever asks the server.
///     if let Err(error) = registry.register(tool.definition().body(|_cx| async { Ok(json!("asked")) })) {
///         refused.push(error.to_string());
///     }
/// }
/// assert_eq!(registry.schemas().len(), 1);
/// assert!(refused[0].contains("broken") && refused[0].contains("leads nowhere"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct McpTools {
    tools: Vec<McpTool>,
    names: HashSet<String>,
    problems: Vec<ListingProblem>,
}

/// One tool as a server describes it. Nothing of it is trusted or checked: registration checks it.
#[derive(Clone, Debug)]
pub struct McpTool {
    name: String,
    title: Option<String>,
    description: String,
    parameters: Value,
    output_schema: Option<Value>,
    annotations: Annotations,
}

/// An entry of a listing that is no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingProblem {
    index: usize,
    message: String,
}

impl ListingProblem {
    /// Which entry, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What is wrong with it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ListingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool {} of the listing: {}", self.index, self.message)
    }
}

impl std::error::Error for ListingProblem {}

impl McpTools {
    /// Reads a listing: the answer to `tools/list` with or without its envelope, or the bare list of tools. Several
    /// pages are several listings; [`extend`](Self::extend) joins them.
    pub fn read(listing: &Value) -> Self {
        let mut read = Self::default();
        let inside = listing.get("result").unwrap_or(listing);
        match inside.get("tools").unwrap_or(inside) {
            Value::Array(entries) => entries.iter().enumerate().for_each(|(index, entry)| read.add(index, entry)),
            _ => read.problem(0, "there is none: no array `tools`"),
        }
        read
    }

    /// Adds the tools of a further page. A name that is there already is a problem, and the first tool keeps it.
    pub fn extend(&mut self, page: Self) {
        let offset = self.tools.len() + self.problems.len();
        for problem in page.problems {
            self.problem(offset + problem.index, problem.message);
        }
        for tool in page.tools {
            self.keep(offset, tool);
        }
    }

    fn add(&mut self, index: usize, entry: &Value) {
        if deeper_than(entry, MOST_LEVELS) {
            return self.problem(index, format!("is nested deeper than {MOST_LEVELS} levels"));
        }
        let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(name) = text("name") else {
            return self.problem(index, "has no name");
        };
        let annotations = entry.get("annotations");
        let title = text("title").or_else(|| annotations?.get("title")?.as_str().map(str::to_owned));
        let tool = McpTool {
            name,
            title,
            description: text("description").unwrap_or_default(),
            parameters: entry.get("inputSchema").cloned().unwrap_or_else(|| json!({ "type": "object" })),
            output_schema: entry.get("outputSchema").filter(|s| !s.is_null()).cloned(),
            annotations: hints(annotations),
        };
        self.keep(index, tool);
    }

    fn keep(&mut self, index: usize, tool: McpTool) {
        if !self.names.insert(tool.name.clone()) {
            return self.problem(index, format!("{:?} is listed twice; the first one counts", tool.name));
        }
        self.tools.push(tool);
    }

    fn problem(&mut self, index: usize, message: impl Into<String>) {
        self.problems.push(ListingProblem { index, message: message.into() });
    }

    /// The tools, in the server's order.
    pub fn tools(&self) -> &[McpTool] {
        &self.tools
    }

    /// Entries that are no tools, or repeat a name.
    pub fn problems(&self) -> &[ListingProblem] {
        &self.problems
    }
}

impl McpTool {
    /// The server's name for it, which is what `tools/call` wants.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A name for people.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the server says of its effects. Hints of somebody who may not be trusted: [`definition`](Self::definition)
    /// leaves them out and assumes the worst; hand them to [`ToolDefinition::annotations`] if you do trust the server.
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// The declaration of the tool, but for its body. Values are held to `outputSchema` where there is one: let the body
    /// answer with `structuredContent` then, and with an error where the server's answer `isError`.
    pub fn definition(&self) -> ToolDefinition {
        tool(self.name.as_str())
            .description(self.description.as_str())
            .parameters(self.parameters.clone())
            .output(self.output_schema.clone().map_or_else(OutputSpec::any, OutputSpec::json))
    }
}

/// What is not said is the worst, as MCP has it.
fn hints(annotations: Option<&Value>) -> Annotations {
    let said = |name: &str| annotations.and_then(|a| a.get(name)).and_then(Value::as_bool);
    let worst = Annotations::default();
    if said("readOnlyHint") == Some(true) {
        return Annotations::read_only().open_world(said("openWorldHint").unwrap_or(worst.open_world));
    }
    worst
        .idempotent(said("idempotentHint").unwrap_or(worst.idempotent))
        .destructive(said("destructiveHint").unwrap_or(worst.destructive))
        .open_world(said("openWorldHint").unwrap_or(worst.open_world))
}
