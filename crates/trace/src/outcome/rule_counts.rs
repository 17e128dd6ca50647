//! The number of times that a rule was triggered.

use serde::{Deserialize, Serialize};

/// The number of times that a rule with triggers was triggered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCounts {
    /// The number of triggers.
    pub triggered: u64,
    /// For how many of them, or of what they were compared with, the rule could not be checked.
    pub not_checkable: u64,
}
