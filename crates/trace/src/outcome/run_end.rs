//! The end of the last run of a turn, as the agent reported it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ananke_derive::Mask;

/// The end of the last run of a turn, as the agent reported it.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum ReportedRunEnd {
    /// The run finished.
    Finished,
    /// The run failed, with this message and code.
    Error(String),
    /// The agent cancelled the run.
    Cancelled,
    /// The run is interrupted until these are answered.
    Interrupted(Vec<OpenInterrupt>),
}

impl ReportedRunEnd {
    /// The word in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Error(_) => "error",
            Self::Cancelled => "cancelled",
            Self::Interrupted(_) => "interrupted",
        }
    }
}

/// An open interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Interrupt")]
pub struct OpenInterrupt {
    /// The interrupt's id.
    pub id: String,
    /// The agent's reason; omitted if it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The agent's question; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The tool whose call is pending; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}
