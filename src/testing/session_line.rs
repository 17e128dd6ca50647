//! Between a session and the run that holds its conversation: what is said goes in, what came of each turn comes out.

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::session_tools::{ClientCall, SessionTools};
use super::tape::Tape;
use ananke_agents::UndeclaredCalls;
use ananke_base::message::ToolAnswer;
use ananke_conversation::Observer;
use ananke_run::{ConversationDriver, DriverRequest};
use ananke_trace::outcome::TurnOutcome;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{AgentEvent, Interrupt, RunEnd, ToolCall, Trace, events_of_last_turn};

/// The state of a session once it has begun.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionStart {
    /// The thread that its conversation is on.
    pub(super) thread_id: String,
    /// Masks its secrets.
    pub(super) redactor: Redactor,
}

/// The result of a turn.
#[derive(Clone, Debug)]
pub(super) struct TurnReport {
    /// The actions of the agent.
    pub(super) events: Vec<AgentEvent>,
    /// The interrupts that the agent waits for now.
    pub(super) interrupts: Vec<Interrupt>,
    /// The agent's state at the end of the turn.
    pub(super) state: Value,
    /// Whether the turn ended as it should.
    pub(super) is_complete: bool,
    /// The number of items of the session that were taped by its end.
    pub(super) taped: usize,
}

/// The session as its run sees it.
pub(super) struct SessionLine {
    requests: Mutex<UnboundedReceiver<DriverRequest>>,
    reports: UnboundedSender<TurnReport>,
    begins: UnboundedSender<SessionStart>,
    tools: SessionTools,
    instructions: String,
    tape: Tape,
    /// The number of items that were taped when the running turn began.
    begun: std::sync::Mutex<usize>,
}

impl SessionLine {
    pub(super) fn new(
        requests: UnboundedReceiver<DriverRequest>,
        reports: UnboundedSender<TurnReport>,
        begins: UnboundedSender<SessionStart>,
        tools: SessionTools,
        instructions: String,
        tape: Tape,
    ) -> Self {
        let requests = Mutex::new(requests);
        Self {
            requests,
            reports,
            begins,
            tools,
            instructions,
            tape,
            begun: std::sync::Mutex::default(),
        }
    }
}

impl ConversationDriver for SessionLine {
    fn instructions(&self) -> Option<&str> {
        Some(&self.instructions)
    }

    fn undeclared(&self) -> UndeclaredCalls {
        self.tools.undeclared()
    }

    fn begins(&self, thread: &str, tools: Vec<String>, redactor: &Redactor) {
        self.tools.set_known(tools);
        // A session that is gone needs nothing any more; the same below.
        let _is_gone = self.begins.send(SessionStart {
            thread_id: thread.to_owned(),
            redactor: redactor.clone(),
        });
    }

    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>> {
        Box::pin(async move { self.requests.lock().await.recv().await })
    }

    fn ended(&self, trace: &Trace, outcome: &TurnOutcome) {
        let mut begun = self
            .begun
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(turn) = trace.turns.last() {
            self.tape.turn_ended(*begun, turn.input.clone());
        }
        *begun = self.tape.len();
        let is_complete = outcome.problem().is_none();
        let interrupts = match trace
            .exchanges
            .last()
            .and_then(|exchange| exchange.run_end.as_ref())
        {
            Some(RunEnd::Interrupted(open)) => open.clone(),
            _ => Vec::new(),
        };
        let report = TurnReport {
            events: events_of_last_turn(trace),
            interrupts,
            state: trace.state.value().clone(),
            is_complete,
            taped: *begun,
        };
        let _is_gone = self.reports.send(report);
    }

    fn observer(&self) -> Option<Box<dyn Observer>> {
        Some(Box::new(self.tape.clone()))
    }

    fn executes(&self, tool: &str) -> bool {
        self.tools.executes(tool)
    }

    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(async move {
            let id = call.wire_id.to_string();
            let made = ClientCall {
                id: id.clone(),
                arguments: call.args_value(),
            };
            let (content, is_error) = match self.tools.execute(&call.name, made).await {
                Ok(content) => (content, false),
                Err(content) => (content, true),
            };
            let answer = ToolAnswer {
                call: id,
                content,
                is_error,
            };
            self.tape.answered(answer.clone());
            answer
        })
    }
}
