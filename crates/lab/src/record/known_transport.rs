//! The way to an agent whose responses are known before it is asked, in virtual time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use ananke_agents::{
    Body, ClientEvent, HttpRequest, Next, Received, Reply, ResponseHead, ServedEnd, ServedFrame,
    ServedResponse, TargetError, Transport,
};
use ananke_base::context::{At, Clock as _, ManualClock};

/// Gives the response to a request, or says why there is none.
type KnownResponses = Box<dyn Fn(&HttpRequest) -> Result<ServedResponse, String> + Send + Sync>;

/// The way to an agent whose responses are known. Nothing is sent.
pub struct KnownTransport {
    clock: Arc<ManualClock>,
    answer: KnownResponses,
}

impl KnownTransport {
    /// The way to what `answer` gives; the clock goes forward as the responses come.
    pub fn new(
        clock: Arc<ManualClock>,
        answer: impl Fn(&HttpRequest) -> Result<ServedResponse, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            clock,
            answer: Box::new(answer),
        }
    }

    fn answer(&self, request: &HttpRequest, until: At) -> Result<Option<Reply>, TargetError> {
        let response = (self.answer)(request);
        let response = response.map_err(|message| TargetError {
            message,
            received: Received::default(),
            help: None,
        })?;
        let sent = self.clock.now();
        if sent.plus(response.after) > until {
            advance(&self.clock, until);
            return Ok(None);
        }
        let at = advance(&self.clock, sent.plus(response.after));
        let header = |wanted: &str| {
            let mut found = response
                .headers
                .iter()
                .filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.next().map(|(_, value)| value.clone())
        };
        let head = ResponseHead {
            status: response.status,
            content_type: header("content-type").unwrap_or_default(),
            location: header("location"),
            headers: response
                .headers
                .iter()
                .filter(|(name, _)| request.response_headers.contains(name))
                .cloned()
                .collect(),
            proxy: None,
        };
        let body = KnownBody {
            clock: Arc::clone(&self.clock),
            sent,
            frames: response.frames.into(),
            end: response.end,
        };
        Ok(Some(Reply {
            at,
            head,
            body: Box::new(body),
        }))
    }
}

/// Moves the clock forward to this moment.
fn advance(clock: &ManualClock, to: At) -> At {
    clock.advance(to.since(clock.now()));
    clock.now()
}

impl Transport for KnownTransport {
    fn moment(&self, event: ClientEvent) -> At {
        match event {
            ClientEvent::Closes(Some(at)) => at,
            ClientEvent::Sends | ClientEvent::Closes(None) => self.clock.now(),
        }
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(std::future::ready(self.answer(&request, until)))
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.clock.advance(time);
        Box::pin(std::future::ready(()))
    }
}

/// A body whose bytes come at their times.
struct KnownBody {
    clock: Arc<ManualClock>,
    sent: At,
    frames: VecDeque<ServedFrame>,
    end: ServedEnd,
}

impl KnownBody {
    /// The moment that was so long after the request, unless it is after `until`.
    fn reach(&self, after: Duration, until: At) -> Option<At> {
        let at = self.sent.plus(after);
        if at > until {
            advance(&self.clock, until);
            return None;
        }
        Some(advance(&self.clock, at))
    }

    fn take(&mut self, until: At) -> Next {
        if let Some(frame) = self.frames.front() {
            let reached = self.reach(frame.after, until);
            let at = self.sent.plus(frame.after);
            let bytes = self.frames.pop_front().map(|frame| frame.bytes);
            return match (reached, bytes) {
                (Some(at), Some(bytes)) => Next::Bytes(at, bytes),
                (None, Some(bytes)) => Next::After(at, bytes),
                (_, None) => Next::End,
            };
        }
        match self.end {
            ServedEnd::Complete => Next::End,
            ServedEnd::Breaks(after) => match self.reach(after, until) {
                Some(at) => Next::Broken(at, "the connection was closed".to_owned()),
                None => Next::Late,
            },
            ServedEnd::Stalls => {
                advance(&self.clock, until);
                Next::Late
            }
        }
    }
}

impl Body for KnownBody {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        Box::pin(std::future::ready(self.take(until)))
    }
}
