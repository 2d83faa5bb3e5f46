//! By what name a call stands in the history.

use crate::provider::{Format, NameTable};

/// Bytes of a name that is in no table.
const LONGEST: usize = 64;

/// The name as the provider wrote it, if it is in the table, and as it goes to the provider, if it is a tool's own name: what
/// a model reads there it writes again. A model also makes names up, and a provider that lets its model do so refuses
/// them when they come back: such a name keeps its characters where they are allowed.
pub(crate) fn in_history(format: Format, names: &NameTable, name: &str) -> String {
    if format == Format::Mcp || names.registry_name(name).is_some() {
        return name.to_owned();
    }
    if let Some(wire) = names.wire_name(name) {
        return wire.to_owned();
    }
    let dotted = matches!(format, Format::Gemini | Format::GeminiJsonSchema);
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || (dotted && (c == '.' || c == ':'));
    let clean: String = name.chars().take(LONGEST).map(|c| if allowed(c) { c } else { '_' }).collect();
    if clean.is_empty() { "unnamed".to_owned() } else { clean }
}
