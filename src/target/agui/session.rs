//! A conversation: each exchange is one POST and the stream of events that answers it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::time::{timeout, timeout_at};

use super::conversation::Conversation;
use super::decode::Decoder;
use super::evidence::{Evidence, START_BYTES};
use super::history::History;
use super::reading::{Reading, Step};
use super::request::{RunInput, headers};
use crate::context::Clock;
use crate::plan::AguiSettings;
use crate::target::http::shown;
use crate::target::{
    Action, Chunk, Ended, HttpRequest, Limits, Opening, Received, Request, Session, Sink, TargetError,
    Transport, Wire,
};
use crate::trace::State;

/// How long a stream is still read after its run has ended (SPEC 5).
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// How long the body of a refusal is waited for: its status alone says that the exchange failed.
const REFUSAL: Duration = Duration::from_secs(1);

/// One conversation with an agent that speaks AG-UI.
pub(super) struct AguiSession {
    settings: Arc<AguiSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    conversation: Conversation,
}

impl AguiSession {
    pub(super) fn new(settings: Arc<AguiSettings>, transport: Arc<dyn Transport>, opening: Opening) -> Self {
        let conversation = Conversation {
            thread_id: opening.thread_id,
            history: History::default(),
            state: State::new(settings.state.clone()),
            ids: opening.ids,
        };
        Self { settings, transport, clock: opening.clock, conversation }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let Action::User { message_id, text } = request.action;
        self.conversation.history.discard_open();
        self.conversation.history.say(&message_id, &text);
        let run_id = self.conversation.ids.next("run");
        let body = self.body(&run_id)?;
        let mut decoder = Decoder::new(run_id);
        let talk = self.talk(body, &mut decoder, limits, sink);
        // Dropped on both, the connection with it.
        let ended = match limits.cancel.run_until_cancelled(timeout(limits.timeout, talk)).await {
            Some(Ok(ended)) => ended,
            // The run was over; only its stream was not.
            _ if decoder.is_ended() => Ok(Ended::Terminal),
            Some(Err(_elapsed)) => Ok(Ended::Timeout),
            None => Ok(Ended::Cancelled),
        };
        sink.wire(self.clock.now(), Wire::Closed);
        ended
    }

    fn body(&self, run_id: &str) -> Result<Bytes, TargetError> {
        let Conversation { thread_id, history, state, .. } = &self.conversation;
        let input = RunInput::new(thread_id, run_id, state.value(), history, &self.settings.forwarded_props);
        let body = serde_json::to_vec(&input).map_err(|failure| TargetError {
            message: format!("the request cannot be written as JSON: {failure}"),
            received: Received::default(),
            help: None,
        })?;
        Ok(Bytes::from(body))
    }

    async fn talk(
        &mut self,
        body: Bytes,
        decoder: &mut Decoder,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        sink.wire(self.clock.now(), Wire::Sent { body: &body });
        let url = self.settings.endpoint.clone();
        let request = HttpRequest { url, headers: headers(&self.settings.headers), body };
        let reply = self.transport.send(request).await?;
        sink.wire(reply.at, Wire::Head { status: reply.head.status, content_type: &reply.head.content_type });
        let status = reply.head.status;
        let evidence = Evidence::new(reply.head);
        if !(200..300).contains(&status) {
            return Err(self.refusal(evidence, reply.body).await);
        }
        Reading::new(evidence, decoder, &mut self.conversation, limits).read(reply.body, sink).await
    }

    /// The error of an answer that is no answer to a run.
    async fn refusal(&self, mut evidence: Evidence, mut body: mpsc::Receiver<Chunk>) -> TargetError {
        let read = async {
            while evidence.bytes < START_BYTES {
                let Some(Chunk { bytes: Ok(bytes), .. }) = body.recv().await else { return };
                evidence.add(&bytes);
            }
        };
        // What came until then is quoted.
        let _complete = timeout(REFUSAL, read).await;
        let head = evidence.head();
        let (message, help) = match (head.status, &head.location) {
            (300..=399, Some(location)) => {
                let place = match self.settings.endpoint.join(location) {
                    Ok(place) => shown(&place),
                    Err(_) => location.clone(),
                };
                (
                    format!("the agent has moved to {place}"),
                    "a redirect of a POST is not followed: put the new place into `endpoint`",
                )
            }
            (status @ (401 | 403), _) => (
                format!("the agent answered with HTTP {status}"),
                "does the target send the `headers` it needs?",
            ),
            (status @ (404 | 405), _) => (
                format!("the agent answered with HTTP {status}"),
                "is `endpoint` the address that runs the agent?",
            ),
            (status, _) => return evidence.error(format!("the agent answered with HTTP {status}")),
        };
        TargetError { help: Some(help.to_owned()), ..evidence.error(message) }
    }
}

impl Session for AguiSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(self.run(request, limits, sink))
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }
}

impl Reading<'_> {
    /// Reads to the end of the run, and then what still comes soon.
    async fn read(
        mut self,
        mut body: mpsc::Receiver<Chunk>,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let mut until = None;
        loop {
            let next = match until {
                None => body.recv().await,
                Some(until) => match timeout_at(until, body.recv()).await {
                    Ok(next) => next,
                    Err(_elapsed) => return Ok(Ended::Terminal),
                },
            };
            let Some(Chunk { at, bytes }) = next else { return self.end(sink) };
            let step = match bytes {
                Ok(bytes) => self.bytes(at, &bytes, sink)?,
                Err(cause) => return self.cut(&cause),
            };
            until = match step {
                ControlFlow::Break(ended) => return Ok(ended),
                ControlFlow::Continue(Step::Running) => None,
                ControlFlow::Continue(Step::Ended) => {
                    until.or_else(|| Some(tokio::time::Instant::now() + AFTER_THE_END))
                }
            };
        }
    }
}
