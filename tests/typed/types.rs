//! A family of derived types that covers what serde's attributes do to a schema, and random values of each.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{
    collection::{btree_map, btree_set, vec},
    option,
    prelude::*,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the tests ask of a type.
pub(crate) trait Sample:
    std::fmt::Debug + Clone + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    fn any() -> BoxedStrategy<Self>;
}

macro_rules! samples {
    ($($(#[$meta:meta])* $kind:ident $name:ident { $($body:tt)* } = $strategy:expr;)*) => {
        $(
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
            $(#[$meta])*
            pub(crate) $kind $name { $($body)* }

            impl Sample for $name {
                fn any() -> BoxedStrategy<Self> {
                    $strategy.boxed()
                }
            }
        )*
    };
}

/// Short text of any characters.
fn text() -> impl Strategy<Value = String> {
    ".{0,6}"
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![-1e9..1e9_f64, Just(0.5), Just(3.0), Just(f64::MAX)]
}

samples! {
    /// Every kind of number.
    struct Numbers { small: u8, short: i16, word: u32, int: i32, long: u64, signed: i64, size: usize, float: f64, single: f32 }
        = (any::<(u8, i16, u32, i32, u64, i64, usize)>(), finite(), -1e9..1e9_f32).prop_map(|((small, short, word, int, long, signed, size), float, single)|
            Numbers { small, short, word, int, long, signed, size, float, single });
    struct Words { text: String, letter: char, yes: bool, unit: () }
        = (text(), any::<char>(), any::<bool>()).prop_map(|(text, letter, yes)| Words { text, letter, yes, unit: () });
    struct Options { number: Option<u32>, text: Option<String>, inner: Option<Box<Words>> }
        = (option::of(any::<u32>()), option::of(text()), option::of(Words::any())).prop_map(|(number, text, inner)|
            Options { number, text, inner: inner.map(Box::new) });
    #[serde(default)]
    #[derive(Default)]
    struct Defaults { count: u16, name: String, list: Vec<i64> }
        = (any::<u16>(), text(), vec(any::<i64>(), 0..3)).prop_map(|(count, name, list)| Defaults { count, name, list });
    struct Skipped { #[serde(default, skip_serializing_if = "Option::is_none")] a: Option<i32>, #[serde(default, skip_serializing_if = "Vec::is_empty")] b: Vec<bool> }
        = (option::of(any::<i32>()), vec(any::<bool>(), 0..3)).prop_map(|(a, b)| Skipped { a, b });
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Strict { first_name: String, #[serde(rename = "the-last")] last_name: String, #[serde(alias = "n")] max_count: u32 }
        = (text(), text(), any::<u32>()).prop_map(|(first_name, last_name, max_count)| Strict { first_name, last_name, max_count });
    struct Flattened { own: u8, #[serde(flatten)] inner: Strings }
        = (any::<u8>(), Strings::any()).prop_map(|(own, inner)| Flattened { own, inner });
    struct Strings { b: String, #[serde(default)] c: String }
        = (text(), text()).prop_map(|(b, c)| Strings { b, c });
    struct FlatMap { own: u8, #[serde(flatten)] rest: BTreeMap<String, i32> }
        = (any::<u8>(), btree_map("[x-z]{1,2}", any::<i32>(), 0..3)).prop_map(|(own, rest)| FlatMap { own, rest });
    struct FlatEnum { own: u8, #[serde(flatten)] shape: Internal }
        = (any::<u8>(), Internal::any()).prop_map(|(own, shape)| FlatEnum { own, shape });
    struct Collections { list: Vec<Strings>, set: BTreeSet<u8>, map: BTreeMap<String, Option<u8>>, by_number: BTreeMap<u32, bool> }
        = (vec(Strings::any(), 0..3), btree_set(any::<u8>(), 0..3), btree_map(text(), option::of(any::<u8>()), 0..3), btree_map(any::<u32>(), any::<bool>(), 0..3))
            .prop_map(|(list, set, map, by_number)| Collections { list, set, map, by_number });
    struct Tuples { pair: (u32, String), triple: (bool, (i8, i8), Vec<u8>), fixed: [u16; 3] }
        = (any::<u32>(), text(), any::<(bool, (i8, i8), Vec<u8>)>(), any::<[u16; 3]>()).prop_map(|(a, b, triple, fixed)| Tuples { pair: (a, b), triple, fixed });
    enum External { Nothing, New(u32), Two(String, i8), Fields { x: i64, y: Option<bool> } }
        = prop_oneof![Just(External::Nothing), any::<u32>().prop_map(External::New), (text(), any::<i8>()).prop_map(|(a, b)| External::Two(a, b)),
            any::<(i64, Option<bool>)>().prop_map(|(x, y)| External::Fields { x, y })];
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Internal { Nothing, TheFields { x: i64, y: Option<bool> }, Struct(Strings) }
        = prop_oneof![Just(Internal::Nothing), any::<(i64, Option<bool>)>().prop_map(|(x, y)| Internal::TheFields { x, y }), Strings::any().prop_map(Internal::Struct)];
    #[serde(tag = "t", content = "c")]
    enum Adjacent { Nothing, New(u32), Two(String, i8), Fields { x: u8 } }
        = prop_oneof![Just(Adjacent::Nothing), any::<u32>().prop_map(Adjacent::New), (text(), any::<i8>()).prop_map(|(a, b)| Adjacent::Two(a, b)),
            any::<u8>().prop_map(|x| Adjacent::Fields { x })];
    #[serde(untagged)]
    enum Untagged { Number(i64), Text(String), Pair(bool, bool), Fields { x: u8 } }
        = prop_oneof![any::<i64>().prop_map(Untagged::Number), text().prop_map(Untagged::Text), any::<(bool, bool)>().prop_map(|(a, b)| Untagged::Pair(a, b)),
            any::<u8>().prop_map(|x| Untagged::Fields { x })];
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    enum Plain { /** The one. */ OneThing, #[serde(rename = "2")] Two, #[serde(alias = "drei")] Three }
        = prop_oneof![Just(Plain::OneThing), Just(Plain::Two), Just(Plain::Three)];
    struct Tree { name: String, children: Vec<Tree>, next: Option<Box<Tree>> }
        = text().prop_map(|name| Tree { name, children: Vec::new(), next: None }).prop_recursive(4, 16, 3, |tree|
            (text(), vec(tree.clone(), 0..3), option::of(tree)).prop_map(|(name, children, next)| Tree { name, children, next: next.map(Box::new) }));
    enum Expression { Zero, Number(f64), Add(Box<Expression>, Box<Expression>), Not { of: Box<Expression> } }
        = prop_oneof![Just(Expression::Zero), finite().prop_map(Expression::Number)].prop_recursive(4, 16, 2, |part| prop_oneof![
            (part.clone(), part.clone()).prop_map(|(a, b)| Expression::Add(Box::new(a), Box::new(b))),
            part.prop_map(|of| Expression::Not { of: Box::new(of) })]);
    #[serde(transparent)]
    struct Transparent { inner: Strings }
        = Strings::any().prop_map(|inner| Transparent { inner });
    struct Everything { plain: Plain, external: External, internal: Internal, adjacent: Adjacent, untagged: Untagged, tree: Tree, expression: Expression, strict: Strict }
        = (Plain::any(), External::any(), Internal::any(), Adjacent::any(), Untagged::any(), Tree::any(), Expression::any(), Strict::any())
            .prop_map(|(plain, external, internal, adjacent, untagged, tree, expression, strict)|
                Everything { plain, external, internal, adjacent, untagged, tree, expression, strict });
}

/// Arguments that are no object themselves are a member of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Holder<T> {
    value: T,
}

impl<T: Sample> Sample for Holder<T> {
    fn any() -> BoxedStrategy<Self> {
        T::any().prop_map(|value| Holder { value }).boxed()
    }
}
