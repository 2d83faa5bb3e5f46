//! The tools: one that works, one that is too slow, and some that policies look at.

use std::{
    io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{
    Annotations, ContentBlock, OutputSpec, RegisterError, ToolContext, ToolDefinition, ToolError, ToolRegistry, tool,
};

pub(crate) fn register(registry: &ToolRegistry) -> Result<(), RegisterError> {
    registry.register(read_file_tool())?;
    registry.register(slow_report_tool())?;
    registry.register(send_mail_tool())?;
    for refused in &REFUSED {
        registry.register(refused.tool())?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct ReadFile {
    path: String,
    offset: Option<usize>,
    limit: Option<usize>,
}

fn read_file_tool() -> ToolDefinition {
    tool("read_file")
        .description("Reads a text file, whole or some lines of it")
        .parameters(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Relative to the project, or absolute"},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line to read, from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read"},
            },
            "required": ["path"],
            "additionalProperties": false,
        }))
        .output(OutputSpec::text())
        .annotations(Annotations::read_only().open_world(false))
        .finalize_content(|result| shortened(&result.text()))
        .handler(|_cx: ToolContext, args: ReadFile| read_file(args))
}

async fn read_file(args: ReadFile) -> Result<String, ToolError> {
    // An absolute path replaces what it is joined to.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&args.path);
    let text = tokio::fs::read_to_string(&path).await.map_err(|e| unreadable(&args.path, e))?;
    let (skip, most) = (args.offset.unwrap_or(1) - 1, args.limit.unwrap_or(usize::MAX));
    let lines: Vec<&str> = text.lines().skip(skip).take(most).collect();
    if lines.is_empty() && skip > 0 {
        let message = format!("{:?} has {} lines: nothing at line {}", args.path, text.lines().count(), skip + 1);
        return Err(ToolError::new("OFFSET_BEYOND_END", message));
    }
    Ok(lines.join("\n"))
}

/// The tool's own last word on what the model reads, whatever happened before.
fn shortened(text: &str) -> Option<Vec<ContentBlock>> {
    const MOST: usize = 2_000;
    let (end, _) = text.char_indices().nth(MOST)?;
    let hint = format!("\n[cut after {MOST} characters; read on with offset and limit]");
    Some(vec![ContentBlock::text(text[..end].to_owned() + &hint)])
}

/// The model reads the message and can correct itself; the whole error goes to observers.
fn unreadable(path: &str, error: io::Error) -> ToolError {
    let (code, what) = match error.kind() {
        io::ErrorKind::NotFound => ("FILE_NOT_FOUND", "does not exist: check the path, or list its directory"),
        io::ErrorKind::IsADirectory => ("IS_A_DIRECTORY", "is a directory: name a file in it"),
        io::ErrorKind::InvalidData => ("NOT_TEXT", "is not UTF-8 text"),
        _ => ("READ_FAILED", "cannot be read"),
    };
    ToolError::new(code, format!("{path:?} {what}")).with_source(error)
}

/// Takes a minute, and may take 300 ms.
fn slow_report_tool() -> ToolDefinition {
    tool("slow_report")
        .description("Writes the yearly report")
        .output(OutputSpec::text())
        .timeout(Duration::from_millis(300))
        .grace(Duration::from_millis(100))
        .body(|_cx: ToolContext| async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(json!("a good year"))
        })
}

fn send_mail_tool() -> ToolDefinition {
    tool("send_mail")
        .description("Sends a mail")
        .parameters(object_of_text(&["to", "text"]))
        .output(OutputSpec::text())
        .body(|cx: ToolContext| async move {
            Ok(json!(format!("would send it to {}; the example has no mail server", cx.arguments()["to"])))
        })
}

/// A tool that this example's policies never let run.
struct Refused {
    name: &'static str,
    description: &'static str,
    parameters: &'static [&'static str],
    ran: AtomicBool,
}

impl Refused {
    const fn new(name: &'static str, description: &'static str, parameters: &'static [&'static str]) -> Self {
        Self { name, description, parameters, ran: AtomicBool::new(false) }
    }

    fn tool(&'static self) -> ToolDefinition {
        tool(self.name)
            .description(self.description)
            .parameters(object_of_text(self.parameters))
            .output(OutputSpec::text())
            .body(move |_cx: ToolContext| async move {
                self.ran.store(true, Ordering::SeqCst);
                Ok(json!("done"))
            })
    }
}

static REFUSED: [Refused; 3] = [
    Refused::new("fs_write", "Writes a file", &["path", "content"]),
    Refused::new("fs_edit", "Replaces text in a file", &["path", "old", "new"]),
    Refused::new("run_code", "Runs a program", &["code"]),
];

/// The refused tools that ran all the same: none, or the example fails.
pub(crate) fn ran_though_refused() -> impl Iterator<Item = &'static str> {
    REFUSED.iter().filter(|tool| tool.ran.load(Ordering::SeqCst)).map(|tool| tool.name)
}

fn object_of_text(names: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}
