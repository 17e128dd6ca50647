//! The raw material of a turn: requests, heads of responses, events as they were received, and changes of the state.

use serde::{Deserialize, Serialize};

use crate::redact::{Mask, Redactor, mask_headers};
use crate::trace::EventNumber;
use ananke_derive::Mask;

/// The most bytes of raw material that are kept of one test (SPEC 11).
pub const MOST_RAW: usize = 256 << 10;

/// The raw material of a turn, as far as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct RawTurn {
    /// The exchanges over HTTP, in their order.
    pub exchanges: Vec<RawExchange>,
    /// The events, in the order in which they arrived.
    pub events: Vec<RawEvent>,
    /// The agent's state, if the turn changed it.
    pub state: Option<StateHistory>,
    /// The number of exchanges, events and changes of the state that are not kept.
    pub dropped: usize,
}

/// A request, and the head of its response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct RawExchange {
    /// The number of the first event that follows the request.
    pub event: EventNumber,
    /// The method, such as `POST`.
    #[mask(skip)]
    pub method: String,
    /// The URL without its query.
    pub url: String,
    /// The headers of the request.
    #[mask(with = mask_headers)]
    pub request_headers: Vec<(String, String)>,
    /// The body of the request; `None` if it is not kept.
    pub body: Option<String>,
    /// The HTTP status; `None` if no response came.
    pub status: Option<u16>,
    /// The headers of the response.
    #[mask(with = mask_headers)]
    pub response_headers: Vec<(String, String)>,
}

/// An event as it was received.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct RawEvent {
    /// Its number.
    pub event: EventNumber,
    /// From the start of the turn to its arrival, in microseconds.
    pub at_us: u64,
    /// Its text; bytes that are not UTF-8 are replaced.
    pub raw: String,
}

/// The agent's state before a turn, and how the turn changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct StateHistory {
    /// The state before the turn, as JSON; `None` if it is too large.
    pub before: Option<String>,
    /// The changes, in their order.
    pub changes: Vec<RawStateChange>,
}

/// A change of the agent's state.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct RawStateChange {
    /// The number of the event that brought it.
    pub event: EventNumber,
    /// Whether `value` is the new state, or a patch of the old one.
    #[mask(skip)]
    pub kind: StateChangeKind,
    /// A state, or a JSON Patch (RFC 6902), as JSON.
    pub value: String,
}

/// The kind of a change of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateChangeKind {
    /// The whole new state.
    Snapshot,
    /// A JSON Patch.
    Patch,
}

impl RawTurn {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// A number has no text from outside.
impl Mask for EventNumber {
    fn mask(&mut self, _: &Redactor) {}
}
