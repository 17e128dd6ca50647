//! The runs of one test that did not pass for one reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::status::Status;
use ananke_derive::Mask;

/// The most runs that are listed by their numbers.
const LISTED: usize = 20;

/// The runs that did not pass for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct FailedRuns {
    /// How the first of them ended.
    #[mask(skip)]
    pub status: Status,
    /// The rule that failed, or the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The finding of the first of them.
    pub message: String,
    /// How many there are.
    pub count: u32,
    /// Their numbers, from 1: at most the first 20. The first of them is in `other_runs`, unless it is the run that is `shown`.
    pub runs: Vec<u32>,
}

impl FailedRuns {
    /// Counts one more run with the same reason.
    pub fn add(&mut self, run: u32) {
        self.count += 1;
        if self.runs.len() < LISTED {
            self.runs.push(run);
        }
    }
}
