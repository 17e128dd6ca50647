//! How often a test runs, and what decides it then.

use serde::{Deserialize, Serialize};

use ananke_base::statistics::{Percentage, SequentialTest};

/// How often a test runs of which one run is not enough, and what decides it then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunPolicy {
    /// As often as it says.
    Times {
        /// How many runs there are; at least two.
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
