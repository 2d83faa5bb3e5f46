//! STUB
use serde_json::Value;
pub(crate) const HARD_ARGUMENT_BYTES: usize = 64 << 20;
pub(crate) const HARD_DEPTH: usize = 128;
pub(crate) const DEFAULT_ARGUMENT_BYTES: usize = 1 << 20;
pub(crate) const DEFAULT_DEPTH: usize = 64;
pub(crate) const DEFAULT_NODES: usize = 100_000;
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArgumentLimits {
    pub(crate) bytes: usize,
    pub(crate) depth: usize,
    pub(crate) nodes: usize,
}
#[derive(Debug)]
pub(crate) struct ArgumentProblem(String);
impl std::fmt::Display for ArgumentProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
pub(crate) fn parse_arguments(text: &str, _l: ArgumentLimits) -> Result<Value, ArgumentProblem> {
    if text.trim().is_empty() || text.trim() == "null" {
        return Ok(serde_json::json!({}));
    }
    let v: Value = serde_json::from_str(text).map_err(|e| ArgumentProblem(format!(": {e}")))?;
    if v.is_object() { Ok(v) } else { Err(ArgumentProblem(": expected an object".into())) }
}
pub(crate) fn measure(_v: &Value, _l: ArgumentLimits) -> Result<(), ArgumentProblem> {
    Ok(())
}
pub(crate) fn deeper_than(_v: &Value, _d: usize) -> bool {
    false
}
pub(crate) fn dismantle(v: Value) {
    drop(v)
}
#[derive(Debug)]
pub(crate) struct Shielded(Value);
impl Shielded {
    pub(crate) fn new(v: Value) -> Self {
        Self(v)
    }
    pub(crate) fn into_inner(self) -> Value {
        self.0
    }
}
impl std::ops::Deref for Shielded {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.0
    }
}
#[derive(Debug, Clone)]
pub(crate) struct CompiledSchema(std::sync::Arc<jsonschema::Validator>);
#[derive(Debug)]
pub(crate) struct SchemaProblem(String);
impl std::fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
pub(crate) struct Violations(String);
impl std::fmt::Display for Violations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl CompiledSchema {
    pub(crate) fn compile(v: &Value) -> Result<Self, Vec<SchemaProblem>> {
        jsonschema::options()
            .offline()
            .build(v)
            .map(|v| Self(std::sync::Arc::new(v)))
            .map_err(|e| vec![SchemaProblem(e.to_string())])
    }
    pub(crate) fn is_valid(&self, v: &Value) -> bool {
        self.0.is_valid(v)
    }
    pub(crate) fn violations(&self, v: &Value) -> Violations {
        Violations(
            self.0
                .iter_errors(v)
                .map(|e| format!("{}: {}", e.instance_path(), e.masked()))
                .collect::<Vec<_>>()
                .join("; "),
        )
    }
}
