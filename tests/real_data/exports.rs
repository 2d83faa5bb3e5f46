//! Every real tool goes out in every format.

use toolgate::{
    ToolInfo,
    provider::{Exporter, Format, Strict},
};

use super::{bfcl, folder, lines, mcp, registry_of};

fn real_tools() -> Vec<ToolInfo> {
    let folder = folder("bfcl");
    let documents = bfcl::FILES.iter().flat_map(|(file, ..)| lines(&folder, file));
    let of_document = documents.flat_map(|d| registry_of(&d["normalized_parameters"]).expect("registers").tools());
    let of_servers = mcp::servers().into_iter().flat_map(|(_, capture)| mcp::registry(&capture).tools());
    of_document.chain(of_servers).collect()
}

/// What Gemini's own form of parameters cannot hold: objects without declared members, where they are required.
const REFUSED_BY_GEMINI: usize = 8;

#[test]
fn every_tool_goes_out_in_every_format() {
    let tools = real_tools();
    assert_eq!(tools.len(), 1_369 + 158);
    for format in Format::ALL {
        for strict in [Strict::Never, Strict::WherePossible] {
            let mut refused = Vec::new();
            for tool in &tools {
                let export = Exporter::new(*format).strict(strict).export(std::slice::from_ref(tool));
                refused.extend(export.refused().map(|(report, reason)| format!("{}: {reason}", report.name)));
            }
            let most = if *format == Format::Gemini { REFUSED_BY_GEMINI } else { 0 };
            assert_eq!(refused.len(), most, "{format}:\n{}", refused.join("\n"));
        }
    }
}
