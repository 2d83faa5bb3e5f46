//! By what name a tool goes to a provider, and back.

use std::{collections::BTreeMap, fmt, fmt::Write as _, sync::Arc};

use sha2::{Digest, Sha256};

/// Bytes that every provider takes.
const LONGEST: usize = 64;
/// Bytes of a digest in a name: 40 bits, so that two of a million changed names collide once in two tries, and then
/// one of the two is refused.
const DIGEST: usize = 5;

/// Registry names and the names by which providers know them, both ways.
///
/// A name that is portable, `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, goes as it is. Any other one goes as a digest of itself and its
/// last characters, with `_` for what is not portable: `fs.read` is `x` and ten characters, `_fs_read`. What a name becomes
/// depends on that name alone, never on other tools or their order. Should two names become one, the portable one keeps
/// it, or else the one that sorts first, and the other is refused with a [`NameError`].
///
/// ```
/// use toolgate::provider::NameTable;
///
/// let (names, refused) = NameTable::portable(["search", "fs.read"]);
/// assert!(refused.is_empty());
/// assert_eq!(names.wire_name("search"), Some("search"));
/// let wire = names.wire_name("fs.read").expect("in the table");
/// assert!(wire.ends_with("_fs_read") && wire.len() <= 64);
/// assert_eq!(names.registry_name(wire), Some("fs.read"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    to_wire: BTreeMap<Arc<str>, Arc<str>>,
    to_registry: BTreeMap<Arc<str>, Arc<str>>,
}

/// A tool that cannot be exported, because its name would be taken for that of another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameError {
    /// The tool's name in the registry.
    pub name: String,
    /// The name it would go by.
    pub wire_name: String,
    /// The tool that goes by it.
    pub taken_by: String,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, wire_name, taken_by } = self;
        write!(f, "tool {name:?} would go by the name {wire_name:?}, which is that of {taken_by:?}: rename one of them")
    }
}

impl std::error::Error for NameError {}

impl NameTable {
    /// The table of portable names for `names`, and those that have no place in it. A repeated name counts once.
    pub fn portable<'a>(names: impl IntoIterator<Item = &'a str>) -> (Self, Vec<NameError>) {
        // Portable names first: they keep what they are.
        let mut sorted: Vec<_> = names.into_iter().map(|name| (!is_portable(name), name)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let (mut table, mut refused) = (Self::default(), Vec::new());
        for (_, name) in sorted {
            if let Err(error) = table.add(name, portable(name)) {
                refused.push(error);
            }
        }
        (table, refused)
    }

    /// The table in which every name is itself.
    pub fn identical<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self::default();
        for name in names {
            // A name meets none but itself.
            _ = table.add(name, name.to_owned());
        }
        table
    }

    /// The table of these pairs, which come out of another one.
    pub(super) fn of_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut table = Self::default();
        for (name, wire) in pairs {
            // Pairs of one table do not meet.
            _ = table.add(name, wire.to_owned());
        }
        table
    }

    fn add(&mut self, name: &str, wire: String) -> Result<(), NameError> {
        if let Some(taken_by) = self.to_registry.get(wire.as_str()).filter(|other| ***other != *name) {
            let taken_by = taken_by.as_ref().to_owned();
            return Err(NameError { name: name.to_owned(), wire_name: wire, taken_by });
        }
        let (name, wire): (Arc<str>, Arc<str>) = (name.into(), wire.into());
        self.to_wire.insert(name.clone(), wire.clone());
        self.to_registry.insert(wire, name);
        Ok(())
    }

    /// The name by which a provider knows the tool `name`.
    pub fn wire_name(&self, name: &str) -> Option<&str> {
        self.to_wire.get(name).map(|wire| &**wire)
    }

    /// The tool that a provider knows by `wire`.
    pub fn registry_name(&self, wire: &str) -> Option<&str> {
        self.to_registry.get(wire).map(|name| &**name)
    }

    /// Registry names and wire names, sorted by registry name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.to_wire.iter().map(|(name, wire)| (&**name, &**wire))
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.to_wire.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.to_wire.is_empty()
    }
}

fn is_portable(name: &str) -> bool {
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn portable(name: &str) -> String {
    if is_portable(name) {
        return name.to_owned();
    }
    let mut wire = String::from("x");
    for byte in &Sha256::digest(name.as_bytes())[..DIGEST] {
        // Writing to a String does not fail.
        _ = write!(wire, "{byte:02x}");
    }
    wire.push('_');
    let room = LONGEST - wire.len();
    let clean: Vec<char> =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect();
    wire.extend(&clean[clean.len().saturating_sub(room)..]);
    wire
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portable_name_keeps_what_a_changed_one_would_become() {
        let changed = portable("fs.read");
        for names in [["fs.read", changed.as_str()], [changed.as_str(), "fs.read"]] {
            let (table, refused) = NameTable::portable(names);
            assert_eq!(table.registry_name(&changed), Some(changed.as_str()));
            assert_eq!(refused.len(), 1, "the other one is refused, whatever the order");
            assert_eq!((refused[0].name.as_str(), refused[0].taken_by.as_str()), ("fs.read", changed.as_str()));
        }
    }

    #[test]
    fn names_that_cleaning_would_make_one_stay_apart() {
        let names = ["read-file", "read_file", "read.file", "a.b__c", "a__b.c", "a.b..c"];
        let (table, refused) = NameTable::portable(names);
        assert_eq!((table.len(), refused.len()), (6, 0));
        for (name, wire) in table.iter() {
            assert!(is_portable(wire), "{wire}");
            assert_eq!(table.registry_name(wire), Some(name));
        }
    }

    #[test]
    fn a_long_name_keeps_the_end_that_tells_it_apart() {
        let long = format!("{}.create_issue", "server".repeat(18));
        let (table, _) = NameTable::portable([long.as_str(), "1st"]);
        let wire = table.wire_name(&long).expect("in the table");
        assert_eq!(wire.len(), 64);
        assert!(wire.ends_with("server_create_issue"), "{wire}");
        assert!(table.wire_name("1st").is_some_and(is_portable));
    }
}
