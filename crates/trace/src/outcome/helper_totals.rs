//! The tokens of the agents that help to judge a test, apart from those of the agent under test.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::TokenTotals;

/// The tokens of helpers by what they were asked for; a question counts as a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperTotals {
    /// Of judges.
    pub judge: TokenTotals,
    /// Of simulators, which play the user.
    pub simulator: TokenTotals,
    /// Of generators of test cases.
    pub generator: TokenTotals,
}

impl HelperTotals {
    /// All of them, with the names of the roles.
    pub fn by_role(&self) -> [(&'static str, TokenTotals); 3] {
        [
            ("judge", self.judge),
            ("simulator", self.simulator),
            ("generator", self.generator),
        ]
    }

    /// The sum of all of them.
    pub fn sum(&self) -> TokenTotals {
        self.judge + self.simulator + self.generator
    }
}

impl Add for HelperTotals {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            judge: self.judge + more.judge,
            simulator: self.simulator + more.simulator,
            generator: self.generator + more.generator,
        }
    }
}
