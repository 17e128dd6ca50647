//! A tool call in a transcript, and the result of one that started earlier.

use serde::{Deserialize, Serialize};

use crate::outcome::words::words;
use crate::trace::EventNumber;
use ananke_derive::Mask;

/// A tool call as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct CallOutcome {
    /// The number of the event that opened it.
    pub event: EventNumber,
    /// The id in the protocol.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The text of the arguments as sent.
    pub args: String,
    /// The result as text; `None` where none came.
    pub result: Option<String>,
    /// The number of the event that brought the result; that of the call where none came.
    pub result_event: EventNumber,
    /// Whether it is a client-side tool: a mock answered it.
    pub is_client_side: bool,
    /// Whether the agent executed it, and does not show its result.
    #[serde(default)]
    pub hides_result: bool,
    /// From the start of the turn to the call's start, in microseconds; `None` if nothing shows it.
    pub started_us: Option<u64>,
    /// From the call's start to its result, in microseconds; `None` if it has none, or if nothing shows it.
    pub duration_us: Option<u64>,
    /// The failure of the call, if the agent or the client reports that it failed.
    #[mask(skip)]
    pub failure: Option<CallFailure>,
}

words! {
    /// The way in which a call failed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum CallFailure {
        /// It was executed and failed.
        Failed = "failed",
        /// It was not executed: a person denied it.
        Denied = "denied",
    }
}

/// The result of a call that started in an earlier turn.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct LateResult {
    /// The number of the event that brought it.
    pub event: EventNumber,
    /// The id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The turn that the call started in, counted from 1.
    pub called_in: u32,
    /// The result as text.
    pub result: String,
    /// From the start of the turn to the result, in microseconds; `None` if nothing shows it.
    pub arrived_us: Option<u64>,
    /// The failure of the call, if the agent reports that it failed.
    #[mask(skip)]
    pub failure: Option<CallFailure>,
}
