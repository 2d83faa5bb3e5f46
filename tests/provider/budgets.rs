//! What is beyond a budget is refused, alone.

use serde_json::{Value, json};
use toolgate::provider::{Budget, Exporter, Format, Strict};

use super::support::{info, registered};

fn refused(exporter: Exporter, tools: &[toolgate::ToolInfo]) -> Vec<String> {
    exporter.export(tools).refused().map(|(report, reason)| format!("{}: {reason}", report.name)).collect()
}

#[test]
fn a_tool_that_is_too_large_does_not_take_the_others_with_it() {
    let large = json!({"type": "object", "description": "x".repeat(2000)});
    let tools = [info("a", json!({})), info("large", large), info("b", json!({}))];
    for format in Format::ALL {
        let exporter = Exporter::new(*format).budget(Budget::of(*format).tool_bytes(1000));
        let refused = refused(exporter, &tools);
        let without = *format == Format::Gemini; // Its root has no properties, and no description then.
        assert_eq!(refused.len(), usize::from(!without), "{format}: {refused:?}");
        assert!(without || refused[0].contains("bytes"), "{refused:?}");
    }
}

#[test]
fn all_tools_together_have_a_budget() {
    let tools: Vec<_> = (0..10).map(|n| info(&format!("t{n}"), json!({}))).collect();
    for format in Format::ALL {
        let one = Exporter::new(*format).export(&tools[..1]).to_json().len();
        let export = Exporter::new(*format).budget(Budget::of(*format).total_bytes(one * 4)).export(&tools);
        let went_out = export.names().len();
        assert!((4..10).contains(&went_out), "{format}: {went_out}");
        assert_eq!(went_out + export.refused().count(), 10);
        let few = Exporter::new(*format).budget(Budget::of(*format).tools(3)).export(&tools);
        assert_eq!(few.names().iter().map(|(name, _)| name).collect::<Vec<_>>(), ["t0", "t1", "t2"]);
    }
}

#[test]
fn levels_have_a_budget() {
    let deep = (0..8).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "object", "properties": {"p": inner}, "required": ["p"]}),
    );
    let tools = [info("deep", deep)];
    for format in Format::ALL.iter().filter(|format| **format != Format::Mcp) {
        let levels = |levels| refused(Exporter::new(*format).budget(Budget::of(*format).levels(levels)), &tools).len();
        assert_eq!((levels(10), levels(4)), (0, 1), "{format}");
    }
}

#[test]
fn references_that_multiply_end_at_the_budget() {
    // Each level holds the next twice: some 8 000 schemas out of 13, as much as registration lets through.
    let mut defs = serde_json::Map::new();
    for level in 0..11 {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        defs.insert(
            format!("l{level}"),
            json!({"type": "object", "properties": {"a": next, "b": next}, "required": ["a", "b"]}),
        );
    }
    defs.insert("l11".to_owned(), json!({"type": "string", "description": "x".repeat(500)}));
    let schema =
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/l0"}}, "required": ["p"], "$defs": defs});
    let tools = [info("bomb", schema), info("good", json!({}))];
    for (format, strict) in [(Format::Gemini, Strict::Never), (Format::Anthropic, Strict::Required)] {
        let refused = refused(Exporter::new(format).strict(strict), &tools);
        assert_eq!(refused.len(), 1);
        assert!(refused[0].contains("larger than the budget"), "{refused:?}");
    }
    let kept = refused(Exporter::new(Format::OpenAiChat).strict(Strict::Required), &tools);
    assert_eq!(kept, Vec::<String>::new(), "as references they do not multiply");
}

#[test]
fn long_chains_of_references_do_not_overflow_the_stack() {
    let chain = |link: fn(usize) -> Value, links: usize| {
        let mut defs = serde_json::Map::new();
        for n in 0..links {
            defs.insert(format!("d{n}"), link(n + 1));
        }
        defs.insert(format!("d{links}"), json!({"type": "object"}));
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/d0"}}, "allOf": [{"$ref": "#/$defs/d0"}], "anyOf": [{"$ref": "#/$defs/d0"}], "$defs": defs})
    };
    let links: [fn(usize) -> Value; 4] = [
        |n| json!({"$ref": format!("#/$defs/d{n}")}),
        |n| json!({"allOf": [{"$ref": format!("#/$defs/d{n}")}]}),
        |n| json!({"anyOf": [{"$ref": format!("#/$defs/d{n}")}]}),
        |n| json!({"type": "object", "properties": {"x": {"$ref": format!("#/$defs/d{n}")}}, "required": ["x"]}),
    ];
    for (link, count) in links.iter().flat_map(|link| [30, 400, 1200].map(|count| (*link, count))) {
        let Ok(tool) = registered("chain", chain(link, count)) else { continue };
        for format in Format::ALL {
            for strict in [Strict::Never, Strict::WherePossible] {
                let export = Exporter::new(*format).strict(strict).export(std::slice::from_ref(&tool));
                assert_eq!(export.names().len() + export.refused().count(), 1);
            }
        }
    }
}
