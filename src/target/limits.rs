//! How far an exchange may go.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::context::At;

/// How far an exchange may go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long until [`Ended::Timeout`](super::Ended::Timeout).
    pub timeout: Duration,
    /// When [`Ended::Timeout`](super::Ended::Timeout) comes at the latest, by the clock of requests.
    pub deadline: Option<At>,
    /// Largest single event, in bytes.
    pub max_event_bytes: usize,
    /// Largest response, in bytes.
    pub max_response_bytes: usize,
    /// Ends the exchange as [`Ended::Cancelled`](super::Ended::Cancelled).
    pub cancel: CancellationToken,
}

impl Limits {
    /// Largest single event without a setting: 16 MiB (SPEC 4).
    pub const MAX_EVENT_BYTES: usize = 16 << 20;
    /// Largest response without a setting: 64 MiB (SPEC 4).
    pub const MAX_RESPONSE_BYTES: usize = 64 << 20;

    /// These times, and the largest event and response without a setting.
    pub fn new(timeout: Duration, cancel: CancellationToken) -> Self {
        let (max_event_bytes, max_response_bytes) = (Self::MAX_EVENT_BYTES, Self::MAX_RESPONSE_BYTES);
        Self { timeout, deadline: None, max_event_bytes, max_response_bytes, cancel }
    }

    /// When the time of an exchange is up that began at `sent`.
    pub fn until(&self, sent: At) -> At {
        let until = sent.plus(self.timeout);
        self.deadline.map_or(until, |deadline| deadline.min(until))
    }
}
