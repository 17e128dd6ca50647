//! The version of the format. New fields raise its second number; a change of what a field means raises its first.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use ananke_base::text::truncate;

/// The version that is written.
pub(crate) const VERSION: &str = "1.2";

/// The second number of the first version that counts the events of each turn from 1.
const EVENTS_BY_TURN: u32 = 2;

/// The most bytes of a version that a message quotes.
const LONGEST: usize = 40;

/// The first number of the versions that can be read.
const MAJOR: &str = "1";

/// The version of a document: the one that is written, or another that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FormatVersion {
    /// Its second number.
    minor: u32,
}

/// The version that is written.
impl Default for FormatVersion {
    fn default() -> Self {
        Self {
            minor: EVENTS_BY_TURN,
        }
    }
}

impl FormatVersion {
    /// Whether the events of each turn are counted from 1; in documents before, those of the test are from 0.
    pub(crate) fn counts_events_by_turn(self) -> bool {
        self.minor >= EVENTS_BY_TURN
    }
}

impl Serialize for FormatVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(VERSION)
    }
}

impl<'de> Deserialize<'de> for FormatVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split_once('.') {
            Some((MAJOR, minor)) => Ok(Self {
                minor: minor.parse().unwrap_or(u32::MAX),
            }),
            _ => Err(Error::custom(format!(
                "the format of the report is {}, this program reads {MAJOR}.x",
                truncate::bytes(&text, LONGEST)
            ))),
        }
    }
}

impl JsonSchema for FormatVersion {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
