//! The identity of a test, and its entry in the quarantine.
//!
//! **Why:** History, baselines and the command line find a test again by its id, a person by its file and line. Both are kept
//! with each outcome, because a report may be read where the files are not, and a line moves with every edit while an id stays.

use std::fmt;

use serde::{Deserialize, Serialize};

use ananke_base::context::Day;
use ananke_base::diagnostic::Place;
use ananke_derive::Mask;
use ananke_model::variables::TestAbout;

/// The identity of a test: the same for every attempt, and in every run that has the same plan but for the agent's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct TestIdentity {
    /// The test's id.
    pub id: String,
    /// The test's name.
    pub name: String,
    /// The name of its row, of a test with rows.
    pub row: Option<String>,
    /// The facts that it says of itself.
    pub about: TestAbout,
    /// The test file, as shown in messages.
    pub file: String,
    /// Whether the test is in no file: a message, cases on standard input, or generated ones. Then `file` is what it is called.
    pub is_without_file: bool,
    /// The test file from the config's directory, as in ids: the same wherever a run is started.
    pub path: String,
    /// Whether its target is the one that the config writes at `target`.
    pub is_default_target: bool,
    /// The line of the test's name, counted from 1.
    pub line: u32,
    /// The name of the target.
    pub target: String,
    /// The name of the agent; empty until the target's variables have values.
    pub agent: String,
    /// The entry of the quarantine that applies to it.
    pub quarantine: Option<Quarantine>,
}

impl TestIdentity {
    /// Whether `file`, of a place in a report of the test, is on the disk: not the text of a test that is in no file.
    pub fn has_file(&self, file: &str) -> bool {
        !self.is_without_file || file != self.file
    }
}

/// An entry of the quarantine: tests that do not fail the run until a day.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct Quarantine {
    /// The tests, as they are written: an id, or a pattern for ids.
    pub test: String,
    /// The person or team that is responsible.
    pub owner: String,
    /// The last day on which it is valid, in UTC.
    #[mask(skip)]
    pub expires: Day,
    /// The reason for the quarantine.
    pub reason: Option<String>,
    /// The place of the entry.
    #[mask(skip)]
    pub place: Place,
}

/// `quarantined until 2026-12-31 (payments)`
impl fmt::Display for Quarantine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "quarantined until {} ({})",
            self.expires, self.owner
        )
    }
}
