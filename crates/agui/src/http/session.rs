//! A conversation over HTTP: each exchange is one POST whose response is a stream of events.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use url::Url;

use super::transport::{self, RuntimeMethod};
use super::{AguiSettings, AguiTransport};
use crate::agui_conversation::{AguiConversation, not_written};
use crate::event_reader::AguiEvents;
use crate::run_state::RequestPurpose;
use ananke_agents::http::{self, ClientEvent, HttpRequest, Method, RequestProgress, Transport};
use ananke_agents::{Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, Wire};
use ananke_base::context::{At, Clock};

/// The headers of every request. A wildcard in `accept` would make some servers respond in the binary encoding.
const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
];

/// The time that a request to stop a run may take.
const STOPPING: Duration = Duration::from_secs(1);

/// One conversation with an agent over HTTP.
pub(super) struct AguiSession {
    settings: Arc<AguiSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    conversation: AguiConversation,
}

impl AguiSession {
    pub(super) fn new(settings: Arc<AguiSettings>, options: SessionOptions) -> Self {
        let clock = Arc::clone(&options.clock);
        let transport = Arc::clone(&options.transport);
        let conversation = AguiConversation::new(settings.conversation.clone(), options);
        Self {
            settings,
            transport,
            clock,
            conversation,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let (input, mut run) = self.conversation.begin(request)?;
        let purpose = run.purpose;
        let (thread_id, method) = (self.conversation.thread_id(), RuntimeMethod::from(purpose));
        let request = transport::request(&self.settings, method, thread_id, Some(input));
        let (url, body) = request.map_err(|failure| not_written(&failure))?;
        let request = self.post(url, body);
        let limits = &self.settings.options.limits(limits);
        let mut closed = None;
        let mut events = self.conversation.events(&mut run);
        let talk = talk(
            &*self.transport,
            request,
            &mut events,
            limits,
            sink,
            &mut closed,
        );
        // A cancellation drops it, and its connection.
        let ended = limits.cancel.run_until_cancelled(talk).await;
        let ended = self.conversation.end(run, ended, sink);
        let ended = ended.map_err(|error| {
            if transport::is_refused_by_runtime(&self.settings, &error.received) {
                error.with_help(transport::USE_OF_RUNTIME)
            } else {
                error
            }
        });
        sink.wire(
            self.transport.moment(ClientEvent::Closes(closed)),
            Wire::Closed,
        );
        if purpose == RequestPurpose::Run && matches!(ended, Ok(Ended::Timeout | Ended::Cancelled))
        {
            self.stop().await;
        }
        ended
    }

    fn post(&self, url: Url, body: Bytes) -> HttpRequest {
        let headers = http::headers_with_defaults(&self.settings.headers, &HEADERS);
        HttpRequest {
            method: Method::Post,
            url,
            headers,
            body,
            response_headers: Vec::new(),
            options: Arc::clone(&self.settings.options),
            progress: RequestProgress::default(),
        }
    }

    /// Stops the run on a runtime that continues runs without a client. Its response does not matter.
    async fn stop(&self) {
        if self.settings.transport == AguiTransport::Http {
            return;
        }
        let thread_id = self.conversation.thread_id();
        if let Ok((url, body)) =
            transport::request(&self.settings, RuntimeMethod::Stop, thread_id, None)
        {
            let until = self.transport.moment(ClientEvent::Sends).plus(STOPPING);
            let _answer = self.transport.send(self.post(url, body), until).await;
        }
    }
}

/// Sends a request and reads its response.
async fn talk(
    transport: &dyn Transport,
    request: HttpRequest,
    events: &mut AguiEvents<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let response = http::send(transport, request, limits, sink, closed).await?;
    let Some(response) = response else {
        return Ok(Ended::Timeout);
    };
    http::read_events(response.accepted().await?, events, limits, sink, closed).await
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
