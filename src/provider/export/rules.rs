//! What the formats that take a subset of JSON Schema take of it.

/// How references go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// As references to `$defs`.
    Kept,
    /// The same, but what alternatives refer to is put in their place.
    KeptOutsideAlternatives,
    /// What they mean is put in their place; what means itself, this many times.
    Inlined(usize),
}

/// How a value that may be null is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Null {
    /// As a type beside the others.
    Type,
    /// The same, but beside objects and arrays it is an alternative.
    TypeOfScalars,
    /// As `nullable`.
    Flag,
}

/// A subset of JSON Schema. What it does not name goes into descriptions.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table: each is a question of its own")]
pub(super) struct Rules {
    /// Assertions that are taken as they are.
    pub(super) keep: &'static [&'static str],
    /// Formats that are taken, by type.
    pub(super) formats: &'static [(&'static str, &'static [&'static str])],
    pub(super) references: References,
    pub(super) null: Null,
    /// Objects are closed, and what cannot be said in the subset is not said in part.
    pub(super) strict: bool,
    /// Every property is required; null stands for what is left out.
    pub(super) all_required: bool,
    /// Further in, objects may have no properties.
    pub(super) empty_objects: bool,
    /// Values in an `enum` may be other than texts that are not empty.
    pub(super) enums_of_all: bool,
    /// Word boundaries and classes of Unicode are taken in patterns.
    pub(super) rich_patterns: bool,
    /// At most one item may be demanded.
    pub(super) only_small_min_items: bool,
    pub(super) titles: bool,
    pub(super) property_name: fn(&str) -> bool,
}

/// Any name that admission takes.
pub(super) fn any_name(_: &str) -> bool {
    true
}
