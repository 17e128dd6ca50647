//! The end of a run.

use serde::{Deserialize, Serialize};

use super::verdict::Verdict;

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClose {
    /// What it came to.
    pub verdict: Verdict,
    /// How long it took on the wall clock, in microseconds.
    pub elapsed_us: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
}
