//! The ids of the tests that failed, as many as a person reads.

use crate::outcome::Status;

/// How many ids are kept: a run in which everything fails must not grow with its tests.
const MOST: usize = 100;

/// What the end of a run lists.
#[derive(Debug, Default)]
pub(super) struct Failed {
    pub(super) listed: Vec<(Status, String)>,
    pub(super) further: usize,
}

impl Failed {
    pub(super) fn add(&mut self, status: Status, id: &str) {
        if self.listed.len() < MOST {
            self.listed.push((status, id.to_owned()));
        } else {
            self.further += 1;
        }
    }
}
