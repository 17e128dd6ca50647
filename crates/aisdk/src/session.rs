//! A conversation with a backend: each exchange is one POST whose response is a stream of chunks.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::chat::Chat;
use super::config::AiSdkSettings;
use super::stream_reader::UiStreamReader;
use super::ui_chat_request::UiChatRequest;
use ananke_agents::http::{
    self, ClientEvent, HttpRequest, Method, RequestProgress, StreamReader as _, Transport,
    headers_with_defaults,
};
use ananke_agents::{
    Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, Wire, request_body,
};
use ananke_base::context::{At, Clock};
use ananke_base::message::RequestAdditions;

/// The headers of every request. A route may refuse a client that accepts less than the official one, so that anything is accepted.
const HEADERS: [(&str, &str); 2] = [("content-type", "application/json"), ("accept", "*/*")];

/// One conversation.
pub(super) struct AiSdkSession {
    settings: Arc<AiSdkSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    chat: Chat,
}

impl AiSdkSession {
    pub(super) fn new(settings: Arc<AiSdkSettings>, options: SessionOptions) -> Self {
        let chat = Chat::new(&options);
        Self {
            settings,
            chat,
            transport: options.transport,
            clock: options.clock,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let context = request.context;
        let message_id = self.chat.take(request.action)?;
        let messages = self.chat.messages();
        let own = &self.settings.body;
        let body = UiChatRequest::new(&self.chat.id, messages, message_id, own, &context);
        let body = request_body(&body)?;
        let request = self.post(body, &context.request);
        let limits = &self.settings.options.limits(limits);
        let mut closed = None;
        let mut reader = UiStreamReader::new(&mut self.chat);
        let talk = talk(
            &*self.transport,
            request,
            &mut reader,
            limits,
            sink,
            &mut closed,
        );
        // A cancellation drops it, and its connection.
        let ended = match limits.cancel.run_until_cancelled(talk).await {
            // The answer is complete; only the stream is still open.
            None | Some(Ok(Ended::Timeout)) if reader.is_ended() => {
                reader.give_up();
                Ok(Ended::Terminal)
            }
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        };
        let closed = self.transport.moment(ClientEvent::Closes(closed));
        let ended = if matches!(ended, Ok(Ended::Terminal)) {
            let flow = reader.finish(sink);
            Ok(if flow.is_break() {
                Ended::Cancelled
            } else {
                Ended::Terminal
            })
        } else {
            reader.abandon(sink);
            ended
        };
        sink.wire(closed, Wire::Closed);
        ended
    }

    fn post(&self, body: bytes::Bytes, additions: &RequestAdditions) -> HttpRequest {
        let mut headers = self.settings.headers.clone();
        for (name, value) in &additions.headers {
            headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.clone()));
        }
        let mut url = self.settings.endpoint.clone();
        if !additions.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&additions.query);
        }
        HttpRequest {
            method: Method::Post,
            url,
            headers: headers_with_defaults(&headers, &HEADERS),
            body,
            response_headers: Vec::new(),
            options: Arc::clone(&self.settings.options),
            progress: RequestProgress::default(),
        }
    }
}

/// Sends a request and reads its response.
async fn talk(
    transport: &dyn Transport,
    request: HttpRequest,
    reader: &mut UiStreamReader<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let response = http::send(transport, request, limits, sink, closed).await?;
    let Some(response) = response else {
        return Ok(Ended::Timeout);
    };
    http::read_events(response.accepted().await?, reader, limits, sink, closed).await
}

impl Session for AiSdkSession {
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
