//! The requests of one turn, and which of their responses are read.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::conversation::HttpConversation;
use super::event::{self, JsonLike, ResponseEvent};
use super::framing::BodyFraming;
use super::mapped_reader::MappedReader;
use super::modes::StreamForm;
use super::request::{CapturedFrom, RequestTemplate};
use super::settings::{ResponseUse, ThenTemplate};
use ananke_agents::http::{
    self, ClientEvent, Document, HttpRequest, ReceivedResponse, RejectedRetries, RequestProgress,
    Response, TOO_MANY_REQUESTS, Transport,
};
use ananke_agents::{Ended, EventReader as _, Limits, Sink, TargetError, Wire};
use ananke_base::context::{At, Clock};

/// The statuses of a refusal that says nothing about the conversation, whatever its body holds.
const REFUSALS: [u16; 5] = [401, 403, 404, 408, 429];

/// The statuses of a response that is not there yet, for a request that is repeated.
const NOT_YET: [u16; 2] = [202, 204];

/// Everything that the requests of one turn share.
pub(crate) struct TurnRequests<'a, 'r> {
    pub(crate) conversation: &'a mut HttpConversation,
    pub(crate) transport: &'a dyn Transport,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) reader: &'a mut MappedReader<'r>,
    pub(crate) limits: Limits,
    pub(crate) sink: &'a mut dyn Sink,
    /// The moment at which the last connection was closed, if it is known.
    pub(crate) closed: &'a mut Option<At>,
    /// The moment at which the time of the turn is up; known with the first response.
    pub(crate) until: Option<At>,
}

/// A response that was read to its end: its document, its status, and the headers that are captured.
struct ReadResponse {
    document: Document,
    status: u16,
    head: Vec<(String, String)>,
}

impl TurnRequests<'_, '_> {
    /// Sends the requests before the first turn.
    ///
    /// # Errors
    /// If one is refused, or a capture finds nothing.
    pub(crate) async fn start(&mut self) -> Result<Option<Ended>, TargetError> {
        let settings = Arc::clone(&self.conversation.settings);
        for (number, request) in (1..).zip(&settings.start) {
            let document = self.document(request).await;
            // The message about a status is about the endpoint otherwise.
            let document = document.map_err(|error| {
                let message = format!("request {number} of `start`: {}", error.message);
                TargetError { message, ..error }
            });
            if !document? {
                return Ok(Some(Ended::Timeout));
            }
            self.close();
        }
        Ok(None)
    }

    /// Sends the requests of a turn, and has the reader read the responses that count.
    ///
    /// # Errors
    /// If one is refused, or its response cannot be read.
    pub(crate) async fn turn(&mut self, main: &RequestTemplate) -> Result<Ended, TargetError> {
        let settings = Arc::clone(&self.conversation.settings);
        let Some((last, between)) = settings.then.split_last() else {
            return self.read(main).await;
        };
        if !self.document(main).await? {
            return Ok(Ended::Timeout);
        }
        for then in between {
            self.close();
            // A request that waits for nothing, and whose response is not read, may have an empty one.
            if then.until.is_none() && then.response == ResponseUse::Captured {
                if !self.document(&then.request).await? {
                    return Ok(Ended::Timeout);
                }
                continue;
            }
            let ended = self.repeated(then, then.response).await?;
            if ended != Ended::Terminal {
                return Ok(ended);
            }
        }
        self.close();
        // A response that is waited for is a document, since it is read as a whole before `until` can decide.
        if last.until.is_some() {
            return self.repeated(last, ResponseUse::Read).await;
        }
        self.read(&last.request).await
    }

    /// Ends a request after which another one follows, which has the time of the turn that is left.
    fn close(&mut self) {
        let at = self
            .transport
            .moment(ClientEvent::Closes(self.closed.take()));
        self.sink.wire(at, Wire::Closed);
        if let Some(until) = self.until {
            self.limits.timeout = until.since(at);
        }
    }

    /// Sends a request until its response has what it waits for.
    async fn repeated(
        &mut self,
        then: &ThenTemplate,
        response_use: ResponseUse,
    ) -> Result<Ended, TargetError> {
        let pause = Duration::from_millis(then.every_ms);
        loop {
            let Some(response) = self.send(&then.request).await? else {
                return Ok(Ended::Timeout);
            };
            let Some(read) = self.read_whole(response, &then.request).await? else {
                return Ok(Ended::Timeout);
            };
            let is_empty = read.document.bytes.trim_ascii().is_empty();
            let is_not_yet = then.until.is_some() && (NOT_YET.contains(&read.status) || is_empty);
            if !is_not_yet {
                let event = read_value(&read.document.bytes, &read.document.received)?;
                let is_there = match &then.until {
                    Some(until) => until.first(event.searched()).is_some(),
                    None => true,
                };
                if is_there {
                    let captures = &then.request.captures;
                    self.conversation
                        .capture(captures, &read.head, Some(&event))?;
                    return if response_use == ResponseUse::Read {
                        self.take(&read.document)
                    } else {
                        Ok(Ended::Terminal)
                    };
                }
            }

            // The agent works in the pause, so that the pause is a part of the time of the turn.
            self.close();
            if self.limits.timeout <= pause {
                *self.closed = self.until;
                return Ok(Ended::Timeout);
            }
            self.limits.timeout -= pause;
            self.transport.wait(pause).await;
        }
    }

    /// Has the reader read a document.
    fn take(&mut self, document: &Document) -> Result<Ended, TargetError> {
        let (_, form) = BodyFraming::new(StreamForm::Json, 0);
        self.reader.begin_response(form);
        match self.reader.event(document.at, &document.bytes, self.sink) {
            Ok(flow) if flow.is_break() => Ok(Ended::Cancelled),
            Ok(_) => Ok(Ended::Terminal),
            Err(why) => Err(document.received.error(format!("the response {why}"))),
        }
    }

    /// Sends a request whose response is read for its captures alone. `false` if the time is up.
    async fn document(&mut self, template: &RequestTemplate) -> Result<bool, TargetError> {
        let Some(response) = self.send(template).await? else {
            return Ok(false);
        };
        let Some(read) = self.read_whole(response, template).await? else {
            return Ok(false);
        };
        let captures = &template.captures;
        let has_paths = captures
            .iter()
            .any(|capture| matches!(capture.source, CapturedFrom::Body(_)));
        // Without a path, the body may be anything.
        let event = if has_paths {
            Some(read_value(&read.document.bytes, &read.document.received)?)
        } else {
            None
        };
        self.conversation
            .capture(captures, &read.head, event.as_ref())?;
        Ok(true)
    }

    /// Reads a response to its end; `None` if the time is up.
    async fn read_whole(
        &mut self,
        response: Response,
        template: &RequestTemplate,
    ) -> Result<Option<ReadResponse>, TargetError> {
        let status = response.received.head.status;
        let head = response.received.head.headers.clone();
        if status == UNPROCESSABLE {
            let read = http::read_document(response, &self.limits, self.sink, self.closed).await?;
            return match read {
                Some(document) => Err(unprocessable(&document, template)),
                None => Ok(None),
            };
        }
        let response = response.accepted().await?;
        let read = http::read_document(response, &self.limits, self.sink, self.closed).await?;
        Ok(read.map(|document| ReadResponse {
            document,
            status,
            head,
        }))
    }

    /// Sends a request whose response is that of the turn.
    async fn read(&mut self, template: &RequestTemplate) -> Result<Ended, TargetError> {
        let Some(response) = self.send(template).await? else {
            return Ok(Ended::Timeout);
        };
        let status = response.received.head.status;
        if !(200..300).contains(&status) {
            if (400..500).contains(&status) && !REFUSALS.contains(&status) {
                return self.refused(response, template).await;
            }
            let refusal = response.refusal().await;
            let is_started = !self.conversation.settings.start.is_empty();
            return Err(match session_help(&refusal) {
                Some(help) if !is_started => refusal.with_help(help),
                _ => refusal,
            });
        }
        let head = response.received.head.headers.clone();
        let declared = self.conversation.settings.response.form;
        let form = form_of(declared, &response.received.head.content_type);
        let (framing, known) = BodyFraming::new(form, self.limits.max_event_bytes);
        self.reader.begin_response(known);
        self.reader.look_for(&template.captures);
        let read = http::read_framed(
            response,
            framing,
            self.reader,
            &self.limits,
            self.sink,
            self.closed,
        );
        let ended = read.await?;
        for (name, value) in self.reader.take_captured() {
            self.conversation.keep(name, value);
        }
        // A turn that failed may lack what others have.
        if ended == Ended::Terminal && !self.reader.has_failed() {
            let seen = self.reader.seen();
            self.conversation
                .capture_head(&template.captures, &head, seen)?;
        }
        Ok(ended)
    }

    /// Takes a response of status 4xx: an error of the agent if `response.error` finds it there.
    async fn refused(
        &mut self,
        response: Response,
        template: &RequestTemplate,
    ) -> Result<Ended, TargetError> {
        let read = http::read_document(response, &self.limits, self.sink, self.closed).await?;
        let Some(document) = read else {
            return Ok(Ended::Timeout);
        };
        if let Ok(event) = read_value(&document.bytes, &document.received)
            && let Some(error) = self.reader.error_of(&event)
        {
            self.reader.fail(error);
            return Ok(Ended::Terminal);
        }
        if document.received.head.status == UNPROCESSABLE {
            return Err(unprocessable(&document, template));
        }
        Err(http::refused(&document.received))
    }

    /// Sends a request, and returns its response; `None` if the time is up. A request that the server rejects for now is sent again
    /// after a wait.
    async fn send(&mut self, template: &RequestTemplate) -> Result<Option<Response>, TargetError> {
        self.reader.begin_request();
        let request = self.request(template)?;
        let mut retries = RejectedRetries::new(self.conversation.settings.retries);
        loop {
            let transport = self.transport;
            let sent = http::send(
                transport,
                request.clone(),
                &self.limits,
                self.sink,
                self.closed,
            );
            let Some(response) = sent.await? else {
                return Ok(None);
            };
            if response.received.head.status != TOO_MANY_REQUESTS {
                self.until.get_or_insert(response.until);
                return Ok(Some(response));
            }
            let closed_at = transport.moment(ClientEvent::Closes(self.closed.take()));
            self.sink.wire(closed_at, Wire::Closed);
            let limits = &mut self.limits;
            let waited = retries.wait(response, closed_at, limits, self.clock, transport);
            // The time of the turn is up before the wait is over. A cancellation has dropped the whole turn.
            if waited.await?.is_some() {
                *self.closed = Some(closed_at);
                return Ok(None);
            }
        }
    }

    /// The request of a template, with the values that are known now.
    ///
    /// # Errors
    /// If a value is missing, or if a header cannot have its value.
    fn request(&self, template: &RequestTemplate) -> Result<HttpRequest, TargetError> {
        let filled = self.conversation.fill(template)?;
        for (name, value) in &filled.headers {
            if !http::is_header(name, value) {
                let message =
                    format!("the value of the header `{name}` contains a control character");
                return Err(TargetError::new(message));
            }
        }
        Ok(HttpRequest {
            method: filled.method,
            url: filled.url,
            headers: filled.headers,
            body: filled.body,
            response_headers: template.read_headers(),
            options: Arc::clone(&self.conversation.settings.options),
            progress: RequestProgress::default(),
        })
    }
}

/// The form of a response. A declared stream may be a document all the same if its type says so, because servers that stream their
/// answers report errors in one.
pub(crate) fn form_of(declared: StreamForm, content_type: &str) -> StreamForm {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    match declared {
        StreamForm::Sse | StreamForm::Ndjson | StreamForm::Prefixed
            if essence.eq_ignore_ascii_case("application/json") =>
        {
            StreamForm::Auto
        }
        _ => declared,
    }
}

/// A response that is one JSON value.
fn read_value(bytes: &[u8], received: &ReceivedResponse) -> Result<ResponseEvent, TargetError> {
    match event::read(StreamForm::Json, bytes, JsonLike::Checked) {
        Ok(mut events) if events.len() == 1 => Ok(events.remove(0)),
        Ok(_) => Err(received.error("the response is empty")),
        Err(why) => Err(received.error(format!("the response {why}"))),
    }
}

/// The status of a request whose body is not what the server expects.
const UNPROCESSABLE: u16 = 422;

/// The status of a request to something that is not there.
const NOT_FOUND: u16 = 404;

/// What to do about a refusal that misses a session which is made first; `None` if it is about something else.
pub(crate) fn session_help(refusal: &TargetError) -> Option<&'static str> {
    let body = refusal.received.first_bytes.to_lowercase();
    let names = ["session", "thread", "conversation"];
    let names_session = names.iter().any(|name| body.contains(name));
    if refusal.received.status == Some(NOT_FOUND) && names_session {
        Some(
            "the server makes a session first: add the request to the target, such as \
             `start: { endpoint: \"/sessions/${THREAD_ID}\", body: {} }`, and send `${THREAD_ID}`, or what `capture` keeps of its response",
        )
    } else {
        None
    }
}

/// The error of a server that validates requests, with the fields that it misses, as `FastAPI` lists them.
fn unprocessable(document: &Document, sent: &RequestTemplate) -> TargetError {
    let error = http::refused(&document.received);
    let Ok(body) = serde_json::from_slice::<Value>(&document.bytes) else {
        return error;
    };
    let mut fields = Vec::new();
    let mut is_form = false;
    if let Some(problems) = body["detail"].as_array() {
        for problem in problems {
            if problem["type"] == "missing"
                && let Some(part) = problem["loc"][0].as_str()
                && let Some(field) = problem["loc"][1].as_str()
            {
                fields.push(format!("`{field}` in the {part}"));
                // A field of a form is listed like a key of the body, and is missing although the key was sent.
                is_form |= part == "body" && sent.has_json_key(field);
            }
        }
    }
    if fields.is_empty() {
        return error;
    }
    let mut help = format!("the agent wants {}", fields.join(", "));
    if is_form {
        help.push_str(": as a form, so write `form` instead of `body`");
    }
    error.with_help(help)
}
