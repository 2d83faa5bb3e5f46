//! Writes tools in the format of every provider, as one JSON, with what each format loses.
//!
//! `cargo run --example export -- [FILE] [--strict] [--parts A,B]`
//!
//! FILE is a list of an MCP server, as JSON (`{"tools": [...]}`, or pages of it under `tools_list`), or a file of functions with a
//! JSON object on each line, which has `tool` and `normalized_parameters`. Without it a small list is written. `--strict` asks
//! for strictness where a tool can have it. `--parts` leaves out all members but those named.
//! What cannot be registered or exported is told on stderr, and the others go on.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to its reader")]

mod read;

use std::{env, error::Error, fs, process::ExitCode};

use serde_json::{Map, Value, json};
use toolgate::{
    ToolInfo,
    provider::{Budget, Exporter, Format, Strict},
};

struct Wish {
    file: Option<String>,
    strict: bool,
    parts: Option<Vec<String>>,
}

fn wish() -> Result<Wish, String> {
    let mut wish = Wish { file: None, strict: false, parts: None };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--strict" => wish.strict = true,
            "--parts" => {
                let parts = words.next().ok_or("--parts wants names, with commas in between")?;
                wish.parts = Some(parts.split(',').map(str::to_owned).collect());
            }
            option if option.starts_with("--") => return Err(format!("there is no option {option}")),
            _ if wish.file.is_some() => return Err("one file at a time".to_owned()),
            _ => wish.file = Some(word),
        }
    }
    Ok(wish)
}

/// Every format's tools under its name, names and reports beside them; and what to say of it.
fn document(tools: &[ToolInfo], strict: bool) -> (Map<String, Value>, Vec<String>) {
    let (mut out, mut names, mut reports, mut said) = (Map::new(), Map::new(), Map::new(), Vec::new());
    for format in Format::ALL {
        // A file may hold more tools than fit into one request; each of them still has to.
        let budget = Budget::of(*format).tools(usize::MAX).total_bytes(usize::MAX);
        let strict = if strict { Strict::WherePossible } else { Strict::Never };
        let export = Exporter::new(*format).strict(strict).budget(budget).export(tools);
        let strictly = export.reports().iter().filter(|report| export.is_strict(&report.name)).count();
        let (mut refused, mut lossy) = (0, 0);
        for (report, reason) in export.refused() {
            refused += 1;
            said.push(format!("{format}: {:?} is refused: {reason}", report.name));
        }
        for report in export.reports() {
            lossy += usize::from(!report.losses.is_empty());
        }
        let went_out = tools.len() - refused;
        said.push(format!(
            "{format}: {went_out} tools, {strictly} of them strict, {refused} refused, {lossy} with losses, {} bytes",
            export.to_json().len()
        ));
        let own: Map<String, Value> =
            export.names().iter().map(|(name, wire)| (name.to_owned(), json!(wire))).collect();
        names.insert(format.to_string(), Value::Object(own));
        reports.insert(format.to_string(), json!(export.reports()));
        out.insert(format.to_string(), export.tools().clone());
    }
    out.insert("names".to_owned(), Value::Object(names));
    out.insert("reports".to_owned(), Value::Object(reports));
    (out, said)
}

fn run() -> Result<(), Box<dyn Error>> {
    let wish = wish()?;
    let tools = match &wish.file {
        Some(file) => {
            let text = fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
            read::tools(&text).map_err(|e| format!("{file}: {e}"))?
        }
        None => read::some_tools()?,
    };
    let (mut document, said) = document(&tools, wish.strict);
    if let Some(parts) = &wish.parts {
        document.retain(|part, _| parts.contains(part));
    }
    println!("{}", serde_json::to_string(&document)?);
    for line in said {
        eprintln!("{line}");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
