//! The end of a run.

use serde::{Deserialize, Serialize};

use super::verdict::Verdict;
use ananke_derive::Mask;

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct RunClose {
    /// The verdict of the run.
    pub verdict: Verdict,
    /// The duration on the wall clock, in microseconds.
    pub elapsed_us: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
}
