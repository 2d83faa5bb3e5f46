//! Names that are nearly right.

use std::cell::Cell;

use super::limits::{NEAR_CHARS, NEAR_LOOKS};

/// Finds the nearest of some names, within a budget of comparisons.
pub(super) struct Near {
    left: Cell<usize>,
}

impl Near {
    pub(super) fn new() -> Self {
        Self::within(NEAR_LOOKS)
    }

    /// With a budget of so many comparisons.
    pub(super) fn within(looks: usize) -> Self {
        Self { left: Cell::new(looks) }
    }

    /// The one of `known` that `name` is most likely a slip of; of several that are as near, the first. What is meant to
    /// be found out is a typing error, so two names that are both short, or differ in much, are not near.
    pub(super) fn nearest<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        let wanted = plain(name)?;
        let mut best: Option<(usize, &'n str)> = None;
        for other in known {
            let left = self.left.get().checked_sub(1)?;
            self.left.set(left);
            if other == name {
                continue;
            }
            let Some(letters) = plain(other) else { continue };
            let longer = wanted.len().max(letters.len());
            let most = if longer < 3 { 0 } else { (longer / 3).clamp(1, 3) };
            let most = best.map_or(most, |(least, _)| most.min(least.saturating_sub(1)));
            if best.is_some_and(|(least, _)| least == 0) {
                break;
            }
            if let Some(distance) = distance(&wanted, &letters, most) {
                best = Some((distance, other));
            }
        }
        best.map(|(_, name)| name)
    }
}

/// Letters without case and without what joins words; nothing for a name that is too long to be compared, or empty.
fn plain(name: &str) -> Option<Vec<char>> {
    if name.len() > 4 * NEAR_CHARS {
        return None;
    }
    let joins = |c: &char| !matches!(c, '_' | '-' | ' ' | '.');
    let letters: Vec<char> = name.chars().filter(joins).flat_map(char::to_lowercase).collect();
    (!letters.is_empty() && letters.len() <= NEAR_CHARS).then_some(letters)
}

/// How many letters have to be put in, left out, replaced or swapped with their neighbour (optimal string alignment);
/// nothing if more than `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut upper: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            let mut steps = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                steps = steps.min(upper[j - 1] + 1);
            }
            row.push(steps);
        }
        // No later row falls below the fewest of two rows that follow each other.
        let fewest = row.iter().chain(&above).min().copied().unwrap_or(0);
        if fewest > most {
            return None;
        }
        upper = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|d| *d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
        Near::new().nearest(name, known.iter().copied())
    }

    #[test]
    fn slips_are_found() {
        for (name, meant) in [
            ("pth", "path"),
            ("celcius", "celsius"),
            ("requried", "required"),
            ("filePath", "file_path"),
            ("Path", "path"),
            ("recieve", "receive"),
            ("propertys", "properties"),
        ] {
            assert_eq!(nearest(name, &["unlike", meant, "otherwise"]), Some(meant), "{name}");
        }
        assert_eq!(nearest("serach", &["sea", "search", "reach"]), Some("search"), "the nearest, not the first");
    }

    #[test]
    fn other_words_are_not_near() {
        for (name, known) in [("id", "ip"), ("path", "name"), ("x", "y"), ("file", "mode"), ("same", "same"), ("", "a")]
        {
            assert_eq!(nearest(name, &[known]), None, "{name} {known}");
        }
        let long = "a".repeat(NEAR_CHARS + 1);
        assert_eq!(nearest(&long, &[&long[1..]]), None, "too long to be compared");
    }

    #[test]
    fn a_swap_of_neighbours_is_one_step() {
        let letters = |s: &str| s.chars().collect::<Vec<_>>();
        assert_eq!(distance(&letters("abcd"), &letters("acbd"), 3), Some(1));
        assert_eq!(distance(&letters("kitten"), &letters("sitting"), 3), Some(3));
        assert_eq!(distance(&letters("kitten"), &letters("sitting"), 2), None);
        assert_eq!(distance(&letters(""), &letters("abc"), 3), Some(3));
        assert_eq!(distance(&letters("same"), &letters("same"), 0), Some(0));
    }

    #[test]
    fn comparisons_are_counted() {
        let near = Near::new();
        let many: Vec<String> = (0..NEAR_LOOKS).map(|i| format!("other{i}")).collect();
        assert_eq!(near.nearest("wanted", many.iter().map(String::as_str)), None);
        assert_eq!(near.nearest("pth", ["path"].into_iter()), None, "nothing is left");
    }
}
