//! Tests that may fail for a while.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;

/// Tests that are known to fail. They run and are reported, and do not fail the run until a day.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct QuarantineEntry {
    /// The id of a test as `ananke list` prints it, or a pattern for ids: `*` stands for any text, `?` for any one
    /// character.
    #[schemars(length(min = 1), example = "checkout.test.yaml::pays once")]
    pub test: Text,
    /// Who sees to it that the tests pass again: a person or a team.
    #[schemars(length(min = 1), example = "payments team")]
    pub owner: Text,
    /// The last day on which the entry is valid, in UTC. After that it fails the run.
    #[schemars(example = "2026-12-31")]
    pub expires: Text,
    /// Why the tests are here, for people.
    #[schemars(example = "the new model pays twice, ticket 4711")]
    pub reason: Option<Text>,
}
