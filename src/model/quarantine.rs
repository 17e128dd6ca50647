//! Tests that may fail for a while.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;

/// Tests that are known to fail. They run and are reported, and do not fail the run until a day.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuarantineEntry {
    /// The id of a test as `ananke list` prints it, or a pattern for ids: `*` stands for any text, `?` for any one
    /// character.
    #[schemars(extend("x-since" = "1.3"), length(min = 1), example = "checkout.test.yaml::pays once")]
    pub test: Text,
    /// Who sees to it that the tests pass again: a person or a team.
    #[schemars(extend("x-since" = "1.3"), length(min = 1), example = "payments team")]
    pub owner: Text,
    /// The last day on which the entry is in force, in UTC. From the next day on it fails the run.
    #[schemars(extend("x-since" = "1.3"), example = "2026-12-31")]
    pub expires: Text,
    /// Why the tests are here, for people.
    #[schemars(extend("x-since" = "1.3"), example = "the new model pays twice, ticket 4711")]
    pub reason: Option<Text>,
}
