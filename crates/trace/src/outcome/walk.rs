//! The result of all walks of a test.
//!
//! **Why:** All walks of a test are one outcome, about the shortest one that fails, because that is the one which a
//! person will read; the others are counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenTotals;
use ananke_derive::Mask;

/// The result of all walks of a test. The rest of its outcome is about one of them: the one that failed, shrunk, or the last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct Walks {
    /// The seed of the random choices.
    pub seed: u64,
    /// The number of walks that were to be made.
    pub walks: u32,
    /// The number of walks that passed.
    pub passed: u32,
    /// The number of times that each action was taken, in the order of the test; without the attempts to shrink a walk.
    pub actions: Vec<ActionCount>,
    /// The walk that failed.
    pub failed: Option<FailedWalk>,
    /// The number of turns that were sent in all walks, with those of the attempts to shrink one.
    pub turns: usize,
    /// The tokens of all of them.
    #[mask(skip)]
    pub tokens: TokenTotals,
}

impl Walks {
    /// Whether one failed, and was shrunk.
    pub fn is_shrunk(&self) -> bool {
        match &self.failed {
            Some(failed) => failed.shrunk.is_some(),
            None => false,
        }
    }
}

/// How often an action was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct ActionCount {
    /// Its name, as in the test.
    pub name: String,
    /// How often it was taken.
    pub taken: u64,
    /// At how many steps it was possible.
    pub possible: u64,
}

/// A walk that did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct FailedWalk {
    /// Its number, from 1.
    pub number: u32,
    /// The actions that it took.
    pub actions: Vec<String>,
    /// The fewest of them that fail with the same rule, which all other fields of the result are about; omitted if no rule
    /// failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<Vec<String>>,
    /// How many times a shorter walk was tried.
    pub tries: u32,
    /// Whether there was no more to try.
    #[serde(rename = "shortest")]
    pub is_shortest: bool,
}
