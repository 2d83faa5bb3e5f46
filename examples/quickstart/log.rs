//! Prints what became of each call.

use std::sync::Arc;

use toolgate::{ResultObserver, ToolExecution, ToolResult};

/// A log on the terminal. To log to a file or a service, send what is seen here to a channel: observers must not block.
#[derive(Debug)]
pub(crate) struct Log;

impl ResultObserver for Log {
    fn name(&self) -> &str {
        "log"
    }

    fn observe(&self, cx: &ToolExecution, result: &Arc<ToolResult>) {
        println!("    stages  {}", cx.stages());
        let by = result.error().and_then(|e| e.source_name.as_deref());
        let code = result.code().map_or("ok", |code| code.as_str());
        println!("    code    {code}{}", by.map(|by| format!(" (by {by})")).unwrap_or_default());
        for (i, line) in result.text().lines().enumerate() {
            println!("    {}  {line}", if i == 0 { "result" } else { "      " });
        }
        println!();
    }
}
