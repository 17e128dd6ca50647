//! The settings that are one of several names.

use schemars::JsonSchema;
use serde::Deserialize;

/// How to count tests that pass only on a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FlakyVerdict {
    /// Count as passed, marked as flaky.
    Pass,
    /// Count as failed.
    Fail,
}

/// The dialect of JUnit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum JunitDialect {
    /// For most CI servers: file and line, properties and a transcript for each test.
    Default,
    /// Valid under the schemas of Jenkins' xUnit plugin and of Windy Road.
    Strict,
}
