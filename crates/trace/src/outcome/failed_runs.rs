//! The runs of one test that did not pass for one reason.

use serde::{Deserialize, Serialize};

use super::status::Status;
use ananke_base::diagnostic::Place;

/// How many of the runs are listed by their numbers.
const LISTED: usize = 20;

/// The runs of one test that did not pass for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedRuns {
    /// How the first of them ended.
    pub status: Status,
    /// What is wrong: the rule or the kind of problem.
    pub kind: String,
    /// The finding of the first of them, in a few words.
    pub message: String,
    /// The place of the rule that failed first, if its findings differ from run to run: in their numbers if it is a limit, in
    /// their words if the conversation is simulated.
    pub rule: Option<Place>,
    /// How many there are.
    pub count: u32,
    /// The numbers of the first of them, ascending.
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
