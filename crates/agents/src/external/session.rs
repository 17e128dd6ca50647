//! One conversation with an agent in the process of a test: each turn is one exchange with the program that runs it.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::agent_turn::{AgentInput, AgentTurn, InterruptReply};
use super::external_reader::ExternalReader;
use super::external_transport::TURN_URL;
use crate::error::{Received, TargetError};
use crate::http::{
    self, ClientEvent, HttpOptions, HttpRequest, Method, RequestProgress, Transport,
};
use crate::limits::Limits;
use crate::model_api::request_body;
use crate::session::{Action, Request, Session, SessionOptions};
use crate::sink::{Ended, Sink, Wire};
use ananke_base::context::{At, Clock, Ids};
use ananke_base::message::UserContent;

/// One conversation.
pub(super) struct ExternalSession {
    agent: String,
    thread: String,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// The number of turns so far.
    turns: u64,
    /// The tool of each call of the conversation, by the id of the call.
    tools: HashMap<String, String>,
}

impl ExternalSession {
    /// A conversation with `agent` before its first turn.
    pub(super) fn new(agent: String, options: SessionOptions) -> Self {
        Self {
            agent,
            thread: options.thread_id,
            transport: options.transport,
            clock: options.clock,
            ids: options.ids,
            turns: 0,
            tools: HashMap::new(),
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        self.turns += 1;
        let request = self.request(request.action)?;
        let mut reader = ExternalReader::new(&mut self.tools, &*self.ids);
        let mut over_at = None;
        let transport = &*self.transport;
        let exchange = exchange(
            transport,
            request,
            &mut reader,
            limits,
            sink,
            &mut over_at,
            &self.agent,
        );
        // A cancellation drops the exchange, and so cancels the turn of the program.
        let ended = match limits.cancel.run_until_cancelled(exchange).await {
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        };
        let closed_at = transport.moment(ClientEvent::Closes(over_at));
        sink.wire(closed_at, Wire::Closed);
        ended
    }

    /// The request for a turn.
    ///
    /// # Errors
    /// If an agent in the process has no such turn.
    fn request(&self, action: Action) -> Result<HttpRequest, TargetError> {
        let input = match action {
            Action::User {
                content: UserContent::Text(text),
                ..
            } => AgentInput::Input(text.to_string()),
            Action::User { .. } => {
                let message = "an agent in the process of a test takes text alone, and no files";
                return Err(TargetError::new(message));
            }
            Action::Resume(answers) => {
                AgentInput::Answers(answers.into_iter().map(InterruptReply::from).collect())
            }
            // A test with another turn does not load for such a target, and it has no client-side tools.
            Action::Own { .. } | Action::Connect | Action::Continue | Action::ToolResults(_) => {
                let message = "an agent in the process of a test takes words of a user, and answers to its interrupts";
                return Err(TargetError::new(message));
            }
        };
        let turn = AgentTurn {
            agent: self.agent.clone(),
            thread: self.thread.clone(),
            turn: self.turns,
            input,
        };
        let url = TURN_URL.parse().map_err(|error| {
            TargetError::new(format!("`{TURN_URL}` is not a valid URL: {error}"))
        })?;
        Ok(HttpRequest {
            method: Method::Post,
            url,
            headers: Vec::new(),
            body: request_body(&turn)?,
            response_headers: Vec::new(),
            options: Arc::new(HttpOptions::default()),
            progress: RequestProgress::default(),
        })
    }
}

/// Asks the program for a turn, and reads what it reports. `over_at` is set to the moment at which the time was up.
///
/// # Errors
/// If there is no program, or what it reports is not what the protocol promises.
async fn exchange(
    transport: &dyn Transport,
    request: HttpRequest,
    reader: &mut ExternalReader<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
    over_at: &mut Option<At>,
    agent: &str,
) -> Result<Ended, TargetError> {
    let response = match http::send(transport, request, limits, sink, over_at).await {
        Ok(Some(response)) => response,
        Ok(None) => return Ok(Ended::Timeout),
        // A replay has an error of its own, which says that the recording ends here.
        Err(error) if !transport.is_network() => return Err(error),
        Err(_) => return Err(without_program(agent)),
    };
    let ended = http::read_events(response, reader, limits, sink, over_at).await;
    // No server has responded, so the status and the size of a response would mislead.
    ended.map_err(|error| TargetError {
        received: Received::default(),
        ..error
    })
}

/// The error of a turn that no program takes.
fn without_program(agent: &str) -> TargetError {
    // Both runners are in the help, since nothing here says in which language the agent is written.
    TargetError::new(format!(
        "the agent `{agent}` is an object in the process of a test, and `ananke` alone has none"
    ))
    .with_help(format!(
        "run its tests with pytest after `register_agent(\"{agent}\", …)`, or with vitest or node:test and \
         `yamlTests(runner, {{ agents: {{ {agent}: … }} }})`"
    ))
}

impl Session for ExternalSession {
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
