//! A conversation with an agent: the first turn finds the agent card; each turn sends a message, and reads or polls what comes
//! of it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::a2a_conversation::A2aConversation;
use super::card::AgentCard;
use super::dialect::{A2aVersion, Binding, Operation};
use super::discovery::discover;
use super::history::SaidMessage;
use super::outgoing::{self, A2aRequest, Answering, OutgoingMessage, TRACEABILITY};
use super::part::{parts_of, text_of};
use super::send_turn::parts;
use super::settings::{A2aSettings, AgentLocation, Blocking};
use super::teller::QuietSink;
use super::turn_reader::{A2aReader, NO_PAYLOAD};
use crate::config::ToolCallConvention;
use ananke_agents::http::{
    self, ClientEvent, Document, HttpRequest, RequestProgress, Response, Transport,
};
use ananke_agents::{
    Action, Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, Wire,
};
use ananke_base::context::{At, Clock, Ids};
use ananke_base::message::DeclaredTool;
use ananke_trace::trace::Change;

/// The time before a task is polled for the first time. Each time, it is twice as long, up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// The longest time between two polls.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The question whether the response is that of an agent of A2A.
const IS_A2A: &str = "is this the URL of an agent of A2A?";

/// One conversation with an agent.
pub(super) struct A2aSession {
    settings: Arc<A2aSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// The agent card, once it was read.
    card: Option<AgentCard>,
    /// Whether its skills were reported.
    has_declared: bool,
    conversation: A2aConversation,
    /// Whether the agent may be of an older version than the one in which it is asked.
    may_be_older: bool,
    /// The number of the last request.
    last_id: u64,
}

/// One turn: what it needs to ask an agent.
struct A2aTurn<'a> {
    settings: &'a A2aSettings,
    card: &'a mut AgentCard,
    /// Whether the agent is asked in the older version if it refuses the newer.
    may_be_older: bool,
    transport: &'a dyn Transport,
    last_id: &'a mut u64,
    limits: &'a Limits,
    /// The moment at which the exchange that is not over yet was over, if that is known.
    closed: &'a mut Option<At>,
}

/// The parts of a message, with its ids and metadata.
struct MessageParts {
    id: String,
    context_id: Option<String>,
    task_id: Option<String>,
    parts: Vec<Value>,
    metadata: Map<String, Value>,
}

impl MessageParts {
    /// The message as the history of a task has it.
    fn said(&self) -> SaidMessage {
        SaidMessage {
            id: self.id.clone(),
            text: text_of(&json!({ "parts": self.parts })),
        }
    }
}

impl A2aSession {
    pub(super) fn new(settings: Arc<A2aSettings>, options: SessionOptions) -> Self {
        let SessionOptions {
            transport,
            clock,
            ids,
            ..
        } = options;
        let card = match &settings.location {
            AgentLocation::Card { card, .. } => Some(card.clone()),
            AgentLocation::Endpoint(url) => Some(AgentCard::assumed(url.clone())),
            AgentLocation::CardUrl { .. } => None,
        };
        let conversation = A2aConversation::new(settings.context_id.clone());
        let may_be_older = matches!(settings.location, AgentLocation::Endpoint(_));
        let has_declared = false;
        Self {
            settings,
            transport,
            clock,
            ids,
            card,
            has_declared,
            conversation,
            may_be_older,
            last_id: 0,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let message = message(request, &self.conversation)?;
        let limits = self.settings.options.limits(limits);
        if self.card.is_none() {
            self.card = self.find_card(&limits).await?;
        }
        let Some(card) = &mut self.card else {
            return Ok(Ended::Cancelled);
        };
        let conventions = self.settings.conventions.as_slice();
        let dialect = card.interface.dialect;
        let said = message.said();
        let mut reader = A2aReader::new(
            dialect,
            conventions,
            &*self.ids,
            &mut self.conversation,
            said,
        );
        let mut closed = None;
        let mut turn = A2aTurn {
            settings: &self.settings,
            card,
            may_be_older: std::mem::take(&mut self.may_be_older),
            transport: &*self.transport,
            last_id: &mut self.last_id,
            limits: &limits,
            closed: &mut closed,
        };
        let talk = turn.talk(message, &mut reader, sink);
        // A cancellation drops it, and its connection.
        let ended = match limits.cancel.run_until_cancelled(talk).await {
            // The turn has ended; only the stream has not.
            None | Some(Ok(Ended::Timeout)) if reader.is_ended() => Ok(Ended::Terminal),
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        };
        let closed = self.transport.moment(ClientEvent::Closes(closed));
        if !card.skills.is_empty() && !std::mem::replace(&mut self.has_declared, true) {
            let declared = Change::ToolsDeclared {
                tools: card.skills.clone(),
                is_answer: false,
            };
            if sink.change(closed, declared).is_break() {
                sink.wire(closed, Wire::Closed);
                return Ok(Ended::Cancelled);
            }
        }
        let ended = match ended {
            Ok(Ended::Terminal) => reader.finish(sink).map(|flow| {
                if flow.is_break() {
                    Ended::Cancelled
                } else {
                    Ended::Terminal
                }
            }),
            ended => ended,
        };
        sink.wire(closed, Wire::Closed);
        ended
    }

    /// The skills that the agent declares.
    pub(super) async fn declared_tools(
        self,
        limits: &Limits,
    ) -> Result<Vec<DeclaredTool>, TargetError> {
        if let Some(card) = self.card {
            return Ok(card.skills);
        }
        let limits = self.settings.options.limits(limits);
        let found = self.find_card(&limits).await?;
        found
            .map(|card| card.skills)
            .ok_or_else(|| TargetError::new("the search for the agent card was cancelled"))
    }

    /// The agent card; `None` if the exchange was cancelled.
    async fn find_card(&self, limits: &Limits) -> Result<Option<AgentCard>, TargetError> {
        let AgentLocation::CardUrl { url, endpoint } = &self.settings.location else {
            return Err(TargetError::new("there is no agent card"));
        };
        // What it takes to find the agent is no time of the agent.
        let mut sink = QuietSink::new(None);
        let (settings, transport) = (&self.settings, &*self.transport);
        let found = discover(
            settings,
            url,
            endpoint.as_ref(),
            transport,
            limits,
            &mut sink,
        );
        limits.cancel.run_until_cancelled(found).await.transpose()
    }
}

/// The message that a request becomes.
///
/// # Errors
/// If it is none that says something. A test with such a turn does not load.
fn message(request: Request, conversation: &A2aConversation) -> Result<MessageParts, TargetError> {
    let (id, parts) = match request.action {
        Action::User {
            message_id,
            content,
            ..
        } => (message_id, parts_of(&content)),
        Action::Own {
            message_id: Some(id),
            turn,
        } => (id, parts(&turn.keys).to_vec()),
        Action::Own { .. }
        | Action::Connect
        | Action::Continue
        | Action::Resume(_)
        | Action::ToolResults(_) => {
            let message = "an agent of A2A takes messages of a user alone";
            return Err(TargetError::new(message));
        }
    };
    Ok(MessageParts {
        id,
        context_id: conversation.context_id.clone(),
        task_id: conversation.task_id.clone(),
        parts,
        metadata: outgoing::metadata(request.context),
    })
}

impl A2aTurn<'_> {
    /// Sends a message, and reads what comes of it until the turn ends.
    async fn talk(
        &mut self,
        message: MessageParts,
        reader: &mut A2aReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let blocking = self.settings.blocking;
        let operation = match blocking {
            Blocking::Streaming if self.card.is_streaming => Operation::Stream,
            _ => Operation::Send,
        };
        let MessageParts {
            id,
            context_id,
            task_id,
            parts,
            metadata,
        } = message;
        let message = OutgoingMessage {
            id: &id,
            context_id: context_id.as_deref(),
            task_id: task_id.as_deref(),
            parts,
            metadata,
        };
        let is_polled = blocking == Blocking::Polling;
        let answering = Answering {
            modes: self.settings.accepted_output_modes.as_deref(),
            is_polled,
        };
        let again = self.may_be_older.then(|| message.clone());
        let asked = self
            .ask(operation, message, answering, reader, self.limits, sink)
            .await?;
        let Some((mut ended, until)) = asked else {
            return Ok(Ended::Timeout);
        };
        if ended == Ended::Terminal
            && let Some(message) = again.filter(|_| reader.may_be_older())
        {
            self.card.interface.dialect.version = A2aVersion::V03;
            reader.ask_again(self.card.interface.dialect);
            let limits = self.left(
                until,
                self.transport.moment(ClientEvent::Closes(*self.closed)),
            );
            // It is part of the exchange that began with the refused request.
            let mut quiet = QuietSink::new(Some(&mut *sink));
            let asked = self
                .ask(operation, message, answering, reader, &limits, &mut quiet)
                .await?;
            ended = asked.map_or(Ended::Timeout, |(ended, _)| ended);
        }
        if ended != Ended::Terminal || operation == Operation::Stream {
            return Ok(ended);
        }
        self.poll(until, reader, sink).await
    }

    /// Sends a message, and reads the response to it; `None` if the time was up before there was one. Returns when the time of
    /// the turn is up, too.
    async fn ask(
        &mut self,
        operation: Operation,
        message: OutgoingMessage<'_>,
        answering: Answering<'_>,
        reader: &mut A2aReader<'_>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Option<(Ended, At)>, TargetError> {
        let id = self.next_id();
        let sent = outgoing::send(&self.card.interface, operation, &id, message, answering)?;
        let id = self.envelope(id);
        if !answering.is_polled && operation == Operation::Send {
            reader.await_final_response(id);
        } else {
            reader.await_response(id);
        }
        let request = self.request(sent, operation);
        let response = http::send(self.transport, request, limits, sink, self.closed).await;
        let Some(response) = response.map_err(|error| self.unreachable(error))? else {
            return Ok(None);
        };
        let until = response.until;
        let response = response
            .accepted()
            .await
            .map_err(|error| self.refused(error))?;
        let ended = if is_document(&response) {
            self.document(response, reader, limits, sink).await?
        } else {
            http::read_events(response, reader, limits, sink, self.closed).await?
        };
        Ok(Some((ended, until)))
    }

    /// The limits of a request that begins at `now`, in a turn whose time is up at `until`.
    fn left(&self, until: At, now: At) -> Limits {
        let deadline = Some(
            self.limits
                .latest()
                .map_or(until, |latest| latest.min(until)),
        );
        Limits {
            timeout: until.since(now),
            deadline,
            ..self.limits.clone()
        }
    }

    /// Asks for the task until it is done.
    async fn poll(
        &mut self,
        until: At,
        reader: &mut A2aReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let mut wait = FIRST_WAIT;
        while let Some(task) = reader.unfinished_task() {
            let id = self.next_id();
            let sent = outgoing::get_task(&self.card.interface, &id, task)?;
            let now = self.transport.moment(ClientEvent::Closes(*self.closed));
            if now.plus(wait) >= until {
                *self.closed = Some(until);
                return Ok(Ended::Timeout);
            }
            self.transport.wait(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
            let limits = self.left(until, now.plus(wait.min(until.since(now))));
            reader.await_response(self.envelope(id));
            let request = self.request(sent, Operation::GetTask);
            // It is part of the exchange that began with the message.
            let mut quiet = QuietSink::new(Some(&mut *sink));
            let response =
                http::send(self.transport, request, &limits, &mut quiet, self.closed).await?;
            let Some(response) = response else {
                return Ok(Ended::Timeout);
            };
            let response = response
                .accepted()
                .await
                .map_err(|error| self.refused(error))?;
            let ended = self.document(response, reader, &limits, &mut quiet).await?;
            if ended != Ended::Terminal {
                return Ok(ended);
            }
        }
        if reader.is_ended() {
            return Ok(Ended::Terminal);
        }
        Err(TargetError::new(
            "the agent's answer is a task without an `id` that is not done",
        ))
    }

    /// Reads a response that is one document.
    async fn document(
        &mut self,
        response: Response,
        reader: &mut A2aReader<'_>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        use ananke_agents::EventReader as _;
        let document = http::read_document(response, limits, sink, self.closed).await?;
        let Some(Document {
            received,
            at,
            bytes,
        }) = document
        else {
            return Ok(Ended::Timeout);
        };
        let read = reader.event(at, &bytes, sink);
        let flow = read.map_err(|why| {
            received
                .error(format!("the response {why}"))
                .with_help(IS_A2A)
        })?;
        if reader.is_without_payload() {
            let why = format!("the response {NO_PAYLOAD}");
            return Err(received.error(why).with_help(IS_A2A));
        }
        Ok(if flow.is_break() {
            Ended::Cancelled
        } else {
            Ended::Terminal
        })
    }

    fn next_id(&mut self) -> String {
        *self.last_id += 1;
        self.last_id.to_string()
    }

    /// The id that the response repeats, if responses have an envelope.
    fn envelope(&self, id: String) -> Option<String> {
        (self.card.interface.dialect.binding == Binding::JsonRpc).then_some(id)
    }

    fn request(&self, sent: A2aRequest, operation: Operation) -> HttpRequest {
        let A2aRequest { method, url, body } = sent;
        let A2aSettings {
            headers,
            credentials,
            conventions,
            options,
            ..
        } = self.settings;
        let dialect = self.card.interface.dialect;
        let mut defaults = vec![match operation {
            Operation::Stream => ("accept", "text/event-stream"),
            Operation::Send | Operation::GetTask => ("accept", "application/json"),
        }];
        if !body.is_empty() {
            defaults.push(("content-type", "application/json"));
        }
        let extensions = match dialect.version {
            A2aVersion::V1 => {
                defaults.push(("a2a-version", "1.0"));
                "a2a-extensions"
            }
            A2aVersion::V03 => "x-a2a-extensions",
        };
        if conventions.contains(&ToolCallConvention::Traceability) {
            defaults.push((extensions, TRACEABILITY));
        }
        let own = [headers.as_slice(), &credentials.headers].concat();
        HttpRequest {
            method,
            url: credentials.on(url),
            headers: http::headers_with_defaults(&own, &defaults),
            body,
            response_headers: Vec::new(),
            options: Arc::clone(options),
            progress: RequestProgress::default(),
        }
    }

    /// The error of an agent that does not answer at all, where a card says that it is.
    fn unreachable(&self, error: TargetError) -> TargetError {
        match &self.settings.location {
            AgentLocation::CardUrl { endpoint: None, .. } => error.with_help(
                "the agent card contains this URL; if it is not right from here, replace it with `endpoint`",
            ),
            _ => error,
        }
    }

    /// The error of an agent that rejects a request; of one that wants to know who asks, it says how.
    fn refused(&self, error: TargetError) -> TargetError {
        match error.received.status {
            Some(401 | 403) => {
                let schemes = self
                    .card
                    .schemes
                    .iter()
                    .map(|scheme| ananke_base::source::printable(scheme));
                let schemes: Vec<String> = schemes.map(|scheme| format!("`{scheme}`")).collect();
                let named = if schemes.is_empty() {
                    String::new()
                } else {
                    format!("; the agent card names {}", schemes.join(", "))
                };
                error.with_help(format!(
                    "check the `auth` and the `headers` of the target{named}"
                ))
            }
            Some(300..=399) => error.with_help(
                "redirects are not followed for POST requests: set `endpoint` to the new URL",
            ),
            Some(404 | 405) => error
                .with_help("is this the URL of the agent? `endpoint` replaces the one in its card"),
            _ => error,
        }
    }
}

/// Whether a response is one document: its content type says so.
fn is_document(response: &Response) -> bool {
    let content_type = response
        .received
        .head
        .content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    let content_type = content_type.to_ascii_lowercase();
    content_type == "application/json" || content_type.ends_with("+json")
}

impl Session for A2aSession {
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
