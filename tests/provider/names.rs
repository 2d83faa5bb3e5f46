//! By what names tools go out.

use proptest::prelude::*;
use serde_json::json;
use toolgate::provider::{Exporter, Format, Mode, NameTable};

use super::support::{info, parameters};

#[test]
fn a_name_that_is_taken_refuses_that_one_tool() {
    let (names, _) = NameTable::portable(["fs.read"]);
    let changed = names.wire_name("fs.read").expect("in the table").to_owned();
    let tools = ["fs.read", &changed, "other"].map(|name| info(name, json!({})));
    let export = Exporter::new(Format::Anthropic).export(&tools);
    let refused: Vec<_> = export.refused().map(|(report, _)| report.name.as_str()).collect();
    assert_eq!(refused, ["fs.read"]);
    assert_eq!(export.names().registry_name(&changed), Some(changed.as_str()));
    assert_eq!(export.names().wire_name("fs.read"), None, "what did not go out is not called");
}

#[test]
fn a_tool_that_is_given_twice_goes_out_once() {
    let tools = [info("a", json!({})), info("a", json!({"properties": {"x": {}}}))];
    let export = Exporter::new(Format::OpenAiChat).export(&tools);
    assert_eq!(export.tools().as_array().map(Vec::len), Some(1));
    assert_eq!(parameters(&export)["properties"], json!({}), "the first one");
    assert!(matches!(&export.reports()[1].mode, Mode::Refused(reason) if reason.contains("in the list already")));
}

#[test]
fn an_empty_description_is_left_out_or_stands_in_for_itself() {
    let registry = toolgate::ToolRegistry::new();
    let nameless = toolgate::tool("t").output(toolgate::OutputSpec::text()).body(|_cx| async { Ok(json!("")) });
    registry.register(nameless).expect("a good tool");
    for format in Format::ALL {
        let text = Exporter::new(*format).export(&registry.tools()).to_json();
        let wanted = matches!(format, Format::Gemini | Format::GeminiJsonSchema | Format::Bedrock);
        assert_eq!(text.contains(r#""description":"t""#), wanted, "{format}: {text}");
        assert!(!text.contains(r#""description":"""#));
    }
}

proptest! {
    #[test]
    fn names_are_injective_and_come_back(names in prop::collection::btree_set("[A-Za-z0-9_.-]{1,128}|[a-c][._-][a-c]", 1..12)) {
        let tools: Vec<_> = names.iter().map(|name| info(name, json!({}))).collect();
        for format in Format::ALL {
            let export = Exporter::new(*format).export(&tools);
            let wires: std::collections::BTreeSet<_> = export.names().iter().map(|(_, wire)| wire).collect();
            prop_assert_eq!(wires.len(), export.names().len());
            prop_assert_eq!(export.names().len() + export.refused().count(), names.len());
            for (name, wire) in export.names().iter() {
                prop_assert_eq!(export.names().registry_name(wire), Some(name));
                let quoted = format!("\"name\":\"{wire}\"");
                prop_assert!(export.to_json().contains(&quoted));
                let portable = wire.len() <= 64 && !wire.contains('.') && !wire.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                prop_assert!(portable || *format == Format::Mcp);
            }
        }
    }
}
