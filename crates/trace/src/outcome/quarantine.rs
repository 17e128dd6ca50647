//! The quarantine as a run and its reports know it.

use std::fmt;

use serde::{Deserialize, Serialize};

use ananke_base::context::Day;
use ananke_base::diagnostic::Place;
use ananke_derive::Mask;

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
