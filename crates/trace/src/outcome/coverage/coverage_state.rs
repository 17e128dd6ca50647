//! The extent to which tests cover one thing that an agent can do.

use schemars::JsonSchema;
use serde::Serialize;

/// How far tests go with one thing that an agent can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "State")]
#[serde(rename_all = "snake_case")]
pub enum CoverageState {
    /// It happens in no test.
    #[default]
    Never,
    /// It happens in a test.
    Exercised,
    /// It happens in a test whose rules notice a change of it.
    Asserted,
}

impl CoverageState {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Exercised => "exercised",
            Self::Asserted => "asserted",
        }
    }

    /// The further one of two states.
    pub fn raise(&mut self, to: Self) {
        *self = to.max(*self);
    }
}

/// How the calls to a tool ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Outcomes")]
pub struct OutcomeStates {
    /// The state of results that are not errors.
    pub ok: CoverageState,
    /// The state of results that are errors.
    pub error: CoverageState,
    /// The state of calls that are denied.
    pub denied: CoverageState,
    /// The state of calls without a result.
    pub pending: CoverageState,
}

impl OutcomeStates {
    /// Every outcome with its word.
    pub fn all(&self) -> [(&'static str, CoverageState); 4] {
        [
            ("ok", self.ok),
            ("error", self.error),
            ("denied", self.denied),
            ("pending", self.pending),
        ]
    }
}

/// How an interrupt was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Answers")]
pub struct AnswerStates {
    /// The state of interrupts that are resolved.
    pub resolved: CoverageState,
    /// The state of interrupts that are cancelled.
    pub cancelled: CoverageState,
}

impl AnswerStates {
    /// Every answer with its word.
    pub fn all(&self) -> [(&'static str, CoverageState); 2] {
        [("resolved", self.resolved), ("cancelled", self.cancelled)]
    }
}
