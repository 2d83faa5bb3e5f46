//! Participants that are functions.

use std::{future::Future, pin::Pin};

use async_trait::async_trait;
use toolgate::{
    DispatchExecution, DispatchOutcome, ExecuteNext, ExecuteWrapper, PolicyError, PostDecision, PostNext, PostPolicy,
    PreDecision, PreNext, PrePolicy, ToolExecution, ToolResult,
};

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, PolicyError>> + Send + 'a>>;

/// A name and a function.
struct Part<F>(&'static str, F);

impl<F> std::fmt::Debug for Part<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

#[async_trait]
impl<F> ExecuteWrapper for Part<F>
where
    F: for<'a> Fn(&'a DispatchExecution, ExecuteNext<'a>) -> Answer<'a, DispatchOutcome> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        self.0
    }

    async fn wrap(&self, cx: &DispatchExecution, next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        (self.1)(cx, next).await
    }
}

pub(crate) fn wrap<F>(name: &'static str, f: F) -> impl ExecuteWrapper
where
    F: for<'a> Fn(&'a DispatchExecution, ExecuteNext<'a>) -> Answer<'a, DispatchOutcome> + Send + Sync + 'static,
{
    Part(name, f)
}

#[async_trait]
impl<F> PrePolicy for Part<F>
where
    F: for<'a> Fn(&'a ToolExecution, PreNext<'a>) -> Answer<'a, PreDecision> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        self.0
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        (self.1)(cx, next).await
    }
}

pub(crate) fn pre<F>(name: &'static str, f: F) -> impl PrePolicy
where
    F: for<'a> Fn(&'a ToolExecution, PreNext<'a>) -> Answer<'a, PreDecision> + Send + Sync + 'static,
{
    Part(name, f)
}

#[async_trait]
impl<F> PostPolicy for Part<F>
where
    F: for<'a> Fn(&'a ToolExecution, &'a ToolResult, PostNext<'a>) -> Answer<'a, PostDecision> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        self.0
    }

    async fn review(
        &self,
        cx: &ToolExecution,
        outcome: &ToolResult,
        next: PostNext<'_>,
    ) -> Result<PostDecision, PolicyError> {
        (self.1)(cx, outcome, next).await
    }
}

pub(crate) fn post<F>(name: &'static str, f: F) -> impl PostPolicy
where
    F: for<'a> Fn(&'a ToolExecution, &'a ToolResult, PostNext<'a>) -> Answer<'a, PostDecision> + Send + Sync + 'static,
{
    Part(name, f)
}
