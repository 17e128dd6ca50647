//! A mapping whose keys are the user's own.
//!
//! Flows in: a mapping of a tree, key by key. Flows out: its entries in the order of the file, each key with its place,
//! so that what is wrong with a key is reported at the key.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::{fmt, slice};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::diagnostic::Spanned;

/// A mapping whose keys are the user's own, in the order of the file. No key is duplicated: the tree would be refused.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeMap<T>(Vec<(Spanned<String>, T)>);

impl<T> FreeMap<T> {
    /// Keys and values, in the order of the file.
    pub fn iter(&self) -> slice::Iter<'_, (Spanned<String>, T)> {
        self.0.iter()
    }

    /// The values, in the order of the file.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<'a, T> IntoIterator for &'a FreeMap<T> {
    type Item = &'a (Spanned<String>, T);
    type IntoIter = slice::Iter<'a, (Spanned<String>, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FreeMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FreeMapVisitor(PhantomData))
    }
}

struct FreeMapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FreeMapVisitor<T> {
    type Value = FreeMap<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FreeMap<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(FreeMap(entries))
    }
}

impl<T: JsonSchema> JsonSchema for FreeMap<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}
