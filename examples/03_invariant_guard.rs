//! An invariant that no policy, approver or wrapper can talk anybody out of.
//!
//! `cargo run --example 03_invariant_guard`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use serde_json::json;
use toolgate::{
    ErrorCode, Guard, GuardVerdict, OutputSpec, PolicyError, PreDecision, PreNext, PrePolicy, Stage, ToolCall,
    ToolContext, ToolExecution, ToolRegistry, tool,
};

/// No transfer above a limit. A guard is synchronous and pure: it may be asked more than once about one call.
#[derive(Debug)]
struct TransferLimit {
    most: i64,
}

impl Guard for TransferLimit {
    fn name(&self) -> &str {
        "transfer-limit"
    }

    fn check(&self, cx: &ToolExecution) -> GuardVerdict {
        let amount = cx.arguments()["amount"].as_i64();
        // Arguments have been checked before; whatever this cannot read it does not let pass.
        match (cx.name(), amount) {
            ("transfer", Some(amount)) if amount <= self.most => GuardVerdict::Abstain,
            ("transfer", _) => GuardVerdict::deny(format!("at most {} at a time", self.most)),
            _ => GuardVerdict::Abstain,
        }
    }
}

/// A policy that is too friendly: it allows everything and asks nobody else.
#[derive(Debug)]
struct AllowEverything;

#[async_trait]
impl PrePolicy for AllowEverything {
    fn name(&self) -> &str {
        "allow-everything"
    }

    async fn decide(&self, _cx: &ToolExecution, _next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        Ok(PreDecision::Allow)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let moved = Arc::new(AtomicUsize::new(0));
    let registry = ToolRegistry::new();
    let count = moved.clone();
    registry.register(
        tool("transfer")
            .parameters(
                json!({"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}),
            )
            .output(OutputSpec::text())
            .body(move |cx: ToolContext| {
                count.fetch_add(1, Ordering::SeqCst);
                async move { Ok(json!(format!("moved {}", cx.arguments()["amount"]))) }
            }),
    )?;
    registry.pre_policy(AllowEverything)?;
    registry.guard(TransferLimit { most: 100 })?;

    let transfer = |amount: i64| ToolCall::new("call", "transfer").with_arguments(json!({"amount": amount}));
    let small = registry.execute(transfer(70)).await;
    println!("transfer 70:   {}", small.text());
    assert!(small.is_success());

    let large = registry.execute(transfer(7_000)).await;
    println!("transfer 7000: {}", large.text());
    let failure = large.error().ok_or("the guard did not refuse")?;
    assert_eq!(failure.code, ErrorCode::GUARD_DENIED);
    assert_eq!(failure.source_name.as_deref(), Some("transfer-limit"));
    assert_eq!(moved.load(Ordering::SeqCst), 1, "the body ran for the small transfer only");

    println!(
        "a guard speaks at stage {:?} of {}, after everybody who may allow something",
        Stage::Guard,
        Stage::ALL.len()
    );
    Ok(())
}
