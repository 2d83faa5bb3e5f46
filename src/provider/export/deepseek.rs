//! `DeepSeek`: tools as Chat Completions has them, and a strictness of its own on the `/beta` base URL.
//! <https://api-docs.deepseek.com/guides/function_calling>

use super::{
    openai,
    rules::{Null, References, Rules},
    whole::Whole,
};

/// Not told apart from `OpenAI`'s: what is safe there is safe here.
pub(super) const WHOLE: Whole = openai::WHOLE;

pub(super) const STRICT: Rules = Rules {
    keep: &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"],
    formats: &[("string", &["email", "hostname", "ipv4", "ipv6", "uuid"])],
    references: References::KeptOutsideAlternatives,
    null: Null::TypeOfScalars,
    empty_objects: false,
    ..openai::STRICT
};
