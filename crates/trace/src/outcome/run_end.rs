//! How the last run of a turn ended, as the agent reported it.

use serde::{Deserialize, Serialize};

/// How the last run of a turn ended, as the agent reported it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// An interrupt that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenInterrupt {
    /// Its id.
    pub id: String,
    /// Its reason, a word of the agent.
    pub reason: Option<String>,
    /// The question.
    pub message: Option<String>,
    /// The tool whose call waits, if it is about one.
    pub tool: Option<String>,
}
