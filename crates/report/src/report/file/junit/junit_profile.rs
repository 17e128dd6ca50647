//! The profiles of a JUnit report for different readers.

use serde::{Deserialize, Serialize};

use ananke_model::settings::JunitDialect;

/// The profile of a JUnit report, which is made for certain readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JunitProfile {
    /// The profile that most of them use: with file and line, properties and a transcript for each case.
    #[default]
    Default,
    /// The profile that the schemas of Jenkins' xUnit plugin and of Windy Road both allow: transcripts are part of the
    /// suite, and there is neither file nor line.
    Strict,
}

impl From<JunitDialect> for JunitProfile {
    fn from(dialect: JunitDialect) -> Self {
        match dialect {
            JunitDialect::Default => Self::Default,
            JunitDialect::Strict => Self::Strict,
        }
    }
}
