//! Makes exports.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    anthropic, bedrock,
    budget::Budget,
    deepseek, gemini, limits,
    list::Export,
    mcp,
    normal::Normal,
    openai,
    report::{LossKind, Losses, Mode, Strict, ToolReport},
    rules::Rules,
    subset::Writer,
    whole::{self, Whole},
};
use crate::{
    ToolInfo,
    provider::{Format, NameTable},
};

/// Writes tools in the format of a provider, and says for each what the format cannot hold.
///
/// A tool that cannot go out is refused by itself, with a reason. Constraints that a provider does not take are moved into the
/// description of the value they are about, where a model reads them. However a schema goes out, the registry checks
/// every call by the tool's own parameters.
///
/// ```
/// use serde_json::json;
/// use toolgate::{OutputSpec, ToolRegistry, provider::{Exporter, Format, Strict}, tool};
///
/// let registry = ToolRegistry::new();
/// registry.register(
///     tool("fs.read")
///         .description("Reads a file")
///         .parameters(json!({
///             "type": "object",
///             "properties": {"path": {"type": "string", "minLength": 1}, "lines": {"type": "integer"}},
///             "required": ["path"],
///         }))
///         .output(OutputSpec::text())
///         .body(|_cx| async { Ok(json!("")) }),
/// )?;
/// let export = Exporter::new(Format::OpenAiChat).strict(Strict::WherePossible).export(&registry.tools());
///
/// let function = &export.tools()[0]["function"];
/// assert_eq!(export.names().registry_name(function["name"].as_str().unwrap_or_default()), Some("fs.read"));
/// assert_eq!(function["strict"], true);
/// let path = json!({"type": "string", "description": "(minLength: 1)"});
/// assert_eq!(function["parameters"]["properties"]["path"], path);
/// // Strictly, everything is required: null stands for what is optional.
/// assert_eq!(function["parameters"]["properties"]["lines"]["type"], json!(["integer", "null"]));
///
/// assert!(export.is_strict("fs.read"));
/// let losses: Vec<_> = export.reports()[0].losses.iter().map(|loss| (&*loss.pointer, &*loss.keyword)).collect();
/// let expected = [("", "additionalProperties"), ("/properties/path", "minLength"), ("/properties/lines", "required")];
/// assert_eq!(losses, expected);
/// # Ok::<(), toolgate::RegisterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an exporter does nothing until it exports"]
pub struct Exporter {
    format: Format,
    strict: Strict,
    budget: Budget,
}

/// How parameters go out.
enum Way {
    Whole(Whole),
    Subset(&'static Rules),
    AsTheyAre,
}

/// One tool as it goes out, or why it does not.
type Written = Result<(Value, Mode), String>;

impl Exporter {
    /// An exporter for a format, not strict, with that format's budget.
    pub fn new(format: Format) -> Self {
        Self { format, strict: Strict::default(), budget: Budget::of(format) }
    }

    /// Sets whether the provider is asked to hold a model to the schemas. Default: [`Strict::Never`].
    pub fn strict(mut self, strict: Strict) -> Self {
        self.strict = strict;
        self
    }

    /// Sets how much the export may be. Default: [`Budget::of`] the format.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Writes `tools` in the order given. The same tools in the same order give the same bytes; what becomes of one tool depends
    /// on the others only where their names are one, and where they are counted together.
    pub fn export(&self, tools: &[ToolInfo]) -> Export {
        let names = || tools.iter().map(ToolInfo::name);
        let (table, collisions) = match self.format {
            Format::Mcp => (NameTable::identical(names()), Vec::new()),
            _ => NameTable::portable(names()),
        };
        let collisions: BTreeMap<_, _> = collisions.iter().map(|error| (error.name.as_str(), error)).collect();
        let (mut list, mut reports, mut went_out) = (Vec::new(), Vec::new(), BTreeSet::new());
        let (mut bytes_left, mut room) = (self.budget.total_bytes, anthropic::Room::default());
        for tool in tools {
            let name = tool.name();
            let mut losses = Losses::default();
            let collision = collisions.get(name);
            let wire = collision.map_or_else(|| table.wire_name(name).unwrap_or(name), |error| &error.wire_name);
            let written = if let Some(collision) = collision {
                Err(collision.to_string())
            } else if went_out.contains(name) {
                Err("a tool of this name is in the list already".to_owned())
            } else if list.len() == self.budget.tools {
                Err(format!("one more than the {} tools that there may be", self.budget.tools))
            } else {
                self.tool(tool, wire, &mut losses, &mut room).and_then(|(tool, mode)| {
                    let bytes = tool.to_string().len();
                    if bytes > self.budget.tool_bytes {
                        return Err(format!("{bytes} bytes, and a tool may have {}", self.budget.tool_bytes));
                    }
                    let left = bytes_left.checked_sub(bytes);
                    bytes_left = left.ok_or_else(|| format!("{bytes} bytes, and {bytes_left} are left for tools"))?;
                    Ok((tool, mode))
                })
            };
            let (mode, losses) = match written {
                Ok((tool, mode)) => {
                    went_out.insert(name);
                    list.push(tool);
                    (mode, losses.into_list())
                }
                Err(reason) => (Mode::Refused(reason), Vec::new()),
            };
            reports.push(ToolReport { name: name.to_owned(), wire_name: wire.to_owned(), mode, losses });
        }
        let names = went_out.iter().filter_map(|name| Some((*name, table.wire_name(name)?)));
        let names = NameTable::of_pairs(names);
        let list = match self.format {
            Format::Gemini | Format::GeminiJsonSchema => gemini::wrapped(list),
            _ => Value::Array(list),
        };
        Export::new(self.format, list, names, reports)
    }

    fn way(&self) -> Way {
        match self.format {
            Format::OpenAiChat | Format::OpenAiResponses => Way::Whole(openai::WHOLE),
            Format::DeepSeek => Way::Whole(deepseek::WHOLE),
            Format::Anthropic | Format::Bedrock => Way::Whole(anthropic::WHOLE),
            Format::GeminiJsonSchema => Way::Whole(gemini::WHOLE),
            Format::Gemini => Way::Subset(&gemini::PARAMETERS),
            Format::Mcp => Way::AsTheyAre,
        }
    }

    fn strict_rules(&self) -> Option<&'static Rules> {
        match self.format {
            Format::OpenAiChat | Format::OpenAiResponses => Some(&openai::STRICT),
            Format::DeepSeek => Some(&deepseek::STRICT),
            Format::Anthropic => Some(&anthropic::STRICT),
            Format::Gemini | Format::GeminiJsonSchema | Format::Mcp | Format::Bedrock => None,
        }
    }

    fn tool(&self, tool: &ToolInfo, wire: &str, losses: &mut Losses, room: &mut anthropic::Room) -> Written {
        let normal = Normal::of(tool.schema().parameters());
        if self.strict != Strict::Never {
            let mut own = Losses::default();
            match self.strictly(&normal, &mut own, room) {
                Ok(parameters) => {
                    *losses = own;
                    return Ok((self.shape(tool, wire, parameters, true), Mode::Strict));
                }
                Err(reason) if self.strict == Strict::Required => return Err(format!("cannot be strict: {reason}")),
                Err(reason) => losses.add("", "strict", LossKind::Dropped, reason),
            }
        }
        let parameters = match self.way() {
            Way::AsTheyAre => return Ok((mcp::tool(tool, losses), Mode::NotStrict)),
            Way::Subset(rules) => {
                let mut own = Losses::default();
                let mut writer = self.writer(&normal, rules, &mut own);
                let mut written = writer.root();
                // What comes back to itself in many ways is too large a second time.
                if writer.exhausted {
                    own = Losses::default();
                    written = self.writer(&normal, rules, &mut own).once().root();
                }
                losses.extend(own);
                written?
            }
            Way::Whole(rules) => {
                let parameters = Value::Object(whole::write(&normal, rules, losses));
                let levels = whole::levels(&parameters);
                if levels > self.budget.levels {
                    return Err(format!("{levels} levels of schemas, and there may be {}", self.budget.levels));
                }
                match parameters {
                    Value::Object(parameters) => parameters,
                    _ => Map::new(),
                }
            }
        };
        Ok((self.shape(tool, wire, parameters, false), Mode::NotStrict))
    }

    fn writer<'a>(&self, normal: &'a Normal, rules: &'a Rules, losses: &'a mut Losses) -> Writer<'a> {
        // Formats without a budget write no subsets.
        Writer::new(normal, rules, losses, self.budget.levels.min(64), self.budget.tool_bytes)
    }

    fn strictly(
        &self,
        normal: &Normal,
        losses: &mut Losses,
        room: &mut anthropic::Room,
    ) -> Result<Map<String, Value>, String> {
        let Some(rules) = self.strict_rules() else {
            return Err(format!("{} has no strict mode for tools", self.format));
        };
        let parameters = self.writer(normal, rules, losses).root()?;
        match self.format {
            Format::OpenAiChat | Format::OpenAiResponses => limits::passed(&parameters)?,
            Format::Anthropic => room.take(&parameters)?,
            _ => {}
        }
        Ok(parameters)
    }

    fn shape(&self, tool: &ToolInfo, wire: &str, parameters: Map<String, Value>, strict: bool) -> Value {
        let description = tool.schema().description();
        match self.format {
            Format::OpenAiChat | Format::DeepSeek => openai::chat_tool(wire, description, parameters, strict),
            Format::OpenAiResponses => openai::responses_tool(wire, description, parameters, strict),
            Format::Anthropic => anthropic::tool(wire, description, parameters, strict),
            Format::Gemini => gemini::declaration(wire, description, parameters),
            Format::GeminiJsonSchema => gemini::json_schema_declaration(wire, description, parameters),
            Format::Bedrock | Format::Mcp => bedrock::tool(wire, description, parameters),
        }
    }
}
