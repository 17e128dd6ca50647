//! The limits of an exchange.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::pace::Pacer;
use ananke_base::context::At;

/// The limits of an exchange.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The time until [`Ended::Timeout`](super::Ended::Timeout).
    pub timeout: Duration,
    /// The latest moment of [`Ended::Timeout`](super::Ended::Timeout), by the clock of requests, if none of them waits.
    pub deadline: Option<At>,
    /// Largest single event, in bytes.
    pub max_event_bytes: usize,
    /// Largest response, in bytes.
    pub max_response_bytes: usize,
    /// Ends the exchange as [`Ended::Cancelled`](super::Ended::Cancelled).
    pub cancel: CancellationToken,
    /// The time for which an answer is waited for after a line of a program that is no message; `None` if that changes nothing.
    pub after_noise: Option<Duration>,
    /// Says when a request may be sent; `None` if at any time.
    pub pacer: Option<Arc<dyn Pacer>>,
}

impl Limits {
    /// Largest single event without a setting: 16 MiB (SPEC 4).
    pub const MAX_EVENT_BYTES: usize = 16 << 20;
    /// Largest response without a setting: 64 MiB (SPEC 4).
    pub const MAX_RESPONSE_BYTES: usize = 64 << 20;

    /// Limits of time alone; event and response may be as large as without a setting.
    pub fn new(timeout: Duration, cancel: CancellationToken) -> Self {
        Self {
            timeout,
            deadline: None,
            max_event_bytes: Self::MAX_EVENT_BYTES,
            max_response_bytes: Self::MAX_RESPONSE_BYTES,
            cancel,
            after_noise: None,
            pacer: None,
        }
    }

    /// Waits until a request may be sent. Every request of an exchange waits here.
    pub async fn admit_request(&self) {
        if let Some(pacer) = &self.pacer {
            pacer.request().await;
        }
    }

    /// The latest moment of [`Ended::Timeout`](super::Ended::Timeout). The time that requests have waited is added, since it is
    /// no time of the agent or of the test.
    pub fn latest(&self) -> Option<At> {
        let deadline = self.deadline?;
        match &self.pacer {
            Some(pacer) => Some(deadline.plus(pacer.waited())),
            None => Some(deadline),
        }
    }

    /// The moment at which the time of an exchange is up that began at `sent`.
    pub fn until(&self, sent: At) -> At {
        let until = sent.plus(self.timeout);
        match self.latest() {
            Some(latest) => latest.min(until),
            None => until,
        }
    }
}

/// A limit in MiB, or in bytes.
pub fn in_words(limit: usize) -> String {
    const MIB: usize = 1 << 20;
    if limit.is_multiple_of(MIB) {
        format!("{} MiB", limit / MIB)
    } else {
        format!("{limit} bytes")
    }
}
