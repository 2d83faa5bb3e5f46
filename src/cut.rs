//! Cutting text without cutting a character.

/// The start of `text`, at most `bytes` of it.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn no_limit_cuts_a_character() {
        for limit in 0..12 {
            let kept = cut("a😀é", limit);
            assert!(kept.len() <= limit && "a😀é".starts_with(kept));
        }
        assert_eq!((cut("a😀", 4), cut("a😀", 5)), ("a", "a😀"));
    }
}
