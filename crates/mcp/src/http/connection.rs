//! The way to a server over HTTP: each message is a POST, and a response is one JSON document or a stream of events. A server of
//! the older era can also say something at any time, on a stream of its own, and continue a stream that broke.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use serde_json::Value;
use url::Url;

use super::headers::{MirroredArguments, of_message};
use super::incoming_reply::{IncomingReply, ReplyItem};
use super::merge::{ReplySource, next};
use super::refusal::{no_endpoint, no_message, no_stream, not_accepted, wrong_message};
use super::{Endpoints, HttpSettings};
use crate::outgoing::Outgoing;
use crate::talk::{Break, Talk, TalkEnd};
use ananke_agents::http::{
    ClientEvent, HttpRequest, Method, RequestProgress, Transport, headers_with_defaults, origin,
    shown,
};
use ananke_agents::{Ended, TargetError, Wire};
use ananke_base::context::At;

/// The number of times that a stream is continued that ends without a response.
const MOST_CONTINUATIONS: usize = 10;

/// The pause before a stream is continued, unless the server says another.
const PAUSE: Duration = Duration::from_secs(1);

/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The time that the opening of the stream for messages outside of responses may take. Some servers open it with the
/// first event.
const OPENING: Duration = Duration::from_secs(1);

/// The time that the messages that end a session may take.
const ENDING: Duration = Duration::from_secs(1);

/// The header that names the session.
const SESSION: &str = "mcp-session-id";

/// The way to a server over HTTP.
pub(crate) struct HttpConnection {
    settings: HttpSettings,
    transport: Arc<dyn Transport>,
    /// The URL that messages are sent to.
    send_to: Option<Url>,
    /// The session, and the version that was negotiated.
    session: Option<String>,
    version: Option<String>,
    /// Whether the last request initializes the server: its response names the session.
    initializes: bool,
    /// The response to the last request.
    reply: Option<IncomingReply>,
    /// The stream of the server's messages outside of responses.
    stream: Option<IncomingReply>,
    /// The number of times that the response was continued.
    continued: usize,
    mirrored: MirroredArguments,
}

impl HttpConnection {
    pub(crate) fn new(settings: HttpSettings, transport: Arc<dyn Transport>) -> Self {
        let send_to = (settings.endpoints == Endpoints::One).then(|| settings.endpoint.clone());
        Self {
            settings,
            transport,
            send_to,
            session: None,
            version: None,
            initializes: false,
            reply: None,
            stream: None,
            continued: 0,
            mirrored: MirroredArguments::default(),
        }
    }

    /// Whether the tools must be known before one is called.
    pub(crate) fn needs_tools(&self) -> bool {
        self.settings.endpoints == Endpoints::One
            && self.version.is_none()
            && !self.mirrored.is_known
    }

    /// Takes the tools of the server.
    pub(crate) fn learn_tools(&mut self, tools: &[Value]) {
        self.mirrored.learn(tools);
    }

    /// Sends a message, and returns when that was. The response to a request is read later.
    pub(crate) async fn send(
        &mut self,
        message: &Outgoing,
        talk: &mut Talk<'_>,
    ) -> Result<At, Break> {
        let url = match &self.send_to {
            Some(url) => url.clone(),
            None => self.find_endpoint(talk).await?,
        };
        let bytes = message.bytes();
        let request = self.request(
            Method::Post,
            url,
            &of_message(message, &self.mirrored),
            bytes.clone(),
        );
        self.initializes =
            matches!(message, Outgoing::Request { method, .. } if *method == "initialize");
        let (sent, mut reply) = self.begin(request, &bytes, talk).await;
        if matches!(message, Outgoing::Request { .. }) && self.settings.endpoints == Endpoints::One
        {
            self.continued = 0;
            self.reply = Some(reply);
            return Ok(sent);
        }
        let until = talk.until(sent);
        reply.fill(until).await?;
        match reply.next_at() {
            None => Err(Break::Ended(Ended::Timeout)),
            Some(_) if reply.is_success() => Ok(sent),
            Some(at) => Err(not_accepted(reply, at, until).await.into()),
        }
    }

    /// Begins a request, which is on its way when this returns.
    async fn begin(
        &mut self,
        request: HttpRequest,
        body: &[u8],
        talk: &mut Talk<'_>,
    ) -> (At, IncomingReply) {
        talk.admit().await;
        let sent = self.transport.moment(ClientEvent::Sends);
        let until = talk.until(sent);
        let (method, url, headers) = (
            request.method.as_str(),
            shown(&request.url),
            request.headers.clone(),
        );
        let transport = Arc::clone(&self.transport);
        let mut head = async move { transport.send(request, until).await }.boxed();
        // A request leaves when its response is first asked for.
        let head = match futures_util::poll!(&mut head) {
            std::task::Poll::Ready(reply) => std::future::ready(reply).boxed(),
            std::task::Poll::Pending => head,
        };
        if talk.began.is_none() {
            talk.sink.wire(
                sent,
                Wire::Request {
                    method,
                    url: &url,
                    headers: &headers,
                },
            );
        }
        talk.sent(sent, body);
        (sent, IncomingReply::new(head, self.max_event_bytes(talk)))
    }

    fn max_event_bytes(&self, talk: &Talk<'_>) -> usize {
        self.settings.options.limits(&talk.limits).max_event_bytes
    }

    fn request(
        &self,
        method: Method,
        url: Url,
        own: &[(String, String)],
        body: Vec<u8>,
    ) -> HttpRequest {
        let accept = match method {
            Method::Post => "application/json, text/event-stream",
            Method::Get | Method::Delete => "text/event-stream",
        };
        let mut headers: Vec<(&str, &str)> = vec![("accept", accept)];
        if method == Method::Post {
            headers.push(("content-type", "application/json"));
        }
        headers.extend(self.session.as_deref().map(|session| (SESSION, session)));
        headers.extend(
            self.version
                .as_deref()
                .map(|version| ("mcp-protocol-version", version)),
        );
        headers.extend(
            own.iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
        HttpRequest {
            method,
            url,
            headers: headers_with_defaults(&self.settings.headers, &headers),
            body: Bytes::from(body),
            response_headers: vec![SESSION.to_owned()],
            options: Arc::clone(&self.settings.options),
            progress: RequestProgress::default(),
        }
    }

    /// The server was initialized with this version.
    pub(crate) fn negotiated(&mut self, version: &str) {
        self.version = Some(version.to_owned());
    }

    /// Opens the stream for what an initialized server says at any time. It need not have one. Until it is open, the server could
    /// say something that nothing receives.
    pub(crate) async fn listen(&mut self, talk: &mut Talk<'_>) {
        if self.settings.endpoints == Endpoints::Two {
            return;
        }
        let request = self.request(Method::Get, self.settings.endpoint.clone(), &[], Vec::new());
        let (sent, mut stream) = self.begin(request, b"", talk).await;
        let is_refused = tokio::select! {
            biased;
            opened = stream.fill(talk.until(sent)) => opened.is_err(),
            () = self.transport.wait(OPENING) => false,
        };
        self.stream = Some(stream).filter(|_| !is_refused);
    }

    /// Opens the stream of a server with two endpoints, and waits for the other one.
    async fn find_endpoint(&mut self, talk: &mut Talk<'_>) -> Result<Url, Break> {
        let request = self.request(Method::Get, self.settings.endpoint.clone(), &[], Vec::new());
        let (sent, mut stream) = self.begin(request, b"", talk).await;
        let until = talk.until(sent);
        loop {
            stream.fill(until).await?;
            match stream.take() {
                None => return Err(Break::Ended(Ended::Timeout)),
                Some(ReplyItem::Head(at)) => {
                    head(&stream, at, talk);
                    if !stream.is_stream() {
                        return Err(no_stream(stream, at, until).await.into());
                    }
                }
                Some(ReplyItem::Data(at, data)) => {
                    talk.sink.wire(at, Wire::Frame(&data));
                    let named = std::str::from_utf8(&data)
                        .ok()
                        .and_then(|named| self.settings.endpoint.join(named.trim()).ok());
                    let endpoint =
                        named.filter(|url| origin(url) == origin(&self.settings.endpoint));
                    let Some(endpoint) = endpoint else {
                        let message =
                            "the first event of the server names no endpoint of the same server";
                        return Err(no_endpoint(&stream, message).into());
                    };
                    self.send_to = Some(endpoint.clone());
                    self.stream = Some(stream);
                    return Ok(endpoint);
                }
                Some(ReplyItem::Broken(..) | ReplyItem::End(_)) => {
                    return Err(no_endpoint(
                        &stream,
                        "the stream ended before it named an endpoint",
                    )
                    .into());
                }
            }
        }
    }

    /// Reads until there is something to do, or until then.
    pub(crate) async fn read(&mut self, until: At, talk: &mut Talk<'_>) -> Result<Ended, Break> {
        while !talk.incoming.has_news() {
            let item = next(&mut self.reply, &mut self.stream, until).await?;
            let Some((source, item)) = item else {
                self.reply = None;
                talk.closed = Some(until);
                return Ok(Ended::Timeout);
            };
            // A cancellation must be noticed between two messages, however much is there to read.
            tokio::task::yield_now().await;
            match source {
                ReplySource::Reply => self.take_reply(item, talk).await?,
                ReplySource::Stream => self.take_stream(item, talk)?,
            }
        }
        Ok(Ended::Terminal)
    }

    async fn take_reply(&mut self, item: ReplyItem, talk: &mut Talk<'_>) -> Result<(), Break> {
        let Some(reply) = &mut self.reply else {
            return Ok(());
        };
        match item {
            ReplyItem::Head(at) => {
                head(reply, at, talk);
                let headers = reply
                    .received
                    .iter()
                    .flat_map(|received| &received.head.headers);
                let session = headers
                    .filter(|(name, _)| name == SESSION)
                    .map(|(_, value)| value.clone())
                    .next();
                if self.initializes && reply.is_success() {
                    self.session = session;
                }
                Ok(())
            }
            ReplyItem::Data(at, data) if reply.is_stream() => {
                if data.trim_ascii().is_empty() {
                    return Ok(());
                }
                take_event(reply, at, &data, talk)
            }
            // Whatever its body says, it is not the answer of the server to what was asked.
            ReplyItem::Data(at, data)
                if is_transport_failure(reply.status(), self.session.as_deref()) =>
            {
                talk.sink.wire(at, Wire::Frame(&data));
                talk.closed = Some(at);
                Err(self.not_answered().into())
            }
            ReplyItem::Data(at, data) => {
                // An error answers its request, whatever id it names: some servers make one up.
                talk.incoming.takes_any_error = true;
                let taken = take_message(reply, at, &data, talk);
                talk.incoming.takes_any_error = false;
                match taken {
                    Ok(true) if talk.incoming.has_news() => Ok(()),
                    Err(ended @ Break::Ended(_)) => Err(ended),
                    Err(error) if reply.is_success() => Err(error),
                    _ => Err(self.not_answered().into()),
                }
            }
            ReplyItem::Broken(at, cause) => {
                talk.closed = Some(at);
                let message =
                    format!("the connection broke before the response was complete: {cause}");
                self.resume(&message, talk).await
            }
            ReplyItem::End(_) => {
                self.resume("the stream ended without a response", talk)
                    .await
            }
        }
    }

    /// Continues a response that ended too early, if the server numbers its events.
    async fn resume(&mut self, why: &str, talk: &mut Talk<'_>) -> Result<(), Break> {
        let Some(reply) = self.reply.take() else {
            return Ok(());
        };
        let error = |reply: &IncomingReply| {
            reply.received.as_ref().map_or_else(
                || TargetError::new(why),
                |received| received.broken_off(why),
            )
        };
        let Some(last) = reply.last_id().map(str::to_owned) else {
            return Err(error(&reply).into());
        };
        self.continued += 1;
        if self.continued > MOST_CONTINUATIONS {
            return Err(error(&reply).into());
        }
        let pause = reply
            .retry_ms()
            .map_or(PAUSE, Duration::from_millis)
            .min(LONGEST_PAUSE);
        self.transport.wait(pause).await;
        let own = [("last-event-id".to_owned(), last)];
        let request = self.request(
            Method::Get,
            self.settings.endpoint.clone(),
            &own,
            Vec::new(),
        );
        let (_, reply) = self.begin(request, b"", talk).await;
        self.reply = Some(reply);
        Ok(())
    }

    fn take_stream(&mut self, item: ReplyItem, talk: &mut Talk<'_>) -> Result<(), Break> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        match item {
            // A server need not have such a stream.
            ReplyItem::Head(_) if !stream.is_stream() => self.stream = None,
            ReplyItem::Data(at, data) if !data.trim_ascii().is_empty() => {
                return take_event(stream, at, &data, talk);
            }
            ReplyItem::Head(_) | ReplyItem::Data(..) => {}
            ReplyItem::Broken(..) | ReplyItem::End(_) => {
                self.stream = None;
                if self.settings.endpoints == Endpoints::Two {
                    return Err(TargetError::new(
                        "the stream of the server ended without a response",
                    )
                    .into());
                }
            }
        }
        Ok(())
    }

    /// The error of a response that is no message.
    fn not_answered(&mut self) -> TargetError {
        let received = self.reply.take().and_then(|reply| reply.received);
        let Some(received) = received else {
            return TargetError::new("no response came");
        };
        // It is not ended either then. Another session would hide from the test what this one had.
        if received.head.status == 404 && self.session.take().is_some() {
            return received.error("the session is gone: the server does not know it any more");
        }
        no_message(&received)
    }

    /// A connection to the same endpoint by the other transport, and how a config names that.
    pub(crate) fn by_other_transport(&self) -> (Self, &'static str) {
        let (endpoints, name) = match self.settings.endpoints {
            Endpoints::One => (Endpoints::Two, "sse"),
            Endpoints::Two => (Endpoints::One, "http"),
        };
        let settings = HttpSettings {
            endpoints,
            ..self.settings.clone()
        };
        (Self::new(settings, Arc::clone(&self.transport)), name)
    }

    /// The moment at which a turn was over.
    pub(crate) fn closes(&self, closed: Option<At>) -> At {
        self.transport.moment(ClientEvent::Closes(closed))
    }

    /// Ends the session. Its requests may fail: it is over in any case.
    pub(crate) async fn close(&mut self, end: TalkEnd, cancelled: Option<&Outgoing>) {
        self.reply = None;
        self.stream = None;
        let is_legacy = self.version.is_some();
        let Some(url) = self.send_to.clone().filter(|_| is_legacy) else {
            return;
        };
        let mut requests = Vec::new();
        if let Some(cancelled) = cancelled.filter(|_| end == TalkEnd::Failed) {
            requests.push(self.request(Method::Post, url.clone(), &[], cancelled.bytes()));
        }
        if self.session.is_some() {
            requests.push(self.request(Method::Delete, url, &[], Vec::new()));
        }
        for request in requests {
            let until = self.transport.moment(ClientEvent::Sends).plus(ENDING);
            let _response = self.transport.send(request, until).await;
        }
    }
}

/// Whether a response with this status is a failure of the way to the server. A 404 is one if the request named a session,
/// which is gone then.
fn is_transport_failure(status: u16, session: Option<&str>) -> bool {
    matches!(status, 401 | 403 | 500..) || status == 404 && session.is_some()
}

/// Reports the head of a response.
fn head(reply: &IncomingReply, at: At, talk: &mut Talk<'_>) {
    if let Some(received) = &reply.received {
        let (status, content_type) = (received.head.status, received.head.content_type.as_str());
        talk.sink.wire(
            at,
            Wire::Head {
                status,
                content_type,
            },
        );
        talk.sink.wire(at, Wire::Headers(&received.head.headers));
    }
}

/// Takes an event of a stream, which must be a message.
fn take_event(
    reply: &IncomingReply,
    at: At,
    data: &[u8],
    talk: &mut Talk<'_>,
) -> Result<(), Break> {
    match take_message(reply, at, data, talk) {
        Ok(true) => Ok(()),
        Ok(false) => Err(wrong_message(reply, "is not a message of MCP").into()),
        Err(ended) => Err(ended),
    }
}

/// Takes a message of a response, and returns whether it is one.
fn take_message(
    reply: &IncomingReply,
    at: At,
    data: &[u8],
    talk: &mut Talk<'_>,
) -> Result<bool, Break> {
    talk.sink.wire(at, Wire::Frame(data));
    talk.closed = Some(at);
    match talk.incoming.take(at, data, talk.sink) {
        Ok(Some(flow)) if flow.is_break() => Err(Break::Ended(Ended::Cancelled)),
        Ok(message) => Ok(message.is_some()),
        Err(why) => Err(wrong_message(reply, &why).into()),
    }
}
