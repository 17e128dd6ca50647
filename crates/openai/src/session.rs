//! A conversation with a model: each exchange is one POST with all messages so far, and more of them if the server rejects
//! it for now.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::chat_message::{ChatCall, ChatMessage};
use super::chat_request::ChatRequest;
use super::reply_reader::ReplyReader;
use ananke_agents::{
    Action, Ended, Limits, ModelApi, ModelConnection, ModelSettings, Request, Session,
    SessionOptions, Sink, TargetError, ToolLoop, request_body,
};
use ananke_base::context::Clock;
use ananke_base::message::Role;

/// The status of a response that refuses a request for what it says.
const BAD_REQUEST: u16 = 400;

/// OpenAI-compatible chat completions, which have no settings of their own.
#[derive(Clone, Copy, Debug)]
pub struct ChatCompletions;

impl ModelApi for ChatCompletions {
    fn session(&self, settings: Arc<ModelSettings>, options: SessionOptions) -> Box<dyn Session> {
        Box::new(OpenaiSession::new(settings, options))
    }
}

/// One conversation with a model.
struct OpenaiSession {
    connection: ModelConnection,
    messages: Vec<ChatMessage>,
    tools: ToolLoop,
}

impl OpenaiSession {
    /// A conversation that begins with the instructions and the history of the test.
    fn new(settings: Arc<ModelSettings>, options: SessionOptions) -> Self {
        let mut messages = Vec::new();
        if let Some(instructions) = settings.instructions.clone() {
            messages.push(ChatMessage::text(Role::System, instructions));
        }
        let tools = ToolLoop::of(&settings, &options);
        let connection = ModelConnection::new(settings, &options, with_help);
        messages.extend(options.history.into_iter().map(ChatMessage::from));
        Self {
            connection,
            messages,
            tools,
        }
    }

    /// Sends one request with all messages so far, and adds the reply to them. The `props` of the caller's context are further keys
    /// of the request; a chat completion has no place for the rest of the context.
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
        let connection = &self.connection;
        let model = connection.settings.model_of(&request.context);
        let body = request_body(&ChatRequest::new(
            &model,
            &self.messages,
            &self.tools.declared,
            &connection.settings,
            request.context.props,
        ))?;
        let reader = ReplyReader::new(&*connection.ids, &model, &mut self.tools);
        let (ended, reply) = connection.exchange(body, reader, limits, sink).await?;
        // Only a complete reply is kept, since the next request must not contain half of a message.
        if let Some((message, calls)) = reply {
            self.add_reply(message, calls)?;
        }
        Ok(ended)
    }

    /// Adds the messages of an action to the conversation, since the next request sends all of it.
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
        &*self.connection.clock
    }
}
