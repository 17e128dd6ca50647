//! A conversation with an agent: each exchange is one POST whose response is a stream of events.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::value::to_raw_value;
use url::Url;

use super::config::AguiTransport;
use super::content::Content;
use super::decoder::Decoder;
use super::event_reader::AguiEvents;
use super::request::{Messages, RunInput, pass_on_over, with_command};
use super::settings::AguiSettings;
use super::thread_state::{ThreadState, UserMessage};
use super::transport::{self, RequestPurpose};
use crate::context::{At, Clock};
use crate::target::ended::Ended;
use crate::target::error::TargetError;
use crate::target::http::{self, ClientEvent, HttpRequest, Method, RequestProgress, Transport};
use crate::target::limits::Limits;
use crate::target::request::{Action, Request};
use crate::target::session::{Session, SessionOptions};
use crate::target::sink::{Sink, Wire};

/// The headers of every request. A wildcard in `accept` would make some servers respond in the binary encoding.
const HEADERS: [(&str, &str); 2] = [("content-type", "application/json"), ("accept", "text/event-stream")];

/// How long a request to stop a run may take.
const STOPPING: Duration = Duration::from_secs(1);

/// One conversation with an agent that speaks AG-UI.
pub(super) struct AguiSession {
    settings: Arc<AguiSettings>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    conversation: ThreadState,
}

impl AguiSession {
    pub(super) fn new(settings: Arc<AguiSettings>, options: SessionOptions) -> Self {
        let clock = Arc::clone(&options.clock);
        let transport = Arc::clone(&options.transport);
        let conversation = ThreadState::new(options, settings.state.clone(), settings.version);
        Self { settings, transport, clock, conversation }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let purpose =
            if request.action == Action::Connect { RequestPurpose::Connect } else { RequestPurpose::Run };
        let run_id = self.conversation.ids.next("run");
        let request = self.request(request, &run_id)?;
        let remembered = (purpose == RequestPurpose::Connect).then(|| self.conversation.forget());
        let mut decoder = Decoder::new(run_id, purpose, &self.settings);
        let mut closed = None;
        let limits = &self.settings.options.limits(limits);
        let talk = self.talk(request, &mut decoder, limits, sink, &mut closed);
        // A cancellation drops it, and its connection.
        let ended = match limits.cancel.run_until_cancelled(talk).await {
            // The run has ended; only its stream has not.
            None | Some(Ok(Ended::Timeout)) if decoder.is_ended() => Ok(Ended::Terminal),
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        };
        if let Some(remembered) = remembered {
            self.conversation.recall(remembered);
        }
        sink.wire(self.transport.moment(ClientEvent::Closes(closed)), Wire::Closed);
        if purpose == RequestPurpose::Run && matches!(ended, Ok(Ended::Timeout | Ended::Cancelled)) {
            self.stop().await;
        }
        ended
    }

    /// Makes the request of an exchange, and adds its messages to the history.
    fn request(&mut self, request: Request, run_id: &str) -> Result<HttpRequest, TargetError> {
        let ThreadState {
            thread_id,
            history,
            calls,
            user_message,
            state,
            legacy_interrupts,
            client_tools,
            ids,
            is_begun,
            ..
        } = &mut self.conversation;
        let AguiSettings { context, forwarded_props, last_only, version, .. } = &*self.settings;
        history.discard_open();
        let mut purpose = RequestPurpose::Run;
        let mut new = Vec::new();
        let mut resume = Vec::new();
        let mut props = Cow::Borrowed(forwarded_props);
        if !request.props.is_empty() {
            pass_on_over(props.to_mut(), request.props);
        }
        match &request.action {
            Action::User { message_id, content, .. } => {
                calls.start_turn();
                *user_message =
                    Some(UserMessage { id: message_id.clone(), text: content.text().into_owned() });
            }
            Action::Connect => {
                calls.start_turn();
                *user_message = None;
            }
            Action::Resume(_) => {
                calls.continue_run();
                *user_message = None;
            }
            Action::ToolResults(answers) => {
                for answer in answers {
                    // The answer to a call of another tool lets the agent go on with it: its result is still to come.
                    let name = history.call(&answer.call).map(|call| &call.function.name);
                    if name.is_some_and(|name| client_tools.iter().any(|tool| tool.name == *name)) {
                        calls.answer_by_client(&answer.call);
                    }
                }
                calls.continue_run();
            }
        }
        match request.action {
            Action::User { message_id, name, content } => {
                history.say(&message_id, name, Content::of(content, *version));
                new.push(message_id);
            }
            Action::Connect => purpose = RequestPurpose::Connect,
            Action::ToolResults(answers) => {
                new.extend(answers.iter().map(|answer| history.answer_call(answer, &**ids)));
            }
            Action::Resume(answers) if *legacy_interrupts => {
                props = Cow::Owned(with_command(&props, &answers));
            }
            Action::Resume(answers) => resume = answers,
        }
        let messages = match purpose {
            RequestPurpose::Connect => Messages::Only(history, &[]),
            // In the first run the agent does not know the history.
            _ if *last_only && std::mem::replace(is_begun, true) => Messages::Only(history, &new),
            _ => Messages::All(history),
        };
        let input = RunInput::new(thread_id, run_id, state.value(), messages, client_tools, &props, &resume);
        let input = input.of(*version).with_context(context);
        let body = to_raw_value(&input)
            .and_then(|input| transport::request(&self.settings, purpose, thread_id, Some(input)));
        let (url, body) = body.map_err(|failure| {
            TargetError::new(format!("the request cannot be written as JSON: {failure}"))
        })?;
        Ok(self.post(url, body))
    }

    fn post(&self, url: Url, body: Bytes) -> HttpRequest {
        let headers = http::headers_with_defaults(&self.settings.headers, &HEADERS);
        HttpRequest {
            method: Method::Post,
            url,
            headers,
            body,
            response_headers: &[],
            options: Arc::clone(&self.settings.options),
            progress: RequestProgress::default(),
        }
    }

    /// Stops the run on a runtime that continues runs without a client. Its response does not matter.
    async fn stop(&self) {
        if self.settings.transport == AguiTransport::Http {
            return;
        }
        let thread_id = &self.conversation.thread_id;
        if let Ok((url, body)) = transport::request(&self.settings, RequestPurpose::Stop, thread_id, None) {
            let until = self.transport.moment(ClientEvent::Sends).plus(STOPPING);
            let _answer = self.transport.send(self.post(url, body), until).await;
        }
    }

    async fn talk(
        &mut self,
        request: HttpRequest,
        decoder: &mut Decoder,
        limits: &Limits,
        sink: &mut dyn Sink,
        closed: &mut Option<At>,
    ) -> Result<Ended, TargetError> {
        let response = http::send(&*self.transport, request, limits, sink, closed).await?;
        let Some(response) = response else { return Ok(Ended::Timeout) };
        let response = response.accepted().await?;
        let mut events = AguiEvents { decoder, conversation: &mut self.conversation };
        http::read_events(response, &mut events, limits, sink, closed).await
    }
}

impl Session for AguiSession {
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
