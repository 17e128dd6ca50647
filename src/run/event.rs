//! What a run tells while it goes: the only thing a report is made from.

use crate::outcome::{Outcome, Totals};
use crate::redact::{Mask, Redactor};

/// Something that happened in a run, in the order of the plan.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// The run begins.
    RunStarted {
        /// How many tests were selected.
        tests: usize,
        /// When, in Unix milliseconds.
        unix_ms: u64,
    },
    /// A test begins.
    CaseStarted {
        /// Its id.
        id: String,
    },
    /// A test is over.
    CaseFinished(Box<Outcome>),
    /// The run is over.
    RunFinished {
        /// The counts.
        totals: Totals,
        /// How long the run took on the wall clock, in microseconds.
        elapsed_us: u64,
    },
}

impl Mask for RunEvent {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::RunStarted { .. } | Self::RunFinished { .. } => {}
            Self::CaseStarted { id } => id.mask(redactor),
            Self::CaseFinished(outcome) => outcome.mask(redactor),
        }
    }
}
