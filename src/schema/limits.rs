//! The bounds on JSON from outside. "Measured" is on a thread with 2 MiB of stack, as tokio's workers have.

/// What a registry bounds arguments by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArgumentLimits {
    /// Bytes of text.
    pub(crate) bytes: usize,
    /// Levels of nesting: `{}` is one level, `[[]]` two.
    pub(crate) depth: usize,
    /// Values in all, containers counted.
    pub(crate) nodes: usize,
}

/// Above every argument seen in the wild by far; 64 MiB of text in one string parse in about 0.2 s.
pub(crate) const HARD_ARGUMENT_BYTES: usize = 64 << 20;
/// What `serde_json` stops at by itself; dropping and printing a value are safe to more than 10 000 (measured).
pub(crate) const HARD_DEPTH: usize = 128;
/// Levels of text: what `serde_json` reads without its limit on recursion in the way.
pub(crate) const TEXT_DEPTH: usize = 127;
/// Room for a whole source file.
pub(crate) const DEFAULT_ARGUMENT_BYTES: usize = 1 << 20;
/// Three times the deepest real arguments seen.
pub(crate) const DEFAULT_DEPTH: usize = 64;
/// 1 MiB of `[],` would be 500 000 values of 20 times the text's size.
pub(crate) const DEFAULT_NODES: usize = 100_000;
/// Bytes of one property name.
pub(crate) const KEY_BYTES: usize = 1024;

/// Bytes of a schema's text: the largest real one seen is a quarter of that.
pub(crate) const SCHEMA_BYTES: usize = 256 << 10;
/// Levels of subschemas within subschemas: building overflows at about 900 (measured).
pub(crate) const SCHEMA_DEPTH: usize = 64;
/// Bytes of the pointers of all subschemas together.
pub(crate) const POINTER_BYTES: usize = 8 << 20;
/// Subschemas in one schema: real ones have fewer than 2 000.
pub(crate) const SCHEMA_NODES: usize = 20_000;
/// References in one schema.
pub(crate) const SCHEMA_REFS: usize = 2_000;
/// Ways from the root to a subschema, cycles not counted: doubling references reach this at 13 levels.
pub(crate) const SCHEMA_PATHS: u64 = 10_000;
/// Patterns in one schema, and bytes of each.
pub(crate) const PATTERNS: usize = 64;
/// Bytes of one pattern.
pub(crate) const PATTERN_BYTES: usize = 1024;
/// Bytes of a compiled pattern: larger ones take seconds to match (measured).
pub(crate) const REGEX_BYTES: usize = 256 << 10;
/// Bytes of a compiled pattern that is as cheap as any: those of a dozen states.
pub(super) const PATTERN_UNIT: usize = 512;
/// Values of one enum.
pub(crate) const ENUM_VALUES: usize = 10_000;
/// Looks that validating may take in the worst case, values times subschemas that look at each: about 0.2 s (measured).
pub(crate) const LOOKS: u64 = 100_000_000;
/// The same for schemas that come back to themselves, where a look costs some 500 times as much (measured): about 0.3 s.
pub(crate) const RECURSIVE_LOOKS: u64 = 300_000;
/// Subschemas within one another at once, over all levels of a value: explaining overflows at about 3 600 (measured,
/// not optimised).
pub(crate) const STACKED: usize = 1_500;
/// Properties that compiling looks at to tell the alternatives of all unions apart: about 0.1 s (measured).
pub(crate) const UNION_NAMES: u64 = 1_000_000;
/// Bytes that explaining may copy: each alternative that does not fit keeps the value it looked at.
pub(crate) const EXPLAINED_BYTES: usize = 8 << 20;
/// How `serde_json` marks numbers of any precision and raw text inside of a value: no name for a property.
pub(crate) const PRIVATE_KEY: &str = "$serde_json::private::";
/// Bytes times the units of the compiled patterns that look at each of them: about 0.6 s by the worst patterns there are,
/// a hundredth of that by ordinary ones (measured). Sixteen patterns for identifiers leave room for 1 MiB.
pub(crate) const PATTERN_LOOKS: usize = 16 << 20;
/// Comparisons of items that may be alike, for all `uniqueItems` together: about 0.3 s (measured).
pub(super) const UNIQUE_LOOKS: u64 = 50_000_000;
/// Integers beyond this are no longer told apart by the hash that `uniqueItems` is checked with.
pub(super) const EXACT_INTEGER: u64 = 1 << 53;
/// Values times looks up to which every violation is collected: each is an error of its own.
pub(crate) const EXPLAINED_LOOKS: u64 = 200_000;
/// The same for recursive unions, values counted as often as the alternatives around them look at them: a look of these is
/// cheaper, and what they tell is worth more; about 0.1 s, and 64 MiB (measured).
pub(crate) const REPEATED_LOOKS: u64 = 200_000;
/// Up to this many subschemas at one value the limit on values alone keeps within [`LOOKS`].
pub(crate) const FEW_LOOKS: u64 = 256;

/// Violations told at once: enough to correct a call in one try.
pub(crate) const MAX_VIOLATIONS: usize = 8;
/// Bytes of one message about arguments.
pub(crate) const MESSAGE_BYTES: usize = 2 << 10;
/// Bytes of an excerpt of foreign text in a message.
pub(crate) const EXCERPT_BYTES: usize = 64;
/// Bytes that explaining may spend on where violations are: each says so by a pointer of its own.
pub(crate) const EXPLAINED_POINTERS: u64 = 32 << 20;
/// Looks as those of [`PATTERN_LOOKS`], for text that unions look at again when they are explained: about 0.2 s by the
/// worst patterns there are (measured).
pub(crate) const EXPLAINED_PATTERN_LOOKS: u64 = 8 << 20;
/// Bytes of a schema, each counted once for each level around it, up to which all that its dialect has against it is told.
pub(super) const EXPLAINED_SCHEMA: u64 = 8 << 20;
/// Values in arguments up to which every violation is collected; beyond it those of the first part that does not fit.
pub(crate) const EXPLAINED_NODES: usize = 2_000;
/// Characters of a name that is compared with others: no real one is longer, and a comparison grows with its square.
pub(super) const NEAR_CHARS: usize = 64;
/// Names compared for one message, in search of what was meant: each takes up to 5 µs.
pub(super) const NEAR_LOOKS: usize = 2_000;
/// Subschemas and their edges looked at for one message, to know what may be quoted: about 20 ms.
pub(super) const PLACE_LOOKS: usize = 1_000_000;
/// Unions within unions that are explained by their closest alternative; further in it is said that none fits.
pub(super) const NESTED_UNIONS: usize = 4;
/// Alternatives of one union that are compared to find the closest: beyond it the reader has more to look at than a
/// message can help with.
pub(super) const ALTERNATIVES: usize = 64;
/// Names compared in search of misspelt keywords and properties: enough for 300 unknown words, in about 40 ms.
pub(super) const LINT_LOOKS: usize = 20_000;
/// Suspicions told of one schema: nobody reads more.
pub(super) const WARNINGS: usize = 32;
/// Bytes of schema compiled on the way down a value, the whole counted for each part: about 60 ms.
pub(super) const DESCENT_BYTES: usize = 128 << 10;
/// Bytes of compiled patterns that count as one byte of schema: all parts together then hold 32 MiB of them.
pub(super) const DESCENT_COMPILED: u64 = 256;
/// Looks taken on the way down a value, each about 2 ns where nothing comes back to itself: about 0.1 s.
pub(super) const DESCENT_LOOKS: u64 = 50_000_000;
/// What a look counts there where something does.
pub(super) const RECURSIVE_LOOK: u64 = 500;
/// What the search for a name in a map counts there.
pub(super) const NAME_LOOK: u64 = 10;
/// What a look of a simple pattern at one byte counts there.
pub(super) const PATTERN_LOOK: u64 = 18;
