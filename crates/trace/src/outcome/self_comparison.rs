//! Both verdicts of a test of a suite that is compared with itself.

use serde::{Deserialize, Serialize};

use super::status::Status;
use super::token_totals::TokenTotals;

/// Both verdicts of a test that ran twice under the same conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfComparison {
    /// The first verdict and the second.
    pub verdicts: [Status; 2],
    /// The number of turns of the side that is not shown.
    pub turns: usize,
    /// The tokens of that side.
    pub tokens: TokenTotals,
}

impl SelfComparison {
    /// Whether one verdict is a pass and the other is not: nothing but chance is between them.
    pub fn is_flip(&self) -> bool {
        let [first, second] = self.verdicts.map(Status::fails_the_run);
        first != second
    }
}
