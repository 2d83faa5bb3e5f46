//! A tool that is declared in one place: types, effects, deadline, resource keys, errors and a bound on long answers.
//!
//! The model reads a schema that is derived from the type of the arguments, and for a failure what the declaration
//! says of it. Run it with `cargo run --example 06_typed_tool`.

use std::{error::Error, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate::{
    Annotations, ContentBlock, OutputSpec, ResourceKeys, ToolCall, ToolContext, ToolDefinition, ToolError,
    ToolRegistry, tool,
};

/// Reads lines of a file of the workspace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    /// Where it is, from the workspace's root.
    path: String,
    /// The first line to read; lines count from 1.
    #[serde(default = "first")]
    #[schemars(range(min = 1))]
    from: u32,
    /// How many lines to read.
    limit: Option<u32>,
}

fn first() -> u32 {
    1
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Lines {
    lines: Vec<String>,
    more: bool,
}

#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("there is no file {0:?}")]
    NotFound(String),
    #[error("disk 3 of nas.internal does not answer")]
    Broken,
}

async fn read_file(_cx: ToolContext, args: ReadFile) -> Result<Lines, ReadError> {
    let text = match args.path.as_str() {
        "song.txt" => (1..=500).map(|n| format!("{n} green bottles")).collect::<Vec<_>>(),
        "broken.txt" => return Err(ReadError::Broken),
        _ => return Err(ReadError::NotFound(args.path)),
    };
    let from = args.from.saturating_sub(1) as usize;
    let limit = args.limit.map_or(usize::MAX, |limit| limit as usize);
    let lines: Vec<_> = text.iter().skip(from).take(limit).cloned().collect();
    Ok(Lines { more: from + lines.len() < text.len(), lines })
}

fn definition() -> ToolDefinition {
    tool("read_file")
        .typed(read_file)
        // Unsaid, the model would read the answer as JSON.
        .output(OutputSpec::of::<Lines>().render_for(|found: &Lines| {
            let more = if found.more { "\n(more lines follow)" } else { "" };
            vec![ContentBlock::text(found.lines.join("\n") + more)]
        }))
        .annotations(Annotations::read_only().open_world(false))
        .timeout(Duration::from_secs(5))
        .resources_for(|args: &ReadFile| ResourceKeys::new().read(format!("file:{}", args.path)))
        .max_text_bytes(120)
        // Unsaid, the model would read "the tool failed": errors may hold what is not for it.
        .map_error(|error: &ReadError| match error {
            ReadError::NotFound(_) => ToolError::new("NOT_FOUND", error.to_string()),
            ReadError::Broken => ToolError::new("UNAVAILABLE", "the file cannot be read now").with_retryable(true),
        })
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = ToolRegistry::new();
    registry.register(definition())?;
    let schema = &registry.schemas()[0];
    println!("{}: {}\n{:#}\n", schema.name(), schema.description(), schema.parameters());

    for arguments in [
        r#"{"path": "song.txt", "limit": 2}"#,
        // A model's slip, read as it was meant: the schema says integer.
        r#"{"path": "song.txt", "from": 499.0, "limit": null}"#,
        r#"{"path": "song.txt"}"#,
        r#"{"path": "song.txt", "from": "two"}"#,
        r#"{"path": "poem.txt"}"#,
        r#"{"path": "broken.txt"}"#,
    ] {
        let result = registry.execute(ToolCall::from_model("call", "read_file", arguments)).await;
        println!("{arguments}\n  {}", result.text().replace('\n', "\n  "));
    }
    Ok(())
}
