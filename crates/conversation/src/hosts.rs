//! The host that executes the client-side tools of a conversation.
//!
//! **Why:** Three parties answer while a conversation goes on: the client's tools, what a server asks back, and those
//! who decide a question. They are three traits, because a test, a judge and a program each have a different one of
//! them, and fakes that imitate a single one stay small.

use futures_util::future::BoxFuture;

use ananke_base::message::{ServerAnswer, ServerRequest, ToolAnswer};
use ananke_rules::{Decision, Question};
use ananke_trace::outcome::Halt;
use ananke_trace::trace::{ToolCall, Trace};

/// The executor of a call to a tool, and whether the call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// The agent executes it: it is not a client-side tool.
    Agent,
    /// The client answers it.
    Answered,
    /// The call is left open on purpose.
    LeftOpen,
}

/// Executes client-side tools.
pub trait ToolHost: Send {
    /// The handling of a call to `tool`.
    fn handling(&self, tool: &str) -> Handling;

    /// Answers a call.
    ///
    /// # Errors
    /// If it has no answer.
    fn answer<'a>(
        &'a mut self,
        call: &'a ToolCall,
        trace: &'a Trace,
    ) -> BoxFuture<'a, Result<ToolAnswer, Halt>>;

    /// Answers the calls of one round, and returns the answers in the order in which they came. This default answers one call
    /// after the other; a host that executes several at once has its own.
    ///
    /// # Errors
    /// If a call has no answer: then the calls after it are not answered.
    fn answer_all<'a>(
        &'a mut self,
        calls: Vec<&'a ToolCall>,
        trace: &'a Trace,
    ) -> BoxFuture<'a, Result<Vec<ToolAnswer>, Halt>> {
        Box::pin(async move {
            let mut answers = Vec::with_capacity(calls.len());
            for call in calls {
                answers.push(self.answer(call, trace).await?);
            }
            Ok(answers)
        })
    }
}

/// Answers the questions of rules: a script, a judge.
pub trait Oracle: Sync {
    /// Answers `question`.
    ///
    /// # Errors
    /// If it has no answer, which is neither a pass nor a fail.
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>>;
}

/// Answers the requests of a server, which waits for the answer before it goes on.
pub trait RequestHost: Send {
    /// Answers `request`.
    fn answer<'a>(
        &'a mut self,
        request: ServerRequest,
        trace: &'a Trace,
    ) -> BoxFuture<'a, ServerAnswer>;
}

/// Declines every request.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclineRequests;

impl RequestHost for DeclineRequests {
    fn answer<'a>(&'a mut self, _: ServerRequest, _: &'a Trace) -> BoxFuture<'a, ServerAnswer> {
        Box::pin(std::future::ready(ServerAnswer::Declined))
    }
}
