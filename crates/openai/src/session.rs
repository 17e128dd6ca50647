//! A conversation with a model: each exchange is one POST with all messages so far, and more of them if the server rejects
//! it for now.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::chat_message::{ChatCall, ChatMessage};
use super::chat_request::ChatRequest;
use super::config::OpenaiSettings;
use super::reply_reader::{ModelReply, ReplyReader};
use ananke_agents::http::{
    self, ClientEvent, HttpRequest, Method, RETRY_HEADERS, RejectedRetries, RequestProgress,
    Response, StreamReader as _, TOO_MANY_REQUESTS, Transport,
};
use ananke_agents::{
    Action, Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, ToolLoop, Wire,
};
use ananke_base::context::{At, Clock, Ids};
use ananke_base::message::{RequestContext, Role};

/// The headers of every request.
const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
];

/// The option that is the model of a request.
pub(super) const CONNECTOR: &str = "connector";

/// The status of a response that refuses a request for what it says.
const BAD_REQUEST: u16 = 400;

/// One conversation with a model.
pub(super) struct OpenaiSession {
    settings: Arc<OpenaiSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    messages: Vec<ChatMessage>,
    tools: ToolLoop,
}

/// The result of one request.
enum Exchanged {
    Ended(Ended),
    /// The server rejects it for now.
    Rejected(Response),
}

impl OpenaiSession {
    /// A conversation that begins with the instructions and the history of the test.
    pub(super) fn new(settings: Arc<OpenaiSettings>, options: SessionOptions) -> Self {
        // The other options are for agents with threads, tools or programs of their own, which a model does not have.
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
        let tools = ToolLoop::new(client_tools, settings.tools, undeclared, &history);
        messages.extend(history.into_iter().map(ChatMessage::from));
        Self {
            settings,
            transport,
            clock,
            ids,
            messages,
            tools,
        }
    }

    /// Sends one request, and sends it again after a wait for as long as the server rejects it for now with the status 429.
    ///
    /// # Errors
    /// If the model fails, or still rejects the request after the last retry.
    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        self.add_action(request.action)?;
        let model = self.model(&request.context);
        let body = self.body(&model, request.context)?;
        // The target may have other sizes of events and responses. This is a copy also because each retry has less time.
        let mut limits = self.settings.options.limits(limits);
        let mut retries = RejectedRetries::new(self.settings.retries);
        loop {
            let (exchanged, closed_at) = self.attempt(&model, body.clone(), &limits, sink).await?;
            let rejection = match exchanged {
                Exchanged::Ended(ended) => return Ok(ended),
                Exchanged::Rejected(response) => response,
            };
            let transport = &*self.transport;
            let waited = retries.wait(rejection, closed_at, &mut limits, &*self.clock, transport);
            // The turn ends here if its time is up before the wait is over, or if it was cancelled.
            if let Some(ended) = waited.await? {
                return Ok(ended);
            }
        }
    }

    /// Sends one request to `model` and reads its response. Returns the result, and the moment at which the connection was closed.
    ///
    /// # Errors
    /// If the response is not valid, or if the model calls a tool that was not declared.
    async fn attempt(
        &mut self,
        model: &str,
        body: Bytes,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(Exchanged, At), TargetError> {
        let mut reader = ReplyReader::new(&*self.ids, model, &mut self.tools);
        // `send_and_read` sets this if the connection broke or the time was up; otherwise the exchange is over once it returns.
        let mut over_at = None;
        let request = post(&self.settings, body);
        let transport = &*self.transport;
        let exchange = send_and_read(transport, request, &mut reader, limits, sink, &mut over_at);
        // A cancellation drops the exchange, which closes its connection, and results in `None`.
        let exchanged = match limits.cancel.run_until_cancelled(exchange).await {
            // If the model had stopped before the cancellation or the timeout, the reply is complete and only the stream was
            // left open: neither is an error then.
            None | Some(Ok(Exchanged::Ended(Ended::Timeout))) if reader.is_ended() => {
                reader.give_up();
                Ok(Exchanged::Ended(Ended::Terminal))
            }
            Some(exchanged) => exchanged,
            None => Ok(Exchanged::Ended(Ended::Cancelled)),
        };
        // The moment is `over_at` if it is set, and else the time of now; in a replay it is the recorded one.
        let closed_at = self.transport.moment(ClientEvent::Closes(over_at));

        // An incomplete response is reported as far as it came. The close of any response is reported after its content, and
        // before an error is returned, so that it is never missing.
        if !matches!(exchanged, Ok(Exchanged::Ended(Ended::Terminal))) {
            reader.abandon(sink);
            sink.wire(closed_at, Wire::Closed);
            return Ok((exchanged?, closed_at));
        }
        let reply = reader.finish(sink);
        sink.wire(closed_at, Wire::Closed);
        let ended = match reply? {
            ModelReply::Complete(message, calls) => {
                self.add_reply(message, calls)?;
                Ended::Terminal
            }
            // The reader has reported the model's error as the end of the run, so that the exchange itself is complete.
            ModelReply::Failed => Ended::Terminal,
            // The sink wanted no more.
            ModelReply::Stopped => Ended::Cancelled,
        };
        Ok((Exchanged::Ended(ended), closed_at))
    }

    /// Adds the messages of an action to the conversation; the next request sends all of it.
    ///
    /// # Errors
    /// If a model has no such action.
    fn add_action(&mut self, action: Action) -> Result<(), TargetError> {
        match action {
            Action::User { name, content, .. } => {
                self.messages.push(ChatMessage::user(content, name));
            }
            Action::ToolResults(answers) => {
                for answer in answers {
                    let id = self.tools.server_id(&answer.call);
                    self.messages.push(ChatMessage::answer(id, &answer));
                }
            }
            // A test with a turn that only continues does not load for a model, so that nothing is to be added here.
            Action::Continue => {}
            Action::Connect | Action::Resume(_) | Action::Own { .. } => {
                return Err(TargetError::new(
                    "a model has no thread to connect to, no interrupts to answer, and no tools of its own",
                ));
            }
        }
        Ok(())
    }

    /// The model that the next request asks for: the option `connector` of the caller's context.
    fn model(&self, context: &RequestContext) -> String {
        match context.options.get(CONNECTOR) {
            Some(Value::String(connector)) => connector.clone(),
            // Without a name there, the model of the target is asked.
            Some(_) | None => self.settings.model.clone(),
        }
    }

    /// The body of the next request, to `model`. It contains the `props` of the caller's context as further keys. A chat completion
    /// has no place for the rest of the context.
    fn body(&self, model: &str, context: RequestContext) -> Result<Bytes, TargetError> {
        let OpenaiSettings { params, .. } = &*self.settings;
        let RequestContext { props, .. } = context;
        let request = ChatRequest::new(model, &self.messages, &self.tools.declared, params, props);
        match serde_json::to_vec(&request) {
            Ok(body) => Ok(body.into()),
            Err(error) => Err(TargetError::new(format!(
                "the request cannot be written as JSON: {error}"
            ))),
        }
    }

    /// Adds a complete reply to the conversation, and keeps the server's ids of its calls, each of which comes with its key.
    ///
    /// # Errors
    /// If it calls a tool that was not declared, and the runner is not to answer such calls (SPEC 5).
    fn add_reply(
        &mut self,
        message: ChatMessage,
        calls: Vec<(String, ChatCall)>,
    ) -> Result<(), TargetError> {
        self.messages.push(message);
        for (key, call) in calls {
            self.tools.add(key, call.id, &call.function.name)?;
        }
        Ok(())
    }
}

fn post(settings: &OpenaiSettings, body: Bytes) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: settings.endpoint.clone(),
        headers: http::headers_with_defaults(&settings.headers, &HEADERS),
        body,
        response_headers: RETRY_HEADERS.map(str::to_owned).to_vec(),
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

/// Sends a request and reads its response with `reader`, which reports it to `sink`. `over_at` gets the moment at which the
/// exchange was over, if the connection broke or the time was up.
async fn send_and_read(
    transport: &dyn Transport,
    request: HttpRequest,
    reader: &mut ReplyReader<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
    over_at: &mut Option<At>,
) -> Result<Exchanged, TargetError> {
    let response = http::send(transport, request, limits, sink, over_at).await?;
    // No response came before the timeout.
    let Some(response) = response else {
        return Ok(Exchanged::Ended(Ended::Timeout));
    };
    // The caller decides whether to retry, and needs the unread response: its headers for the wait, its body for the error.
    if response.received.head.status == TOO_MANY_REQUESTS {
        return Ok(Exchanged::Rejected(response));
    }
    // Every other status than success is an error, which gets a help if the model refuses tools.
    let response = response.accepted().await.map_err(with_help)?;
    let ended = http::read_events(response, reader, limits, sink, over_at).await?;
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
