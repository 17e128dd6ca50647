//! The way to the program that runs the agent: what goes to it is handed over in this process, and nothing is sent.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either, ready, select};
use serde_json::{Value, json};

use super::AgentTurn;
use crate::error::TargetError;
use crate::http::{Body, ClientEvent, HttpRequest, Next, Reply, ResponseHead, Transport};
use ananke_base::context::{At, Clock};

/// The URL of a turn. No network knows its scheme, so a turn that no program takes never leaves this machine.
pub(crate) const TURN_URL: &str = "external://agent/turn";

/// The scheme of [`TURN_URL`].
const SCHEME: &str = "external";

/// Asks the program for a turn.
pub type TurnFunction = Arc<dyn Fn(AgentTurn) -> Box<dyn ProgramTurn> + Send + Sync>;

/// A turn that the program makes. It is cancelled if this is dropped before its end.
pub trait ProgramTurn: Send {
    /// The next thing that the program reports. Nothing is asked for after the end of the turn.
    fn next(&mut self) -> BoxFuture<'_, TurnNews>;
}

/// Something that the program reports about a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnNews {
    /// The agent does something.
    Event(Value),
    /// The answer of the program, after which nothing comes.
    Ended(Value),
    /// The agent has failed, in its own words.
    Failed(String),
}

impl TurnNews {
    /// The moment in milliseconds since the turn began, as the program has it.
    fn at_ms(&self) -> Option<f64> {
        match self {
            Self::Event(value) | Self::Ended(value) => value.get("at_ms")?.as_f64(),
            Self::Failed(_) => None,
        }
    }

    /// The frame of a [`TurnFrame`](super::turn_frame::TurnFrame), as an event of a stream.
    fn into_frame(self) -> Bytes {
        let frame = match self {
            Self::Event(event) => json!({ "event": event }),
            Self::Ended(answer) => json!({ "ended": answer }),
            Self::Failed(message) => json!({ "failed": message }),
        };
        Bytes::from(format!("data: {frame}\n\n"))
    }
}

/// The way to agents that a program runs, and over `network` to all others.
pub struct ExternalTransport {
    network: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    turn: TurnFunction,
}

impl ExternalTransport {
    /// Asks `turn`; what is for others goes over `network`.
    pub fn new(network: Arc<dyn Transport>, clock: Arc<dyn Clock>, turn: TurnFunction) -> Self {
        Self {
            network,
            clock,
            turn,
        }
    }

    /// The reply of the program to a request, as the response of a server that streams.
    ///
    /// # Errors
    /// If the request is not one of this protocol.
    fn answer(&self, request: &HttpRequest) -> Result<Reply, TargetError> {
        let turn = serde_json::from_slice(&request.body)
            .map_err(|error| TargetError::new(error.to_string()))?;
        // The turn begins now and not with its first event, because the agent may work for long before it.
        let begun = self.clock.now();
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        // The program is asked when the body is read, since only then something waits for its events.
        let body = TurnBody {
            network: Arc::clone(&self.network),
            clock: Arc::clone(&self.clock),
            turn: Some((self.turn)(turn)),
            begun,
            last: begun,
        };
        Ok(Reply {
            at: begun,
            head,
            body: Box::new(body),
        })
    }
}

impl Transport for ExternalTransport {
    fn moment(&self, event: ClientEvent) -> At {
        self.network.moment(event)
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        if request.url.scheme() == SCHEME {
            Box::pin(ready(self.answer(&request).map(Some)))
        } else {
            self.network.send(request, until)
        }
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.network.wait(time)
    }
}

/// A turn as the body of a response.
struct TurnBody {
    network: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    /// The turn; `None` after its end.
    turn: Option<Box<dyn ProgramTurn>>,
    begun: At,
    /// The moment of the last event.
    last: At,
}

impl TurnBody {
    async fn news(&mut self, until: At) -> Next {
        let Some(turn) = &mut self.turn else {
            return Next::End;
        };
        // The wait is that of the network, because a transport that replays does not wait.
        let timeout = self.network.wait(until.since(self.clock.now()));
        let Either::Left((news, _)) = select(turn.next(), timeout).await else {
            return Next::Late;
        };
        if !matches!(news, TurnNews::Event(_)) {
            self.turn = None;
        }
        let at = self.moment(news.at_ms());
        Next::Bytes(at, news.into_frame())
    }

    /// The moment on the clock of this process for one of the program. What arrives over a pipe is later than it happened, and
    /// by a different time each. No event is later than its arrival or earlier than the one before, whatever the program says.
    fn moment(&mut self, at_ms: Option<f64>) -> At {
        let now = self.clock.now();
        let mut at = now;
        // A moment that is missing or negative is for the reader to refuse.
        if let Some(ms) = at_ms
            && let Ok(since) = Duration::try_from_secs_f64(ms / 1000.0)
        {
            at = self.begun.plus(since).min(now);
        }
        self.last = self.last.max(at);
        self.last
    }
}

impl Body for TurnBody {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        Box::pin(self.news(until))
    }
}
