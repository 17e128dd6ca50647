//! The entries of an object whose kind is known when all of them are read.

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The entries of an object, each value as it is written.
#[derive(Debug, Default)]
pub(crate) struct ObjectEntries(Vec<(String, Box<RawValue>)>);

impl ObjectEntries {
    /// Adds the next entry.
    pub(crate) fn add(&mut self, name: String, value: Box<RawValue>) {
        self.0.push((name, value));
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry `type`; `None` if there is none, or it is not a text.
    pub(crate) fn kind(&self) -> Option<String> {
        self.field::<_, serde_json::Error>("type").ok().flatten()
    }

    /// The entry `name`; `None` if there is none.
    pub(crate) fn field<T: DeserializeOwned, E: Error>(&self, name: &str) -> Result<Option<T>, E> {
        let entry = self.0.iter().find(|(own, _)| own == name);
        let value = entry.map(|(_, value)| serde_json::from_str(value.get()).map_err(E::custom));
        value.transpose()
    }

    /// What they are.
    pub(crate) fn read<T: DeserializeOwned, E: Error>(&self) -> Result<T, E> {
        let entries = self.0.iter().map(|(name, value)| (name.as_str(), &**value));
        T::deserialize(MapDeserializer::<_, serde_json::Error>::new(entries)).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for ObjectEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = ObjectEntries;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ObjectEntries, A::Error> {
                let mut entries = ObjectEntries::default();
                while let Some((name, value)) = map.next_entry()? {
                    entries.add(name, value);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}
