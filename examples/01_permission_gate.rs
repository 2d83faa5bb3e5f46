//! A policy that decides by rules who may do what: allow, deny or ask, the strictest wins.
//!
//! `cargo run --example 01_permission_gate`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;

use async_trait::async_trait;
use serde_json::json;
use toolgate::{
    ApprovalOutcome, ApprovalRequest, Approver, ErrorCode, OutputSpec, PolicyError, PreDecision, PreNext, PrePolicy,
    ToolCall, ToolContext, ToolExecution, ToolRegistry, tool,
};

/// What a rule says of the calls it matches.
#[derive(Clone, Copy, Debug)]
enum Say {
    Deny,
    Ask,
}

/// The rule of a tool, and of a path that contains a text, if it names one.
#[derive(Debug)]
struct Rule {
    tool: &'static str,
    path: Option<&'static str>,
    say: Say,
    why: &'static str,
}

impl Rule {
    fn matches(&self, cx: &ToolExecution) -> bool {
        let path = cx.arguments()["path"].as_str().unwrap_or_default();
        self.tool == cx.name() && self.path.is_none_or(|part| path.contains(part))
    }
}

/// Asks all rules, and the policies further in: nobody's word makes another's laxer.
#[derive(Debug)]
struct PermissionGate {
    rules: Vec<Rule>,
}

#[async_trait]
impl PrePolicy for PermissionGate {
    fn name(&self) -> &str {
        "permission-gate"
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        let own = self.rules.iter().filter(|rule| rule.matches(cx)).map(|rule| match rule.say {
            Say::Deny => PreDecision::deny(rule.why),
            Say::Ask => PreDecision::ask(rule.why),
        });
        let own = own.fold(PreDecision::Allow, PreDecision::strictest);
        if matches!(own, PreDecision::Deny(_)) {
            return Ok(own);
        }
        Ok(own.strictest(next.run().await?))
    }
}

/// Says yes to everything but what lies in `/etc`.
#[derive(Debug)]
struct Human;

#[async_trait]
impl Approver for Human {
    fn name(&self) -> &str {
        "human"
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        let system = request.arguments()["path"].as_str().is_some_and(|path| path.starts_with("/etc/"));
        Ok(if system { ApprovalOutcome::Rejected } else { ApprovalOutcome::AllowedOnce })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = ToolRegistry::new();
    for name in ["read", "write", "delete"] {
        registry.register(
            tool(name)
                .parameters(json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}))
                .output(OutputSpec::text())
                .body(|cx: ToolContext| async move { Ok(json!(format!("{} {}", cx.name(), cx.arguments()["path"]))) }),
        )?;
    }
    registry.pre_policy(PermissionGate {
        rules: vec![
            Rule { tool: "write", path: None, say: Say::Ask, why: "this changes a file" },
            Rule { tool: "write", path: Some(".git/"), say: Say::Deny, why: "history is written by git alone" },
            Rule { tool: "delete", path: None, say: Say::Deny, why: "nothing is deleted here" },
        ],
    })?;
    registry.approver(Human)?;
    registry.scope("main");

    let cases = [
        ("read", "a.txt", None),
        ("write", "a.txt", None),
        ("write", "/etc/passwd", Some(ErrorCode::APPROVAL_REJECTED)),
        ("write", ".git/config", Some(ErrorCode::DENIED)),
        ("delete", "a.txt", Some(ErrorCode::DENIED)),
    ];
    for (name, path, expected) in cases {
        let call = ToolCall::new("call", name).with_arguments(json!({"path": path})).with_agent("main");
        let result = registry.execute(call).await;
        let code = result.code().map_or("ok", |code| code.as_str());
        println!("{name:<7} {path:<12} {code:<18} {}", result.text());
        assert_eq!(result.code(), expected.as_ref());
    }
    Ok(())
}
