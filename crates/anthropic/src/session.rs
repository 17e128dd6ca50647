//! A conversation with a model: each exchange is one POST with all messages so far, and more of them if the server pauses or
//! rejects it for now.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::message_stream_reader::MessageStreamReader;
use super::messages_request::{MessagesParts, MessagesRequest};
use super::request_messages::RequestMessages;
use super::sent_blocks::MessageReply;
use super::turn_time::TurnTime;
use ananke_agents::{
    Action, Ended, Limits, ModelApi, ModelConnection, ModelSettings, Request, Session,
    SessionOptions, Sink, TargetError, ToolLoop, request_body,
};
use ananke_base::context::Clock;
use ananke_base::message::RequestContext;

/// The number of times in one exchange that a server may pause.
const MOST_PAUSES: usize = 25;

/// The Messages API, which has no setting of its own.
#[derive(Clone, Copy, Debug)]
pub struct MessagesApi;

impl ModelApi for MessagesApi {
    fn session(&self, settings: Arc<ModelSettings>, options: SessionOptions) -> Box<dyn Session> {
        Box::new(MessagesSession::new(settings, &options))
    }
}

/// One conversation with a model.
struct MessagesSession {
    connection: ModelConnection,
    messages: RequestMessages,
    tools: ToolLoop,
    /// The key of each call of the server that has no result yet, by its id.
    server_calls: BTreeMap<String, String>,
    /// The container in which the server executes code.
    container: Option<String>,
}

impl MessagesSession {
    /// A conversation that begins with the history of the test.
    fn new(settings: Arc<ModelSettings>, options: &SessionOptions) -> Self {
        let tools = ToolLoop::of(&settings, options);
        Self {
            connection: ModelConnection::new(settings, options, with_help),
            messages: RequestMessages::of_history(&options.history),
            tools,
            server_calls: BTreeMap::new(),
            container: None,
        }
    }

    /// Sends requests until the server does not pause, and adds the replies to the conversation.
    ///
    /// # Errors
    /// If the model fails, calls a tool that was not declared, or never comes to an end.
    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        self.add_action(request.action)?;
        let mut sink = TurnTime::new(sink);
        for _ in 0..MOST_PAUSES {
            let left = sink.left_of(limits);
            let (ended, reply) = self.ask(request.context.clone(), &left, &mut sink).await?;
            let Some(reply) = reply else {
                return Ok(ended);
            };
            let is_paused = reply.is_paused;
            self.add_reply(reply)?;
            if !is_paused {
                return Ok(ended);
            }
        }
        let message = format!("the server still pauses after {MOST_PAUSES} requests in one turn");
        Err(TargetError::new(message)
            .with_help("does one of its tools never come to an end? `-v` shows the calls"))
    }

    /// Sends one request with all messages so far, and reads the reply. The `props` of the caller's context are further keys of the
    /// request, which has no place for the rest of the context.
    ///
    /// # Errors
    /// If the model fails, or its response is not valid.
    async fn ask(
        &mut self,
        context: RequestContext,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(Ended, Option<MessageReply>), TargetError> {
        let connection = &self.connection;
        let model = connection.settings.model_of(&context);
        let parts = MessagesParts {
            messages: self.messages.all(),
            history_system: &self.messages.system,
            tools: &self.tools.declared,
            model: &model,
            container: self.container.as_deref(),
            props: context.props,
        };
        let body = request_body(&MessagesRequest::new(&connection.settings, parts))?;
        let reader = MessageStreamReader::new(
            &*connection.ids,
            &model,
            &mut self.tools,
            &mut self.server_calls,
        );
        connection.exchange(body, reader, limits, sink).await
    }

    /// Adds the messages of an action to the conversation; the next request sends all of it.
    ///
    /// # Errors
    /// If a model has no such action.
    fn add_action(&mut self, action: Action) -> Result<(), TargetError> {
        match action {
            Action::User { content, .. } => self.messages.add_user(&content),
            Action::ToolResults(answers) => {
                for answer in answers {
                    let id = self.tools.server_id(&answer.call);
                    // The server executes its own calls, also one that waits for a call of the client.
                    if !self.server_calls.contains_key(id) {
                        self.messages.add_result(id, &answer);
                    }
                }
            }
            // The history ends with a message of the user or with results, so that nothing is to be added here.
            Action::Continue => {}
            Action::Connect | Action::Resume(_) | Action::Own { .. } => {
                return Err(TargetError::new(
                    "a model has no thread to connect to, no interrupts, and no tools of its own",
                ));
            }
        }
        Ok(())
    }

    /// Adds a complete reply to the conversation, and keeps its calls for the answers.
    ///
    /// # Errors
    /// If it calls a tool that was not declared and the runner is not to answer such calls (SPEC 5).
    fn add_reply(&mut self, reply: MessageReply) -> Result<(), TargetError> {
        self.messages.add_assistant(reply.content);
        if reply.container.is_some() {
            self.container = reply.container;
        }
        for call in reply.calls {
            // Tools of the API that the client executes are not among the declared ones, since they are in `params`. Their calls stay open
            // without an answer.
            let mut of_api = self.connection.settings.params.tools.iter();
            if call.is_of_toolset || of_api.any(|tool| tool["name"] == call.tool) {
                self.tools.keep_id(call.key, call.id);
            } else {
                self.tools.add(call.key, call.id, &call.tool)?;
            }
        }
        Ok(())
    }
}

/// The error of a server that refuses a request, with what to set.
fn with_help(error: TargetError) -> TargetError {
    let body = &error.received.first_bytes;
    if body.contains("Extra inputs are not permitted") {
        let help = "the version in the header `anthropic-version` does not have this key, such as `temperature` since 2026-10-21: remove it from \
                    `params`, or send another version";
        return error.with_help(help);
    }
    if body.contains("max_tokens") && body.contains("budget_tokens") {
        return error
            .with_help("set `max_tokens` in `params` to more than the budget of `thinking`");
    }
    if body.contains("tool_use") && body.contains("tool_result") {
        return error.with_help(
            "the API wants a result for each call: a call with `mock: none` must be in the last turn of its test",
        );
    }
    error
}

impl Session for MessagesSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(self.run(request, limits, sink))
    }

    fn clock(&self) -> &dyn Clock {
        &*self.connection.clock
    }
}
