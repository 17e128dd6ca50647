//! The number of runs of a test, and the decision after them.

use serde::{Deserialize, Serialize};

use ananke_base::statistics::{Percentage, SequentialTest};

/// The number of runs of a test of which one run is not enough, and the decision after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunPolicy {
    /// As often as it says.
    Times {
        /// The number of runs; at least two.
        runs: u32,
        /// The least share of them that has to pass.
        min_pass_rate: Percentage,
    },
    /// Until it is decided whether its pass rate is good or bad.
    UntilDecided(SequentialTest),
}

impl RunPolicy {
    /// The most runs.
    pub fn most_runs(self) -> u32 {
        match self {
            Self::Times { runs, .. } => runs,
            Self::UntilDecided(test) => test.max,
        }
    }
}
