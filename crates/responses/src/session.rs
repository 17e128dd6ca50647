//! A conversation with a model: each exchange is one POST, and more of them if the server rejects it for now.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::config::HistoryForm;
use super::input_items::{approval, call_output, of_history, user_message};
use super::reply_items::{ApprovedCall, OpenItemCall, ReplyItems};
use super::response_reader::ResponseReader;
use super::responses_request::{RequestParts, ResponsesRequest};
use ananke_agents::{
    Action, Ended, Limits, ModelApi, ModelConnection, ModelSettings, Request, Session,
    SessionOptions, Sink, TargetError, ToolLoop, request_body,
};
use ananke_base::context::Clock;
use ananke_base::message::{InterruptAnswer, ToolAnswer};

/// The Responses API, and the setting that it alone has.
#[derive(Clone, Copy, Debug)]
pub struct ResponsesApi {
    /// The form in which a request has the conversation.
    pub history: HistoryForm,
}

impl ModelApi for ResponsesApi {
    fn session(&self, settings: Arc<ModelSettings>, options: SessionOptions) -> Box<dyn Session> {
        Box::new(ResponsesSession::new(settings, self.history, &options))
    }
}

/// One conversation with a model.
struct ResponsesSession {
    connection: ModelConnection,
    history: HistoryForm,
    /// The items of the next request: the conversation so far, or what is new of it.
    input: Vec<Value>,
    /// The id of the last response, if the server stores the conversation.
    previous: Option<String>,
    tools: ToolLoop,
    /// The calls of the last response that the client executes.
    calls: Vec<OpenItemCall>,
    /// The calls of the last response that wait for an approval.
    approvals: Vec<ApprovedCall>,
    /// The calls that were approved, and have not been executed yet.
    approved: Vec<ApprovedCall>,
}

impl ResponsesSession {
    /// A conversation that begins with the history of the test.
    fn new(settings: Arc<ModelSettings>, history: HistoryForm, options: &SessionOptions) -> Self {
        let tools = ToolLoop::of(&settings, options);
        Self {
            connection: ModelConnection::new(settings, options, with_help),
            history,
            input: options.history.iter().flat_map(of_history).collect(),
            previous: None,
            tools,
            calls: Vec::new(),
            approvals: Vec::new(),
            approved: Vec::new(),
        }
    }

    /// Sends one request, and keeps what the next one has of the response. The `props` of the caller's context are further keys of
    /// the request, which has no place for the rest of the context.
    ///
    /// # Errors
    /// If the model fails, or calls a function that was not declared.
    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        self.add_action(request.action)?;
        let connection = &self.connection;
        let model = connection.settings.model_of(&request.context);
        let parts = RequestParts {
            history: self.history,
            input: &self.input,
            previous: self.previous.as_deref(),
            tools: &self.tools.declared,
            model: &model,
            props: request.context.props,
        };
        let body = request_body(&ResponsesRequest::new(&connection.settings, parts))?;
        let reader = ResponseReader::new(
            &*connection.ids,
            &model,
            &mut self.tools,
            &mut self.approved,
        );
        let (ended, reply) = connection.exchange(body, reader, limits, sink).await?;
        // A call that the server has not executed by now never will be: a later call with the same arguments is another one.
        self.approved.clear();
        // Only a complete reply is kept, since the next request must not contain half of an item.
        if let Some(reply) = reply {
            self.add_reply(reply)?;
        }
        Ok(ended)
    }

    /// Adds the items of an action to the next request.
    ///
    /// # Errors
    /// If a model has no such action.
    fn add_action(&mut self, action: Action) -> Result<(), TargetError> {
        match action {
            Action::User { content, .. } => self.input.push(user_message(&content)),
            Action::ToolResults(answers) => {
                for answer in answers {
                    self.add_result(&answer);
                }
            }
            Action::Resume(answers) => {
                for answer in answers {
                    self.add_approval(&answer);
                }
            }
            // A test with a turn that only continues does not load for a model, so that nothing is to be added here.
            Action::Continue => {}
            Action::Connect | Action::Own { .. } => {
                return Err(TargetError::new(
                    "a model has no thread to connect to, and no tools of its own",
                ));
            }
        }
        Ok(())
    }

    /// Adds the result of a call in the form that its item needs. A call of the history is one of a function.
    fn add_result(&mut self, answer: &ToolAnswer) {
        let mut calls = self.calls.iter();
        let item_type = match calls.find(|call| call.key == answer.call) {
            Some(call) => call.item_type.as_str(),
            None => "function_call",
        };
        let id = self.tools.server_id(&answer.call);
        self.input.push(call_output(item_type, id, answer));
    }

    /// Adds an answer to a request for an approval. A call that it approves will be executed in the next response.
    fn add_approval(&mut self, answer: &InterruptAnswer) {
        let item = approval(answer);
        let mut waiting = self.approvals.iter();
        if item["approve"] == true
            && let Some(call) = waiting.find(|call| call.request == answer.id)
        {
            self.approved.push(call.clone());
        }
        self.input.push(item);
    }

    /// Keeps what the next request has of a complete reply: its items, or its id.
    ///
    /// # Errors
    /// If it calls a function that was not declared and the runner is not to answer such calls (SPEC 5), or if the server is to
    /// store the conversation and the response has no id.
    fn add_reply(&mut self, reply: ReplyItems) -> Result<(), TargetError> {
        match self.history {
            HistoryForm::Full => self.input.extend(reply.items),
            HistoryForm::PreviousResponseId => {
                if reply.id.is_none() {
                    let message = "the response has no id, by which the next request would name it";
                    return Err(TargetError::new(message).with_help(STORE_HELP));
                }
                self.input.clear();
                self.previous = reply.id;
            }
        }
        for call in &reply.calls {
            let key = call.key.clone();
            let id = call.call_id.clone();
            // Tools of the API, such as a computer, are not declared by the client. Their calls stay open without an answer.
            if call.is_function {
                self.tools.add(key, id, &call.tool)?;
            } else {
                self.tools.keep_id(key, id);
            }
        }
        self.calls = reply.calls;
        self.approvals = reply.approvals;
        Ok(())
    }
}

/// The remedy for a server that stores nothing.
const STORE_HELP: &str =
    "does the server store responses? `history: full` sends the whole conversation each time";

/// The error of a server that refuses a request, with what to set.
fn with_help(error: TargetError) -> TargetError {
    let body = &error.received.first_bytes;
    if body.contains("previous_response") {
        return error.with_help(STORE_HELP);
    }
    if body.contains("required 'reasoning' item") || body.contains("Items are not persisted") {
        let help = "this model wants its reasoning back: add `include: [reasoning.encrypted_content]` to `params`, or set \
                    `history: previous_response_id`";
        return error.with_help(help);
    }
    error
}

impl Session for ResponsesSession {
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
