//! A conversation with an agent behind an HTTP API of its own: each turn is a request, and those that `then` adds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::calls::KnownCalls;
use super::event::{self, JsonLike, ResponseEvent};
use super::framing::BodyFraming;
use super::mapped_reader::{MappedReader, ReplyEnd};
use super::modes::StreamForm;
use super::request::{CapturedFrom, RequestTemplate, ResponseCapture};
use super::seen_keys::SeenKeys;
use super::settings::{HttpAgentSettings, ThenTemplate};
use ananke_agents::http::{
    self, ClientEvent, HttpRequest, ReceivedResponse, RequestProgress, Response, Transport,
};
use ananke_agents::{
    Action, Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, Wire,
};
use ananke_base::context::{At, Clock, Ids};
use ananke_base::message::{InterruptAnswer, Role};

/// The statuses of a refusal that says nothing about the conversation, whatever its body holds.
const REFUSALS: [u16; 5] = [401, 403, 404, 408, 429];

/// The statuses of a response that is not there yet, for a request that is repeated.
const NOT_YET: [u16; 2] = [202, 204];

/// One conversation.
pub(super) struct HttpSession {
    settings: Arc<HttpAgentSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// The messages so far: whether the user said it, and the text.
    messages: Vec<(Speaker, String)>,
    captured: BTreeMap<String, Value>,
    known: KnownCalls,
    turn: u64,
    has_started: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    User,
    Agent,
}

/// What a turn sends.
struct Said {
    input: String,
    answer: Option<InterruptAnswer>,
}

/// Everything that the requests of one exchange share.
struct TurnExchange<'a> {
    limits: Limits,
    sink: &'a mut dyn Sink,
    /// The moment at which the last connection was closed, if it is known.
    closed: Option<At>,
}

impl HttpSession {
    pub(super) fn new(settings: Arc<HttpAgentSettings>, options: SessionOptions) -> Self {
        let mut messages = Vec::new();
        for message in options.history {
            let text = match &message.content {
                Some(content) => content.text().into_owned(),
                None => String::new(),
            };
            // Calls and their results are not sent back, and instructions have no place.
            match message.role {
                Role::User => messages.push((Speaker::User, text)),
                Role::Assistant if !text.is_empty() => messages.push((Speaker::Agent, text)),
                _ => {}
            }
        }
        Self {
            settings,
            transport: options.transport,
            clock: options.clock,
            ids: options.ids,
            messages,
            captured: BTreeMap::new(),
            known: KnownCalls::default(),
            turn: 0,
            has_started: false,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let settings = Arc::clone(&self.settings);
        let (template, said) = self.said(request.action)?;
        self.turn += 1;
        let mut exchange = TurnExchange {
            limits: settings.options.limits(limits),
            sink,
            closed: None,
        };
        let cancel = limits.cancel.clone();

        // The requests share the time of the turn, so that it ends whichever of them is slow.
        let ids = Arc::clone(&self.ids);
        let mut known = std::mem::take(&mut self.known);
        let mut reader = MappedReader::new(&settings.response, &mut known, &*ids);
        let requests = self.requests(&settings, &template, &said, &mut reader, &mut exchange);
        let ended = match cancel.run_until_cancelled(requests).await {
            // The agent has ended its answer; only the stream has not.
            None | Some(Ok(Ended::Timeout)) if reader.is_ended() => Ok(Ended::Terminal),
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        };
        let closed = self.transport.moment(ClientEvent::Closes(exchange.closed));
        let sink = exchange.sink;
        let ended = match ended {
            Ok(Ended::Terminal) => match reader.finish(sink) {
                Ok(ReplyEnd::Complete(texts)) => {
                    self.messages.push((Speaker::Agent, texts.join("\n")));
                    Ok(Ended::Terminal)
                }
                Ok(ReplyEnd::Ended) => Ok(Ended::Terminal),
                Ok(ReplyEnd::Stopped) => Ok(Ended::Cancelled),
                Err(error) => Err(error),
            },
            other => {
                reader.abandon(sink);
                other
            }
        };
        sink.wire(closed, Wire::Closed);
        self.known = known;
        ended
    }

    /// The main request of a turn, and what it says.
    fn said(&mut self, action: Action) -> Result<(RequestTemplate, Said), TargetError> {
        let settings = &self.settings;
        match action {
            Action::User { content, .. } => {
                let input = content.text().into_owned();
                self.messages.push((Speaker::User, input.clone()));
                let said = Said {
                    input,
                    answer: None,
                };
                Ok((settings.main.clone(), said))
            }
            Action::Resume(mut answers) if answers.len() == 1 => {
                let Some(resume) = &settings.resume else {
                    return Err(TargetError::new(
                        "the target has no `resume`: how is an interrupt answered?",
                    ));
                };
                let said = Said {
                    input: String::new(),
                    answer: answers.pop(),
                };
                Ok((resume.request.clone(), said))
            }
            Action::Resume(_) => Err(TargetError::new(
                "several interrupts are open, and a request answers one: answer them in turns of their own",
            )),
            // Tests with such turns do not load.
            Action::Continue | Action::Connect | Action::ToolResults(_) | Action::Own { .. } => {
                Err(TargetError::new(
                    "the agent takes messages of the user alone",
                ))
            }
        }
    }

    /// Sends the requests of a turn, and has the reader read the responses that count.
    async fn requests(
        &mut self,
        settings: &HttpAgentSettings,
        main: &RequestTemplate,
        said: &Said,
        reader: &mut MappedReader<'_>,
        exchange: &mut TurnExchange<'_>,
    ) -> Result<Ended, TargetError> {
        if !self.has_started {
            for request in &settings.start {
                if let Some(ended) = self.document(request, said, exchange).await? {
                    return Ok(ended);
                }
            }
            self.has_started = true;
        }
        let Some((last, between)) = settings.then.split_last() else {
            return self.read(main, said, reader, exchange).await;
        };
        if let Some(ended) = self.document(main, said, exchange).await? {
            return Ok(ended);
        }
        for then in between {
            let read = if then.is_read {
                Some(&mut *reader)
            } else {
                None
            };
            if let Some(ended) = self.repeated(then, said, read, exchange).await? {
                return Ok(ended);
            }
        }
        if last.until.is_some() {
            let ended = self.repeated(last, said, Some(reader), exchange).await?;
            return Ok(ended.unwrap_or(Ended::Terminal));
        }
        self.read(&last.request, said, reader, exchange).await
    }

    /// Sends a request until its response has what it waits for.
    async fn repeated(
        &mut self,
        then: &ThenTemplate,
        said: &Said,
        mut reader: Option<&mut MappedReader<'_>>,
        exchange: &mut TurnExchange<'_>,
    ) -> Result<Option<Ended>, TargetError> {
        loop {
            let Some(response) = self.send(&then.request, said, exchange).await? else {
                return Ok(Some(Ended::Timeout));
            };
            let status = response.received.head.status;
            let head = response.received.head.headers.clone();
            let response = response.accepted().await?;
            let Some(document) = http::read_document(
                response,
                &exchange.limits,
                exchange.sink,
                &mut exchange.closed,
            )
            .await?
            else {
                return Ok(Some(Ended::Timeout));
            };
            let is_empty = document.bytes.trim_ascii().is_empty();
            if !(NOT_YET.contains(&status) || is_empty) {
                let event = read_value(&document.bytes, &document.received)?;
                let is_there = match &then.until {
                    Some(until) => until.first(event.searched()).is_some(),
                    None => true,
                };
                if is_there {
                    self.capture(&then.request.captures, &head, Some(&event))?;
                    if let Some(reader) = reader.take() {
                        let (_, form) = BodyFraming::new(StreamForm::Json, 0);
                        reader.begin_response(form);
                        let read = ananke_agents::EventReader::event(
                            reader,
                            document.at,
                            &document.bytes,
                            exchange.sink,
                        );
                        match read {
                            Ok(flow) if flow.is_break() => return Ok(Some(Ended::Cancelled)),
                            Ok(_) => {}
                            Err(why) => {
                                return Err(document.received.error(format!("the response {why}")));
                            }
                        }
                    }
                    return Ok(None);
                }
            }

            // Waiting for the agent is time of the agent.
            self.transport
                .wait(Duration::from_millis(then.every_ms))
                .await;
        }
    }

    /// Sends a request whose response is read for its captures alone.
    async fn document(
        &mut self,
        template: &RequestTemplate,
        said: &Said,
        exchange: &mut TurnExchange<'_>,
    ) -> Result<Option<Ended>, TargetError> {
        let Some(response) = self.send(template, said, exchange).await? else {
            return Ok(Some(Ended::Timeout));
        };
        let head = response.received.head.headers.clone();
        let response = response.accepted().await.map_err(with_missing_fields)?;
        let read = http::read_document(
            response,
            &exchange.limits,
            exchange.sink,
            &mut exchange.closed,
        )
        .await?;
        let Some(document) = read else {
            return Ok(Some(Ended::Timeout));
        };
        let has_paths = template
            .captures
            .iter()
            .any(|it| matches!(it.source, CapturedFrom::Body(_)));
        let event = if has_paths {
            Some(read_value(&document.bytes, &document.received)?)
        } else {
            None
        };
        self.capture(&template.captures, &head, event.as_ref())?;
        Ok(None)
    }

    /// Sends a request whose response is that of the turn.
    async fn read(
        &mut self,
        template: &RequestTemplate,
        said: &Said,
        reader: &mut MappedReader<'_>,
        exchange: &mut TurnExchange<'_>,
    ) -> Result<Ended, TargetError> {
        let Some(response) = self.send(template, said, exchange).await? else {
            return Ok(Ended::Timeout);
        };
        let status = response.received.head.status;
        let is_refusal = REFUSALS.contains(&status) || !(400..500).contains(&status);
        if !(200..300).contains(&status) {
            if is_refusal {
                return Err(with_missing_fields(response.refusal().await));
            }
            return self.refused(response, reader, exchange).await;
        }
        let head = response.received.head.headers.clone();
        let content_type = response.received.head.content_type.clone();
        let form = form_of(self.settings.response.form, &content_type);
        let (framing, known) = BodyFraming::new(form, exchange.limits.max_event_bytes);
        reader.begin_response(known);
        reader.look_for(&template.captures);
        let ended = http::read_framed(
            response,
            framing,
            reader,
            &exchange.limits,
            exchange.sink,
            &mut exchange.closed,
        )
        .await?;
        for (name, value) in reader.take_captured() {
            self.captured.insert(name, value);
        }
        if ended == Ended::Terminal && !reader.has_failed() {
            self.check_captured(&template.captures, &head, reader.seen())?;
        }
        Ok(ended)
    }

    /// Takes a response of status 4xx: an error of the agent if `response.error` finds it there.
    async fn refused(
        &mut self,
        response: Response,
        reader: &mut MappedReader<'_>,
        exchange: &mut TurnExchange<'_>,
    ) -> Result<Ended, TargetError> {
        let read = http::read_document(
            response,
            &exchange.limits,
            exchange.sink,
            &mut exchange.closed,
        )
        .await?;
        let Some(document) = read else {
            return Ok(Ended::Timeout);
        };
        if let Ok(event) = read_value(&document.bytes, &document.received)
            && let Some(error) = reader.error_of(&event)
        {
            reader.fail(error);
            return Ok(Ended::Terminal);
        }
        Err(with_missing_fields(http::refused(&document.received)))
    }

    /// Sends a request, and returns its response; `None` if the time is up.
    async fn send(
        &self,
        template: &RequestTemplate,
        said: &Said,
        exchange: &mut TurnExchange<'_>,
    ) -> Result<Option<Response>, TargetError> {
        let filled = template.fill(&|name| self.value(name, said))?;
        for (name, value) in &filled.headers {
            if !http::is_header(name, value) {
                let message =
                    format!("the value of the header `{name}` contains a control character");
                return Err(TargetError::new(message));
            }
        }
        let request = HttpRequest {
            method: filled.method,
            url: filled.url,
            headers: filled.headers,
            body: filled.body,
            response_headers: template.captured_headers(),
            options: Arc::clone(&self.settings.options),
            progress: RequestProgress::default(),
        };
        http::send(
            &*self.transport,
            request,
            &exchange.limits,
            exchange.sink,
            &mut exchange.closed,
        )
        .await
    }

    /// The value of a variable that is known when a request is sent.
    fn value(&self, name: &str, said: &Said) -> Option<Value> {
        let answer = said.answer.as_ref();
        match name {
            "INPUT" => Some(Value::from(said.input.as_str())),
            "TURN" => Some(Value::from(self.turn)),
            "MESSAGES" => Some(self.listed(&self.messages)),
            "HISTORY" => {
                let before = self.messages.len().saturating_sub(1);
                Some(self.listed(&self.messages[..before]))
            }
            "RESUME" => answer?.payload.clone(),
            "RESUME_ID" => Some(Value::from(answer?.id.as_str())),
            "RESUME_STATUS" => {
                let resume = self.settings.resume.as_ref()?;
                let status = if answer?.is_resolved {
                    &resume.resolved
                } else {
                    &resume.cancelled
                };
                Some(Value::from(status.as_str()))
            }
            _ => self.captured.get(name).cloned(),
        }
    }

    /// Messages as the API has them.
    fn listed(&self, messages: &[(Speaker, String)]) -> Value {
        let (user, agent) = &self.settings.roles;
        let mut list = Vec::new();
        for (speaker, text) in messages {
            let role = match speaker {
                Speaker::User => user,
                Speaker::Agent => agent,
            };
            let message = self.settings.message.value(&|name| match name {
                "ROLE" => Some(Value::from(role.as_str())),
                "TEXT" => Some(Value::from(text.as_str())),
                _ => None,
            });
            // Nothing else can be missing in a message.
            if let Ok(Some(message)) = message {
                list.push(message);
            }
        }
        Value::Array(list)
    }

    /// Keeps the captured values of a response.
    ///
    /// # Errors
    /// If one is missing that has no value from an earlier response.
    fn capture(
        &mut self,
        captures: &[ResponseCapture],
        head: &[(String, String)],
        event: Option<&ResponseEvent>,
    ) -> Result<(), TargetError> {
        if let Some(event) = event {
            for capture in captures {
                if let CapturedFrom::Body(pick) = &capture.source
                    && let Some(hit) = pick.first(event.searched())
                {
                    self.captured
                        .insert(capture.name.clone(), hit.value.into_owned());
                }
            }
        }
        let mut seen = SeenKeys::default();
        if let Some(event) = event {
            seen.add(event);
        }
        self.check_captured(captures, head, &seen)
    }

    /// Keeps what is captured of a head, and checks that each capture has a value.
    fn check_captured(
        &mut self,
        captures: &[ResponseCapture],
        head: &[(String, String)],
        seen: &SeenKeys,
    ) -> Result<(), TargetError> {
        for capture in captures {
            if let Some(value) = capture.in_headers(head) {
                self.captured.insert(capture.name.clone(), value);
            }
            if self.captured.contains_key(&capture.name) {
                continue;
            }
            let name = &capture.name;
            let message = match &capture.source {
                CapturedFrom::Body(pick) => {
                    let paths = pick.words();
                    let words = seen.words(paths.trim_matches('"'));
                    format!("the capture `{name}`: {paths} found nothing in the response. {words}")
                }
                CapturedFrom::Header(header) => {
                    format!("the capture `{name}`: the response has no header `{header}`")
                }
                CapturedFrom::Cookie(cookie) => {
                    format!("the capture `{name}`: the response sets no cookie `{cookie}`")
                }
            };
            return Err(TargetError::new(message));
        }
        Ok(())
    }
}

/// The form of a response: a declared stream is read as what it is if its type says that it is a document, as errors are.
fn form_of(declared: StreamForm, content_type: &str) -> StreamForm {
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

/// Adds to the error of a server that validates requests the fields that it misses.
fn with_missing_fields(error: TargetError) -> TargetError {
    if error.received.status != Some(UNPROCESSABLE) {
        return error;
    }
    let Ok(body) = serde_json::from_str::<Value>(&error.received.first_bytes) else {
        return error;
    };
    let mut fields = Vec::new();
    for problem in body["detail"].as_array().into_iter().flatten() {
        if let [Value::String(place), Value::String(field)] =
            problem["loc"].as_array().map_or(&[][..], Vec::as_slice)
            && problem["type"] == "missing"
        {
            fields.push(format!("`{field}` in the {place}"));
        }
    }
    if fields.is_empty() {
        return error;
    }
    let help = format!("the agent wants {}", fields.join(", "));
    error.with_help(help)
}

impl Session for HttpSession {
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
