//! What is secret beside what headers carry.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};

use super::Text;

/// Something that nobody may be told.
#[derive(Clone, Debug)]
pub enum RedactEntry {
    /// What a variable holds, whatever gives it.
    Name(Text),
    /// What a pattern matches.
    Match(RedactMatch),
}

/// Text that nobody may be told.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactMatch {
    /// A pattern: what it matches is masked wherever it stands.
    #[schemars(extend("x-since" = "1.3"), example = "sk-[A-Za-z0-9]{8,}")]
    #[serde(rename = "match")]
    pub pattern: Text,
}

impl<'de> Deserialize<'de> for RedactEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntryVisitor;
        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = RedactEntry;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a variable or a pattern")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, name: D) -> Result<RedactEntry, D::Error> {
                Text::deserialize(name).map(RedactEntry::Name)
            }

            fn visit_some<D: Deserializer<'de>>(self, entry: D) -> Result<RedactEntry, D::Error> {
                RedactMatch::deserialize(entry).map(RedactEntry::Match)
            }
        }
        deserializer.deserialize_newtype_struct(crate::source::TEXT_OR_MAPPING, EntryVisitor)
    }
}

impl JsonSchema for RedactEntry {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RedactEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let pattern = generator.subschema_for::<RedactMatch>();
        json_schema!({ "anyOf": [{ "type": "string" }, pattern] })
    }
}
