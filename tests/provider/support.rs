//! Tools, exports and validators by few words.

use serde_json::{Value, json};
use toolgate::{
    OutputSpec, RegisterError, ToolInfo, ToolRegistry,
    provider::{Export, Exporter, Format, Loss, LossKind, Strict, ToolReport},
    tool,
};

/// A registered tool with these parameters.
pub(crate) fn registered(name: &str, parameters: Value) -> Result<ToolInfo, RegisterError> {
    let registry = ToolRegistry::new();
    registry.register(
        tool(name)
            .description("Does it")
            .parameters(parameters)
            .output(OutputSpec::text())
            .body(|_cx| async { Ok(json!("")) }),
    )?;
    Ok(registry.tools().remove(0))
}

pub(crate) fn info(name: &str, parameters: Value) -> ToolInfo {
    registered(name, parameters).expect("a good tool")
}

/// The export of one tool called `t`.
pub(crate) fn export(format: Format, strict: Strict, parameters: Value) -> Export {
    Exporter::new(format).strict(strict).export(&[info("t", parameters)])
}

/// The parameters in what went out for one tool.
pub(crate) fn parameters(export: &Export) -> Value {
    let at = match export.format() {
        Format::OpenAiChat | Format::DeepSeek => "/0/function/parameters",
        Format::OpenAiResponses => "/0/parameters",
        Format::Anthropic => "/0/input_schema",
        Format::Gemini => "/0/functionDeclarations/0/parameters",
        Format::GeminiJsonSchema => "/0/functionDeclarations/0/parametersJsonSchema",
        Format::Mcp => "/0/inputSchema",
        Format::Bedrock => "/0/toolSpec/inputSchema/json",
        other => panic!("a new format: {other}"),
    };
    export.tools().pointer(at).cloned().unwrap_or_default()
}

/// What was lost, as `KIND KEYWORD at POINTER`.
pub(crate) fn losses(report: &ToolReport) -> Vec<String> {
    report
        .losses
        .iter()
        .map(|Loss { kind, keyword, pointer, .. }| format!("{} {keyword} at {pointer}", kind.as_str()))
        .collect()
}

pub(crate) fn narrowed(report: &ToolReport) -> bool {
    report.losses.iter().any(|loss| loss.kind == LossKind::Narrowed)
}

pub(crate) fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().offline().should_validate_formats(false).build(schema).expect("a schema")
}
