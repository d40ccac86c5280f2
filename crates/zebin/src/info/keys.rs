//! Unknown keys of `.ze_info`. A listing may ignore them; a launch must not.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_saphyr::Spanned;

/// Place in `.ze_info`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column in characters, from 1; 0 if unknown.
    pub column: u32,
    /// Text of the line.
    pub quote: String,
}

/// Keys of a map without a corresponding field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Start of the map.
    pub place: Place,
    /// Unknown keys with their places.
    pub unknown: Vec<(String, Place)>,
}

impl Keys {
    /// Returns the places of the map and of its unknown keys.
    pub(super) fn places(&mut self) -> impl Iterator<Item = &mut Place> {
        std::iter::once(&mut self.place).chain(self.unknown.iter_mut().map(|(_, place)| place))
    }
}

/// Map of `.ze_info` that keeps its unknown keys.
pub(super) trait Keyed<'de>: Sized {
    /// Keys that are ignored because they do not change a kernel's results.
    const HARMLESS: &'static [&'static str];

    /// Deserialises the fields.
    fn fields<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// Returns the storage of the unknown keys.
    fn keys(&mut self) -> &mut Keys;
}

/// Deserialises a map with its unknown keys.
pub(super) fn read<'de, T: Keyed<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_map(Whole(PhantomData))
}

struct Whole<T>(PhantomData<T>);

impl<'de, T: Keyed<'de>> Visitor<'de> for Whole<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let mut keys = Keys::default();
        let mut value = T::fields(Known { map, fields: &[], harmless: T::HARMLESS, keys: &mut keys })?;
        *value.keys() = keys;
        Ok(value)
    }
}

/// Access to a map that hides its unknown keys.
struct Known<'k, A> {
    map: A,
    fields: &'static [&'static str],
    harmless: &'static [&'static str],
    keys: &'k mut Keys,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Known<'_, A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.fields = fields;
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Known<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(Spanned { value: key, referenced: place, .. }) = self.map.next_key::<Spanned<String>>()? {
            let number = |number| u32::try_from(number).unwrap_or(0);
            let place = Place { line: number(place.line()), column: number(place.column()), quote: String::new() };
            if self.keys.place.line == 0 {
                self.keys.place = place.clone();
            }
            if self.fields.contains(&key.as_str()) {
                let key: StrDeserializer<'_, A::Error> = key.as_str().into_deserializer();
                return seed.deserialize(key).map(Some);
            }
            self.map.next_value::<IgnoredAny>()?;
            if !self.harmless.contains(&key.as_str()) {
                self.keys.unknown.push((key, place));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Implements deserialisation with unknown keys, stored in the field `keys`, for types with their
/// harmless keys.
macro_rules! keeps_unknown_keys {
    ($($name:ident: [$($harmless:literal)*],)*) => {$(
        impl<'de> Keyed<'de> for $name {
            const HARMLESS: &'static [&'static str] = &[$($harmless),*];

            fn fields<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::deserialize(from)
            }

            fn keys(&mut self) -> &mut Keys {
                &mut self.keys
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                keys::read(from)
            }
        }
    )*};
}
pub(super) use keeps_unknown_keys;
