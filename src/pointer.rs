//! Names as steps of JSON pointers: `~` and `/` have another spelling there.

/// A name as it stands in a pointer.
pub(crate) fn escaped(name: &str) -> String {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1") } else { name.to_owned() }
}

/// The name that a step of a pointer is.
pub(crate) fn unescaped(step: &str) -> String {
    if step.contains('~') { step.replace("~1", "/").replace("~0", "~") } else { step.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for (name, step) in [("a", "a"), ("a/b", "a~1b"), ("~", "~0"), ("~1", "~01"), ("/~0", "~1~00"), ("", "")] {
            assert_eq!(escaped(name), step);
            assert_eq!(unescaped(step), name);
        }
    }
}
