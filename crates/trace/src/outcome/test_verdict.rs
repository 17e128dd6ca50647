//! The result of the rules and the setup of a whole test.

use serde::{Deserialize, Serialize};

use super::rule_result::{RuleResult, RuleStatus};
use super::test_end::TestEnd;
use ananke_derive::Mask;

/// A snapshot that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct SnapshotWritten {
    /// The file, as shown in messages.
    pub file: String,
    /// Whether there was none before.
    pub is_new: bool,
}

/// The result of the rules and the setup of a whole test; the result of a turn is in the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct TestVerdict {
    /// The end of the test as a whole.
    pub end: TestEnd,
    /// The rules of the whole test with their results, and those of its turns that are not shown.
    pub rules: Vec<RuleResult>,
    /// The names that the target knows and that nothing understood: each with its number of occurrences.
    #[serde(default)]
    pub silenced: Vec<String>,
    /// The number of rules that were not evaluated, because no judge was to be asked.
    pub judges_not_asked: u32,
    /// Warnings about its setup and teardown that the plan could not know; a turn's warnings are in its turn.
    pub warnings: Vec<String>,
    /// The snapshots that were written because the test passed.
    pub snapshots: Vec<SnapshotWritten>,
}

impl TestVerdict {
    /// Every rule of the whole test that failed.
    pub fn failures(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        self.with(RuleStatus::Failed)
    }

    /// The rules that neither passed nor failed: something was not read, or a trace does not contain their facts.
    pub fn not_shown(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        self.with(RuleStatus::NotShown)
    }

    /// The rules with this status.
    pub(super) fn with(&self, status: RuleStatus) -> impl Iterator<Item = &RuleResult> + Clone {
        self.rules.iter().filter(move |rule| rule.status == status)
    }
}
