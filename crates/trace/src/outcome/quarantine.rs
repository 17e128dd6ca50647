//! The quarantine as a run and its reports know it.

use std::fmt;

use serde::{Deserialize, Serialize};

use ananke_base::context::Day;
use ananke_base::diagnostic::Place;

/// An entry of the quarantine: tests that do not fail the run until a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantine {
    /// Which tests, as it is written: an id, or a pattern for ids.
    pub test: String,
    /// Who is responsible.
    pub owner: String,
    /// The last day on which it is valid, in UTC.
    pub expires: Day,
    /// Why the tests are there.
    pub reason: Option<String>,
    /// Where it is written.
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
