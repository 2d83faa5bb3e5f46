//! What an export answers with.

use serde_json::Value;

use crate::{
    Repairs, ToolCall, ToolRegistry,
    provider::{
        Format, NameTable,
        export::report::{Mode, ToolReport},
    },
};

/// Tools in a provider's format, and what was done to each. Made by [`Exporter::export`](crate::provider::Exporter::export).
#[derive(Clone, Debug)]
pub struct Export {
    format: Format,
    tools: Value,
    names: NameTable,
    reports: Vec<ToolReport>,
}

impl Export {
    pub(super) fn new(format: Format, tools: Value, names: NameTable, reports: Vec<ToolReport>) -> Self {
        Self { format, tools, names, reports }
    }

    /// Whose format it is.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What goes into a request: the value of `tools`, or for Bedrock that of `toolConfig.tools`. For Gemini it holds one
    /// object with all `functionDeclarations`. Providers want `tools` left out where there is none: see [`is_empty`](Self::is_empty).
    pub fn tools(&self) -> &Value {
        &self.tools
    }

    /// The same as text. The same tools give the same bytes, which is what caches of prompts want.
    pub fn to_json(&self) -> String {
        self.tools.to_string()
    }

    /// Whether no tool went out.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// By what names the tools went out: those of refused ones are not in it.
    pub fn names(&self) -> &NameTable {
        &self.names
    }

    /// What was done to each tool, in the order in which they were given.
    pub fn reports(&self) -> &[ToolReport] {
        &self.reports
    }

    /// What was done to the tool `name`.
    pub fn report(&self, name: &str) -> Option<&ToolReport> {
        self.reports.iter().find(|report| report.name == name)
    }

    /// The tools that did not go out, and why.
    pub fn refused(&self) -> impl Iterator<Item = (&ToolReport, &str)> {
        self.reports.iter().filter_map(|report| match &report.mode {
            Mode::Refused(reason) => Some((report, reason.as_str())),
            _ => None,
        })
    }

    /// The call as it is to run: for a tool that went out strictly, each `null` that stands for what the model leaves out is
    /// left out, where the tool's own parameters do not take it. Every other call stays as it is.
    ///
    /// What was left out is on the call: see [`ToolCall::repaired`]. The registry knows the tool by the call's agent: give it
    /// that first ([`ToolCall::with_agent`]).
    ///
    /// ```
    /// # use serde_json::json;
    /// # use toolgate::{OutputSpec, ToolCall, ToolRegistry, provider::{Exporter, Format, Strict}, tool};
    /// # let registry = ToolRegistry::new();
    /// # let lines = json!({"type": "object", "properties": {"lines": {"type": "integer"}}});
    /// # registry.register(tool("read").parameters(lines).output(OutputSpec::any()).body(|_| async { Ok(json!(1)) }))?;
    /// let export = Exporter::new(Format::OpenAiChat).strict(Strict::WherePossible).export(&registry.tools());
    /// let sent = ToolCall::from_model("c1", "read", r#"{"lines": null}"#);
    /// let call = export.receive(&registry, sent);
    /// assert_eq!(call.repaired().map(ToString::to_string).as_deref(), Some("/lines: was null, left out"));
    /// # Ok::<(), toolgate::RegisterError>(())
    /// ```
    pub fn receive(&self, registry: &ToolRegistry, call: ToolCall) -> ToolCall {
        if self.is_strict(call.name()) {
            return registry.repair(call, Repairs::none().null_for_absent(true));
        }
        call
    }

    /// Whether the tool `name` of the registry went out strictly. But for Anthropic, a model then sends `null` for what it
    /// leaves out, which the tool's own parameters may not take: [`receive`](Self::receive) sees to that.
    pub fn is_strict(&self, name: &str) -> bool {
        self.report(name).is_some_and(|report| report.mode == Mode::Strict)
    }
}
