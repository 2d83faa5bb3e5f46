//! Types without fields read any object.

use serde::{
    Deserializer,
    de::{Visitor, value::Error},
    forward_to_deserialize_any,
};

/// Gives unit to those who ask for exactly that, and nothing to anybody else.
pub(super) struct Unit;

impl<'de> Deserializer<'de> for Unit {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("not a unit"))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}
