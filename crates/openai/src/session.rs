//! A conversation with a model: each exchange is one POST with all messages so far, and more of them if the server rejects
//! it for now.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::chat_message::{ChatCall, ChatMessage};
use super::chat_request::ChatRequest;
use super::config::OpenaiSettings;
use super::reply_reader::ReplyReader;
use ananke_agents::http::{self, HttpRequest, Method, RETRY_HEADERS, RequestProgress, Transport};
use ananke_agents::{
    Action, Ended, Limits, ModelExchange, Request, Session, SessionOptions, Sink, TargetError,
    ToolLoop,
};
use ananke_base::context::{Clock, Ids};
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

    /// Sends one request with all messages so far, and adds the reply to them.
    ///
    /// # Errors
    /// If the model fails, or calls a tool that was not declared.
    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        self.add_action(request.action)?;
        let model = self.model(&request.context);
        let request = post(&self.settings, self.body(&model, request.context)?);
        let reader = ReplyReader::new(&*self.ids, &model, &mut self.tools);
        let exchange = ModelExchange {
            transport: &*self.transport,
            clock: &*self.clock,
            retries: self.settings.retries,
            with_help,
        };
        // The target may have other sizes of events and responses.
        let limits = self.settings.options.limits(limits);
        let (ended, reply) = exchange.run(request, reader, limits, sink).await?;
        // Only a complete reply is kept, since the next request must not contain half of a message.
        if let Some((message, calls)) = reply {
            self.add_reply(message, calls)?;
        }
        Ok(ended)
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
        let RequestContext { props, .. } = context;
        let request = ChatRequest::new(
            model,
            &self.messages,
            &self.tools.declared,
            &self.settings,
            props,
        );
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
