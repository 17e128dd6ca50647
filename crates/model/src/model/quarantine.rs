//! Tests that may fail for a while.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;

/// Known failures. These tests run and are reported, and do not fail the run until a given date.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct QuarantineEntry {
    /// The id of a test as `ananke list` prints it, or a pattern for ids: `*` matches any text, `?` any one character.
    #[schemars(length(min = 1), example = "checkout.test.yaml::pays once")]
    pub test: Text,
    /// Person or team responsible.
    #[schemars(length(min = 1), example = "payments team")]
    pub owner: Text,
    /// The last day on which the entry is valid, in UTC. After that it fails the run.
    #[schemars(example = "2026-12-31")]
    pub expires: Text,
    /// Why the tests are in quarantine.
    #[schemars(example = "the new model pays twice, ticket 4711")]
    pub reason: Option<Text>,
}
