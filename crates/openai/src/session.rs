//! A conversation with a model: each exchange is one POST with all messages so far, and more of them if the server rejects
//! it for now.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::chat_message::{ChatCall, ChatMessage};
use super::chat_request::ChatRequest;
use super::config::OpenaiSettings;
use super::reply_reader::{ModelReply, ReplyReader};
use super::retry_after::{self, LONGEST_WAIT, retry_after};
use ananke_agents::http::{
    self, ClientEvent, HttpRequest, Method, RequestProgress, Response, StreamReader as _, Transport,
};
use ananke_agents::{
    Action, Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, UndeclaredCalls,
    Wire,
};
use ananke_base::context::{At, Clock, Ids};
use ananke_base::message::{RequestContext, Role, ToolDeclaration};

/// The headers of every request.
const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
];

/// The option that is the model of a request.
pub(super) const CONNECTOR: &str = "connector";

/// The status of a response that rejects a request for now.
const TOO_MANY_REQUESTS: u16 = 429;

/// The status of a response that refuses a request for what it says.
const BAD_REQUEST: u16 = 400;

/// One conversation with a model.
pub(super) struct OpenaiSession {
    settings: Arc<OpenaiSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    client_tools: Arc<[ToolDeclaration]>,
    messages: Vec<ChatMessage>,
    /// The keys of all calls so far.
    call_keys: HashSet<String>,
    /// The server's id of each call whose key is another.
    call_ids: HashMap<String, String>,
    undeclared: UndeclaredCalls,
}

/// The result of one request.
enum Exchanged {
    Ended(Ended),
    /// The server rejects it for now.
    Rejected(Response),
}

impl OpenaiSession {
    pub(super) fn new(settings: Arc<OpenaiSettings>, options: SessionOptions) -> Self {
        let SessionOptions {
            history,
            client_tools,
            clock,
            ids,
            transport,
            undeclared,
            ..
        } = options;
        let mut messages = Vec::new();
        if let Some(instructions) = settings.instructions.clone() {
            messages.push(ChatMessage::text(Role::System, instructions));
        }
        let mut call_keys = HashSet::new();
        for message in history {
            call_keys.extend(message.calls.iter().map(|call| call.id.clone()));
            messages.push(ChatMessage::from(message));
        }
        Self {
            call_keys,
            messages,
            call_ids: HashMap::new(),
            settings,
            transport,
            clock,
            ids,
            client_tools,
            undeclared,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        self.add(request.action)?;
        let body = self.body(request.context)?;
        let mut limits = self.settings.options.limits(limits);
        let mut retry = 0;
        loop {
            let (exchanged, closed) = self.attempt(body.clone(), &limits, sink).await?;
            let response = match exchanged {
                Exchanged::Ended(ended) => return Ok(ended),
                Exchanged::Rejected(response) => response,
            };

            // The server may name a date, which is by the clock of the day.
            let now = self.clock.unix_ms(self.clock.now());
            let wait = retry_after(&response.received, retry, now);
            if wait > LONGEST_WAIT {
                let help = "the server wants to be asked again in more than a minute";
                return Err(response.refusal().await.with_help(help));
            }
            if retry >= self.settings.retries {
                return Err(response.refusal().await);
            }

            // What the rejection took is time of the turn; the waiting is not.
            limits.timeout = response.until.since(closed);
            drop(response);
            if let Some(latest) = limits.latest()
                && closed.plus(wait) >= latest
            {
                return Ok(Ended::Timeout);
            }
            let waiting = self.transport.wait(wait);
            if limits.cancel.run_until_cancelled(waiting).await.is_none() {
                return Ok(Ended::Cancelled);
            }
            retry += 1;
        }
    }

    /// Makes one request and takes its response, and returns when the connection was closed.
    async fn attempt(
        &mut self,
        body: Bytes,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(Exchanged, At), TargetError> {
        let mut reader = ReplyReader::new(
            &*self.ids,
            &mut self.call_keys,
            &self.client_tools,
            self.settings.tools,
        );
        let mut over = None;
        let request = post(&self.settings, body);
        let transport = &*self.transport;
        let talk = talk(transport, request, &mut reader, limits, sink, &mut over);
        // A cancellation drops it, and its connection.
        let exchanged = match limits.cancel.run_until_cancelled(talk).await {
            // The model has stopped; only the stream has not.
            None | Some(Ok(Exchanged::Ended(Ended::Timeout))) if reader.is_ended() => {
                reader.give_up();
                Ok(Exchanged::Ended(Ended::Terminal))
            }
            Some(exchanged) => exchanged,
            None => Ok(Exchanged::Ended(Ended::Cancelled)),
        };
        let closed = self.transport.moment(ClientEvent::Closes(over));
        if !matches!(exchanged, Ok(Exchanged::Ended(Ended::Terminal))) {
            reader.abandon(sink);
            sink.wire(closed, Wire::Closed);
            return Ok((exchanged?, closed));
        }
        let reply = reader.finish(sink);
        sink.wire(closed, Wire::Closed);
        let ended = match reply? {
            ModelReply::Complete(message, calls) => {
                self.take(message, calls)?;
                Ended::Terminal
            }
            ModelReply::Failed => Ended::Terminal,
            ModelReply::Stopped => Ended::Cancelled,
        };
        Ok((Exchanged::Ended(ended), closed))
    }

    /// Adds what an exchange is to say to the messages.
    fn add(&mut self, action: Action) -> Result<(), TargetError> {
        match action {
            Action::User { name, content, .. } => {
                self.messages.push(ChatMessage::user(content, name));
            }
            Action::ToolResults(answers) => {
                for answer in answers {
                    let id = self.call_ids.get(&answer.call).unwrap_or(&answer.call);
                    self.messages.push(ChatMessage::answer(id, &answer));
                }
            }
            // A test with such a turn does not load.
            Action::Continue => {}
            Action::Connect | Action::Resume(_) | Action::Own { .. } => {
                return Err(TargetError::new(
                    "a model has no thread to connect to, no interrupts to answer, and no tools of its own",
                ));
            }
        }
        Ok(())
    }

    /// The body of a request. The caller is not part of it; of the options, `connector` is its model.
    fn body(&self, context: RequestContext) -> Result<Bytes, TargetError> {
        let OpenaiSettings { model, params, .. } = &*self.settings;
        let RequestContext { props, options, .. } = context;
        let model = match options.get(CONNECTOR) {
            Some(Value::String(connector)) => connector,
            Some(_) | None => model,
        };
        let request = ChatRequest::new(model, &self.messages, &self.client_tools, params, props);
        match serde_json::to_vec(&request) {
            Ok(body) => Ok(body.into()),
            Err(error) => Err(TargetError::new(format!(
                "the request cannot be written as JSON: {error}"
            ))),
        }
    }

    /// Takes a complete response.
    ///
    /// # Errors
    /// If it calls a tool that was not declared, and nothing answers that (SPEC 5).
    fn take(
        &mut self,
        message: ChatMessage,
        calls: Vec<(String, ChatCall)>,
    ) -> Result<(), TargetError> {
        self.messages.push(message);
        for (key, call) in calls {
            let name = &call.function.name;
            let is_declared = self.client_tools.iter().any(|tool| tool.name == *name);
            if self.undeclared == UndeclaredCalls::Rejected && !is_declared {
                return Err(undeclared(name, &self.client_tools));
            }
            if call.id != key {
                self.call_ids.insert(key, call.id);
            }
        }
        Ok(())
    }
}

/// The error of a call that nothing answers.
fn undeclared(name: &str, client_tools: &[ToolDeclaration]) -> TargetError {
    let tools = client_tools.iter();
    let tools: Vec<String> = tools.map(|tool| format!("`{}`", tool.name)).collect();
    let known = if tools.is_empty() {
        "no tool is declared".to_owned()
    } else {
        format!("declared are {}", tools.join(", "))
    };
    let message = format!("the model called the tool `{name}`, which is not declared; {known}");
    let help = "declare it in `client_tools`, with a mock that answers it; if the server executes its tools \
                itself, write `tools: observed` in the target";
    TargetError::new(message).with_help(help)
}

fn post(settings: &OpenaiSettings, body: Bytes) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: settings.endpoint.clone(),
        headers: http::headers_with_defaults(&settings.headers, &HEADERS),
        body,
        response_headers: retry_after::HEADERS.map(str::to_owned).into(),
        options: Arc::clone(&settings.options),
        progress: RequestProgress::default(),
    }
}

/// The error of a model that refuses tools, with what to set.
fn with_help(error: TargetError) -> TargetError {
    let body = &error.received.first_bytes;
    let names = ["tools", "reasoning_effort"];
    let is_refusal = names.iter().all(|name| body.contains(name));
    if is_refusal && error.received.status == Some(BAD_REQUEST) {
        let help = "this model takes tools over chat completions only without reasoning: set \
                    `params: { reasoning_effort: none }`, or test another model";
        return error.with_help(help);
    }
    error
}

/// Sends a request and reads its response.
async fn talk(
    transport: &dyn Transport,
    request: HttpRequest,
    reader: &mut ReplyReader<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
    over: &mut Option<At>,
) -> Result<Exchanged, TargetError> {
    let response = http::send(transport, request, limits, sink, over).await?;
    let Some(response) = response else {
        return Ok(Exchanged::Ended(Ended::Timeout));
    };
    if response.received.head.status == TOO_MANY_REQUESTS {
        return Ok(Exchanged::Rejected(response));
    }
    let response = response.accepted().await.map_err(with_help)?;
    let ended = http::read_events(response, reader, limits, sink, over).await?;
    Ok(Exchanged::Ended(ended))
}

impl Session for OpenaiSession {
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
