//! A conversation with a model: each exchange is one POST, and more of them if the server rejects it for now.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::config::{HistoryForm, ResponsesSettings};
use super::input_items::{approval, call_output, of_history, user_message};
use super::reply_items::{ApprovedCall, OpenItemCall, ReplyItems};
use super::response_reader::ResponseReader;
use super::responses_request::{RequestParts, ResponsesRequest};
use ananke_agents::http::{self, HttpRequest, Method, RETRY_HEADERS, RequestProgress, Transport};
use ananke_agents::{
    Action, Ended, Limits, ModelExchange, Request, Session, SessionOptions, Sink, TargetError,
    ToolLoop,
};
use ananke_base::context::{Clock, Ids};
use ananke_base::message::{InterruptAnswer, RequestContext, ToolAnswer};

/// The headers of every request.
const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
];

/// The option that is the model of a request.
pub(super) const CONNECTOR: &str = "connector";

/// One conversation with a model.
pub(super) struct ResponsesSession {
    settings: Arc<ResponsesSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
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
    pub(super) fn new(settings: Arc<ResponsesSettings>, options: SessionOptions) -> Self {
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
        let tools = ToolLoop::new(client_tools, settings.tools, undeclared, &history);
        Self {
            settings,
            transport,
            clock,
            ids,
            input: history.iter().flat_map(of_history).collect(),
            previous: None,
            tools,
            calls: Vec::new(),
            approvals: Vec::new(),
            approved: Vec::new(),
        }
    }

    /// Sends one request, and keeps what the next one has of the response.
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
        let model = self.model(&request.context);
        let request = self.post(self.body(&model, request.context)?);
        let reader = ResponseReader::new(&*self.ids, &model, &mut self.tools, &mut self.approved);
        let exchange = ModelExchange {
            transport: &*self.transport,
            clock: &*self.clock,
            retries: self.settings.retries,
            with_help,
        };
        // The target may have other sizes of events and responses.
        let limits = self.settings.options.limits(limits);
        let (ended, reply) = exchange.run(request, reader, limits, sink).await?;
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

    /// The model that the next request asks for: the option `connector` of the caller's context.
    fn model(&self, context: &RequestContext) -> String {
        match context.options.get(CONNECTOR) {
            Some(Value::String(connector)) => connector.clone(),
            // Without a name there, the model of the target is asked.
            Some(_) | None => self.settings.model.clone(),
        }
    }

    /// The body of the next request, to `model`. It contains the `props` of the caller's context as further keys. A request has no
    /// place for the rest of the context.
    fn body(&self, model: &str, context: RequestContext) -> Result<Bytes, TargetError> {
        let request = ResponsesRequest::new(
            &self.settings,
            RequestParts {
                input: &self.input,
                previous: self.previous.as_deref(),
                tools: &self.tools.declared,
                model,
                props: context.props,
            },
        );
        match serde_json::to_vec(&request) {
            Ok(body) => Ok(body.into()),
            Err(error) => Err(TargetError::new(format!(
                "the request cannot be written as JSON: {error}"
            ))),
        }
    }

    fn post(&self, body: Bytes) -> HttpRequest {
        HttpRequest {
            method: Method::Post,
            url: self.settings.endpoint.clone(),
            headers: http::headers_with_defaults(&self.settings.headers, &HEADERS),
            body,
            response_headers: RETRY_HEADERS.map(str::to_owned).to_vec(),
            options: Arc::clone(&self.settings.options),
            progress: RequestProgress::default(),
        }
    }

    /// Keeps what the next request has of a complete reply: its items, or its id.
    ///
    /// # Errors
    /// If it calls a function that was not declared and the runner is not to answer such calls (SPEC 5), or if the server is to
    /// store the conversation and the response has no id.
    fn add_reply(&mut self, reply: ReplyItems) -> Result<(), TargetError> {
        match self.settings.history {
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
        &*self.clock
    }
}
