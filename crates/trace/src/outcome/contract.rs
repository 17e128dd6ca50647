//! Recorded calls that the tools of an agent would refuse, as reports show them.

use ananke_base::text::truncate;
use ananke_derive::Mask;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A call that was recorded.
#[derive(Clone, Debug, PartialEq, Mask, Serialize, JsonSchema)]
pub struct RecordedCall {
    /// The id of the test.
    pub test: String,
    /// The turn, counted from 1.
    pub turn: usize,
    /// The call in its turn, counted from 1.
    pub call: usize,
    /// The name of the tool.
    pub tool: String,
    /// The arguments; a text if they are not JSON.
    #[serde(rename = "arguments")]
    #[schemars(with = "Value")]
    pub args: Value,
}

/// A call that would be refused, and why.
#[derive(Clone, Debug, PartialEq, Mask, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct RefusedCall {
    /// The call.
    #[serde(flatten)]
    pub call: RecordedCall,
    /// The place in the arguments, as a JSON Pointer; empty for the whole call.
    pub path: String,
    /// The reason why the place does not fit, at most 300 bytes.
    #[serde(serialize_with = "shortened")]
    pub message: String,
}

fn shortened<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    /// The longest message, in bytes.
    const SHOWN: usize = 300;
    serializer.serialize_str(&truncate::bytes(text, SHOWN))
}

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
