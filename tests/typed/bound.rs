//! Text of a success that is longer than its tool allows.

use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate::{
    ContentBlock, OutputSpec, PolicyError, PostDecision, PostNext, PostPolicy, ToolContext, ToolDefinition, ToolError,
    ToolExecution, ToolResult, tool,
};

use crate::{call, only};

fn says(text: String) -> ToolDefinition {
    tool("t").output(OutputSpec::text()).body(move |_| {
        let text = text.clone();
        async move { Ok(Value::String(text)) }
    })
}

fn shown(text: &str, most: usize) -> String {
    let result = call(&only(says(text.to_owned()).max_text_bytes(most)), "t", json!({}));
    assert_eq!(result.value(), Some(&json!(text)), "the value stays whole");
    result.text()
}

#[test]
fn what_fits_is_not_touched() {
    assert_eq!(shown("0123456789", 10), "0123456789");
    assert_eq!(shown("", 1), "");
}

#[test]
fn the_middle_is_left_out() {
    assert_eq!(shown("0123456789x", 10), "01234\n[… 1 of 11 bytes left out …]\n6789x");
    assert_eq!(shown("abcdef", 1), "a\n[… 5 of 6 bytes left out …]\n".trim_end());
}

#[test]
fn lines_stay_whole_where_they_are_short_enough() {
    let text = "line one\nline two\nline three\nline four\nline five\n";
    assert_eq!(shown(text, 40), "line one\nline two\n[… 11 of 49 bytes left out …]\nline four\nline five\n");
}

#[test]
fn no_character_is_cut() {
    let text = "é".repeat(20);
    assert_eq!(shown(&text, 7), "éé\n[… 34 of 40 bytes left out …]\né");
}

#[test]
fn several_blocks_are_one_text_and_images_stay() {
    let blocks = || {
        vec![
            ContentBlock::text("aaaa"),
            ContentBlock::image("AAAA", "image/png"),
            ContentBlock::text("bbbbbbbb"),
            ContentBlock::image("BBBB", "image/png"),
            ContentBlock::text("cc"),
        ]
    };
    let definition = tool("t").output(OutputSpec::any().render(move |_| blocks())).body(|_| async { Ok(json!(1)) });
    let result = call(&only(definition.max_text_bytes(10)), "t", json!({}));
    let expected = [
        ContentBlock::text("aaaa"),
        ContentBlock::image("AAAA", "image/png"),
        ContentBlock::text("b\n[… 4 of 14 bytes left out …]\nbbb"),
        ContentBlock::image("BBBB", "image/png"),
        ContentBlock::text("cc"),
    ];
    assert_eq!(result.content(), expected);
}

#[test]
fn failures_are_not_cut_and_the_finalizer_has_the_last_word() {
    let fails = tool("t").output(OutputSpec::text()).body(|_| async { Err(ToolError::failed("x".repeat(100))) });
    assert_eq!(call(&only(fails.max_text_bytes(10)), "t", json!({})).text().len(), "Error: ".len() + 100);
    let finalized = says("x".repeat(100))
        .max_text_bytes(10)
        .finalize_content(|result| Some(vec![ContentBlock::text(format!("<{}>", result.text()))]));
    assert_eq!(call(&only(finalized), "t", json!({})).text(), "<xxxxx\n[… 90 of 100 bytes left out …]\nxxxxx>");
}

/// Puts something in place of what it sees.
#[derive(Debug)]
struct Replaces(fn(String) -> PostDecision);

#[async_trait]
impl PostPolicy for Replaces {
    fn name(&self) -> &str {
        "replaces"
    }

    async fn review(&self, _: &ToolExecution, _: &ToolResult, _: PostNext<'_>) -> Result<PostDecision, PolicyError> {
        Ok((self.0)("x".repeat(100)))
    }
}

#[test]
fn a_policys_value_is_rendered_within_it_and_a_policys_content_is_its_own() {
    let cut = "xxxxx\n[… 90 of 100 bytes left out …]\nxxxxx";
    let registry = only(says("short".to_owned()).max_text_bytes(10));
    let policy = registry.post_policy(Replaces(|text| PostDecision::value(Value::String(text))));
    assert_eq!(call(&registry, "t", json!({})).text(), cut);
    policy.expect("registered").remove();
    registry.post_policy(Replaces(|text| PostDecision::content(vec![ContentBlock::text(text)]))).expect("registered");
    assert_eq!(call(&registry, "t", json!({})).text().len(), 100);
}

#[test]
fn a_bound_of_nothing_is_refused() {
    let refused = toolgate::ToolRegistry::new().register(says(String::new()).max_text_bytes(0));
    assert!(refused.expect_err("nothing could be told").to_string().contains("max_text_bytes: must be more than zero"));
}

#[test]
fn it_is_part_of_a_declaration_over_types() {
    let list = |_: ToolContext, (): ()| async { Ok::<_, ToolError>(vec![1_u32; 100]) };
    let result = call(&only(tool("t").output(OutputSpec::any()).handler(list).max_text_bytes(9)), "t", json!({}));
    assert_eq!(result.text(), "[1,1,\n[… 192 of 201 bytes left out …]\n1,1]");
}

fn part() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "é", "😀", "\n", "word ", ""]), 0..40).prop_map(|p| p.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_and_what_is_left_out_add_up(parts in prop::collection::vec(part(), 1..4), most in 1_usize..60) {
        let blocks: Vec<_> = parts.iter().map(ContentBlock::text).collect();
        let spec = OutputSpec::any().render(move |_| blocks.clone());
        let definition = tool("t").output(spec).body(|_| async { Ok(json!(1)) }).max_text_bytes(most);
        let result = call(&only(definition), "t", json!({}));
        let total: usize = parts.iter().map(String::len).sum();
        let whole = parts.concat();
        let told: Vec<_> = result.content().iter().filter_map(ContentBlock::as_text).collect();
        let told = told.concat();
        if total <= most {
            prop_assert_eq!(told, whole);
            return Ok(());
        }
        let (before, rest) = told.split_once("[… ").expect("there is a note");
        let (note, after) = rest.split_once(" bytes left out …]").expect("the note is whole");
        let (left_out, of) = note.split_once(" of ").expect("the note is whole");
        prop_assert_eq!(of.parse::<usize>().expect("a number"), total);
        let after = after.strip_prefix('\n').unwrap_or(after);
        let before = if whole.starts_with(before) { before } else { before.strip_suffix('\n').expect("added") };
        prop_assert!(whole.starts_with(before) && whole.ends_with(after), "{before:?} {after:?}");
        let left_out: usize = left_out.parse().expect("a number");
        let kept = total - left_out;
        prop_assert!(kept <= most && before.len() + after.len() >= kept && before.len() + after.len() <= kept + 1);
    }
}
