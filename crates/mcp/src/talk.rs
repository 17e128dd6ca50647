//! One turn with a server while it goes on: how far it may go, who hears of it, and what the server has said.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::incoming::ServerMessages;
use ananke_agents::{Ended, Limits, Pacer, Sink, Stop, TargetError, Wire};
use ananke_base::context::At;
use ananke_trace::trace::Change;

/// A turn that goes on.
pub(super) struct Talk<'a> {
    pub(super) incoming: ServerMessages,
    pub(super) limits: Limits,
    pub(super) sink: &'a mut dyn Sink,
    /// The moment at which its first request was sent.
    pub(super) began: Option<At>,
    /// The moment at which its time is up, and the time that requests had waited when that was set.
    until: Option<(At, Duration)>,
    /// The moment at which it was over.
    pub(super) closed: Option<At>,
    pacer: Option<Arc<dyn Pacer>>,
    /// The time that a request may take, if that is less than the time of the turn.
    pub(super) patience: Option<Duration>,
}

/// The end of the last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TalkEnd {
    /// With its response.
    Complete,
    /// Without it.
    Failed,
}

/// The reason that a turn is over before its response.
#[derive(Debug)]
pub(super) enum Break {
    /// So, without an error.
    Ended(Ended),
    /// With this error.
    Failed(TargetError),
}

impl From<TargetError> for Break {
    fn from(error: TargetError) -> Self {
        Self::Failed(error)
    }
}

impl<'a> Talk<'a> {
    pub(super) fn new(limits: Limits, sink: &'a mut dyn Sink) -> Self {
        let mut incoming = ServerMessages::new(limits.max_response_bytes);
        incoming.after_noise = limits.after_noise;
        let pacer = limits.pacer.clone();
        Self {
            incoming,
            limits,
            sink,
            began: None,
            until: None,
            closed: None,
            pacer,
            patience: None,
        }
    }

    /// Waits until a request may be sent.
    pub(super) async fn admit(&mut self) {
        self.limits.admit_request().await;
    }

    fn waited(&self) -> Duration {
        self.pacer
            .as_ref()
            .map_or(Duration::ZERO, |pacer| pacer.waited())
    }

    /// A request was sent then. The turn begins with its first; the others are part of its response.
    pub(super) fn sent(&mut self, at: At, body: &[u8]) {
        if self.began.is_none() {
            self.began = Some(at);
            self.until = Some((self.limits.until(at), self.waited()));
            self.sink.wire(at, Wire::Sent { body });
        }
    }

    /// The moment at which the time of the turn is up; of a request that is sent at `now`, if it is the first.
    pub(super) fn until(&self, now: At) -> At {
        let until = match self.until {
            Some((until, waited)) => until.plus(self.waited().saturating_sub(waited)),
            None => self.limits.until(now),
        };
        self.patience
            .map_or(until, |patience| until.min(now.plus(patience)))
    }

    /// The end of a turn whose time is up at `at`; what came instead of messages is quoted.
    pub(super) fn timed_out(&mut self, at: At) -> Break {
        if let Some(missing) = self.incoming.missing() {
            let missing = &missing;
            self.sink.wire(at, Wire::Late { missing });
        }
        Break::Ended(Ended::Timeout)
    }

    pub(super) fn change(&mut self, at: At, change: Change<'_>) -> Result<(), Break> {
        match self.sink.change(at, change) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(Stop) => Err(Break::Ended(Ended::Cancelled)),
        }
    }
}
