//! The recorded calls that would be refused, as a document contains them.

use schemars::JsonSchema;
use serde::Serialize;

use super::refusals::RefusedCall;
use ananke_derive::Mask;

/// Which recorded calls would be refused, as `ananke contract --json` prints it.
#[derive(Clone, Debug, Mask, Serialize, JsonSchema)]
pub struct ContractReport {
    /// The name of the target whose tools were listed.
    pub target: String,
    /// The calls that would be refused, in the order of the recordings, an entry for each place that does not fit.
    pub refusals: Vec<RefusedCall>,
    /// The number of recordings that were read.
    #[serde(skip)]
    pub recordings: usize,
    /// The number of calls that they have.
    #[serde(skip)]
    pub calls: usize,
}

/// How many calls were compared, and how many would be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContractCounts {
    /// The number of recordings that were read.
    pub recordings: usize,
    /// The number of calls that they have.
    pub calls: usize,
    /// The number of calls that would be refused.
    pub failed: usize,
}

impl ContractReport {
    /// The counts of the whole report.
    pub fn counts(&self) -> ContractCounts {
        ContractCounts {
            recordings: self.recordings,
            calls: self.calls,
            failed: self.refused_calls().count(),
        }
    }

    /// The calls that would be refused, each with the places that do not fit.
    pub fn refused_calls(&self) -> impl Iterator<Item = &[RefusedCall]> {
        self.refusals.chunk_by(|one, other| one.call == other.call)
    }
}
