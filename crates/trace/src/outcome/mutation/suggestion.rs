//! A rule that would notice a change to a conversation.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The level that a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MutationLevel {
    /// The test.
    Test,
    /// One turn, counted from 0.
    Turn(usize),
}

impl fmt::Display for MutationLevel {
    /// The level in words: `test`, or `turn 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test => formatter.write_str("test"),
            Self::Turn(turn) => write!(formatter, "turn {}", turn + 1),
        }
    }
}

/// A rule that would notice a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The `assert` block, as YAML.
    pub yaml: String,
    /// The level that it is for: `test`, or `turn 2`.
    #[serde(serialize_with = "words")]
    #[schemars(with = "String")]
    pub level: MutationLevel,
    /// The file of the test, as shown in messages.
    pub file: String,
    /// The line at which it is inserted, counted from 1.
    pub line: u32,
    /// The version that the file has to say for it; omitted if what it says is new enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The block as a value.
    #[serde(skip)]
    pub block: Value,
}

fn words<S: Serializer>(level: &MutationLevel, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(level)
}
