//! A program that holds the conversation of a test: it says what the user says, and may execute client-side tools.
//!
//! **Why:** The libraries for Rust, Python and Node.js are all one thing here: a program that says the next text and
//! asserts by itself. Everything else (target, hooks, recording, reports) is the run's, so that a test in code has all
//! that a test in YAML has.
//!
//! **Invariant:** no rule applies to such a conversation while it goes on: the program asserts.

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use ananke_agents::UndeclaredCalls;
use ananke_base::message::{ClientInput, ToolAnswer};
use ananke_conversation::Observer;
use ananke_rules::{Decision, Question};
use ananke_trace::outcome::{Halt, TurnOutcome};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{ToolCall, Trace};

/// The next request of a program.
#[derive(Debug)]
pub enum DriverRequest {
    /// This is said to the agent.
    Say(Box<ClientInput>),
    /// A rule of the program asks a script or a judge of the project; the sender gets the answer.
    Decide(Box<Question>, oneshot::Sender<Result<Decision, Halt>>),
}

impl<T: Into<ClientInput>> From<T> for DriverRequest {
    fn from(input: T) -> Self {
        Self::Say(Box::new(input.into()))
    }
}

/// A program that holds conversations, one after the other.
pub trait ConversationDriver: Send + Sync {
    /// The instructions of a bare model that has none; `None` if it gets none.
    fn instructions(&self) -> Option<&str>;

    /// A conversation begins, on this thread and with these client-side tools; the redactor masks its secrets.
    fn begins(&self, thread: &str, tools: Vec<String>, redactor: &Redactor);

    /// The next request of the program; `None` if the conversation is over.
    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>>;

    /// A turn has ended.
    fn ended(&self, trace: &Trace, turn: &TurnOutcome);

    /// An observer of the conversation, if the program wants one.
    fn observer(&self) -> Option<Box<dyn Observer>> {
        None
    }

    /// Whether it executes the client-side tool of this name; the tools that it does not execute are mocked.
    fn executes(&self, tool: &str) -> bool {
        let _ = tool;
        false
    }

    /// The handling of calls to tools that were not declared; if they are answered, it executes them.
    fn undeclared(&self) -> UndeclaredCalls {
        UndeclaredCalls::Rejected
    }

    /// Executes a call to a tool that it executes. Several calls of one round are executed at once.
    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ToolAnswer> {
        let content = format!("no program executes `{}`", call.name).into();
        let answer = ToolAnswer {
            call: call.wire_id.to_string(),
            content,
            is_error: true,
        };
        Box::pin(std::future::ready(answer))
    }
}
