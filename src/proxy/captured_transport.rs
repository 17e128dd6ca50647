//! The way to an agent that answers as it did when its responses passed, in virtual time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::captured_turns::CapturedAnswer;
use crate::context::{At, Clock as _, ManualClock};
use crate::target::{
    Body, ClientEvent, HttpRequest, Next, Received, Reply, ResponseHead, ServedEnd, ServedFrame, TargetError,
    Transport,
};

/// The way to an agent whose responses have passed. Requests get them in their order.
pub(super) struct CapturedTransport {
    clock: Arc<ManualClock>,
    left: Mutex<VecDeque<CapturedAnswer>>,
}

impl CapturedTransport {
    pub(super) fn new(clock: Arc<ManualClock>, answers: VecDeque<CapturedAnswer>) -> Self {
        Self { clock, left: Mutex::new(answers) }
    }

    fn answer(&self, request: &HttpRequest, until: At) -> Result<Option<Reply>, TargetError> {
        let answer = self.left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(CapturedAnswer { protocol, request: captured, response }) = answer else {
            let message = "the client of the proxy asked nothing more".to_owned();
            return Err(TargetError { message, received: Received::default(), help: None });
        };
        let mut response = captured.streamed(response);
        if let Ok(now) = protocol.read(&request.body) {
            for frame in &mut response.frames {
                frame.bytes = now.adopted(&*captured, &frame.bytes);
            }
        }
        let sent = self.clock.now();
        if sent.plus(response.after) > until {
            advance(&self.clock, until);
            return Ok(None);
        }
        let at = advance(&self.clock, sent.plus(response.after));
        let header = |wanted: &str| {
            let mut found = response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.next().map(|(_, value)| value.clone())
        };
        let head = ResponseHead {
            status: response.status,
            content_type: header("content-type").unwrap_or_default(),
            location: header("location"),
            headers: request
                .response_headers
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), header(name)?)))
                .collect(),
        };
        let body = CapturedBody {
            clock: Arc::clone(&self.clock),
            sent,
            frames: response.frames.into(),
            end: response.end,
        };
        Ok(Some(Reply { at, head, body: Box::new(body) }))
    }
}

/// Moves the clock forward to this moment.
fn advance(clock: &ManualClock, to: At) -> At {
    clock.advance(to.since(clock.now()));
    clock.now()
}

impl Transport for CapturedTransport {
    fn moment(&self, event: ClientEvent) -> At {
        match event {
            ClientEvent::Closes(Some(at)) => at,
            ClientEvent::Sends | ClientEvent::Closes(None) => self.clock.now(),
        }
    }

    fn send(&self, request: HttpRequest, until: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(std::future::ready(self.answer(&request, until)))
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.clock.advance(time);
        Box::pin(std::future::ready(()))
    }
}

/// A body whose bytes come at their times.
struct CapturedBody {
    clock: Arc<ManualClock>,
    sent: At,
    frames: VecDeque<ServedFrame>,
    end: ServedEnd,
}

impl CapturedBody {
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
            let Some(at) = self.reach(frame.after, until) else { return Next::Late };
            return self.frames.pop_front().map_or(Next::End, |frame| Next::Bytes(at, frame.bytes));
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

impl Body for CapturedBody {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        Box::pin(std::future::ready(self.take(until)))
    }
}
