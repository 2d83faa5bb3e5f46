//! Long results, shortened for the model in the middle.

use crate::{
    content::{Blocks, ContentBlock},
    cut::cut,
};

/// Keeps `most` bytes of the text of `content`, half of them from its start and half from its end, and says in between how
/// much was left out. Blocks of other kinds stay where they are.
pub(crate) fn abridge(content: Blocks, most: usize) -> Blocks {
    let total: usize = content.iter().filter_map(ContentBlock::as_text).map(str::len).sum();
    if total <= most {
        return content;
    }
    let (mut head, mut tail) = (most - most / 2, most / 2);
    // Where the tail begins, counted in bytes of text.
    let from = total - tail;
    let mut kept = Vec::with_capacity(content.len() + 1);
    let (mut passed, mut left_out, mut note_at) = (0, 0, None);
    for block in content.into_vec() {
        let ContentBlock::Text { text } = &block else {
            kept.push(block);
            continue;
        };
        let start = if note_at.is_none() { head_of(text, head) } else { "" };
        head -= start.len();
        let rest = &text[start.len()..];
        passed += text.len();
        let end = if passed > from { tail_of(rest, tail.min(passed - from)) } else { "" };
        tail = tail.saturating_sub(end.len());
        left_out += rest.len() - end.len();
        if start.len() == text.len() {
            kept.push(block);
            continue;
        }
        if !start.is_empty() {
            kept.push(ContentBlock::text(start));
        }
        if note_at.is_none() {
            note_at = Some(kept.len());
            kept.push(ContentBlock::text(""));
        }
        if !end.is_empty() {
            kept.push(ContentBlock::text(end));
        }
    }
    // There is one: more than all was not kept.
    let Some(note_at) = note_at else { return kept.into() };
    join_around(kept, note_at, &format!("[… {left_out} of {total} bytes left out …]")).into()
}

/// Puts the note at its place, in one block with the text before and after it.
fn join_around(mut kept: Vec<ContentBlock>, at: usize, note: &str) -> Vec<ContentBlock> {
    let mut text = String::new();
    let mut from = at;
    if let Some(before) = at.checked_sub(1).and_then(|i| kept.get(i)).and_then(ContentBlock::as_text) {
        text.push_str(before);
        from = at - 1;
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text.push_str(note);
    let mut to = at + 1;
    if let Some(after) = kept.get(to).and_then(ContentBlock::as_text) {
        text.push('\n');
        text.push_str(after);
        to += 1;
    }
    kept.splice(from..to, [ContentBlock::text(text)]);
    kept
}

/// At most `bytes` of the start, whole lines if that keeps half of it.
fn head_of(text: &str, bytes: usize) -> &str {
    let head = cut(text, bytes);
    if head.len() == text.len() {
        return head;
    }
    match head.rfind('\n') {
        Some(end) if end + 1 >= head.len().div_ceil(2) => &head[..=end],
        _ => head,
    }
}

/// At most `bytes` of the end, whole lines if that keeps half of it.
fn tail_of(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let tail = &text[from..];
    if from == 0 || text[..from].ends_with('\n') {
        return tail;
    }
    match tail.find('\n') {
        Some(end) if tail.len() - (end + 1) >= tail.len().div_ceil(2) => &tail[end + 1..],
        _ => tail,
    }
}
