//! The happenings of a conversation: the entries of its log, what a change adds to a trace, and what is kept of declared tools,
//! of violations of the event order and of custom events.
//!
//! **Why:** Order is a fact of its own. Messages, calls and results are kept in lists by kind, where rules count them,
//! and the log has the order of all of them, once. What is about order reads the log, so that two reports cannot
//! disagree about what came first.

use std::fmt;

use serde_json::Value;

use ananke_base::message::DeclaredTool;

/// One thing that happened, by its place in the lists of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceItem {
    /// A message began: its first text came.
    Message(usize),
    /// A call started.
    Call(usize),
    /// A call got a result.
    Result {
        /// The call.
        call: usize,
        /// The number of the result among those of the call, counted from 0.
        nth: u32,
    },
    /// A turn answered an interrupt.
    Answer {
        /// The turn, counted from 0.
        turn: usize,
        /// The number of the answer among those of the turn, counted from 0.
        nth: u32,
    },
    /// The agent changed the state.
    State(usize),
    /// The agent asked its model.
    ModelCall(usize),
}

/// One change of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateEvent {
    /// The place in the order in which everything began.
    pub order: u64,
    /// The turn, counted from 0.
    pub turn: usize,
    /// The number of the event that brought it.
    pub event: u32,
}

impl TraceItem {
    /// The call that it is, or that it is a result of.
    pub fn call(self) -> Option<usize> {
        match self {
            Self::Call(call) | Self::Result { call, .. } => Some(call),
            Self::Message(_) | Self::Answer { .. } | Self::State(_) | Self::ModelCall(_) => None,
        }
    }
}

/// The addition of one change, which a rule may want to look at again. Each names an index into the trace's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta {
    /// This call started.
    CallStarted(usize),
    /// This call's arguments are complete.
    ArgsDone(usize),
    /// This call got a result.
    Answered(usize),
    /// The first text of this message came.
    MessageBegan(usize),
    /// This message is complete.
    MessageClosed(usize),
    /// This text came next to the answer.
    Aside(usize),
    /// The agent declared its tools.
    ToolsDeclared,
    /// The state changed.
    StateChanged,
    /// This call to a model was answered.
    ModelCalled(usize),
    /// The request of this call to a model was sent again.
    ModelAskedAgain(usize),
}

/// The tools that an agent declared at one time: all that it had.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The tools, in its order.
    pub tools: Vec<DeclaredTool>,
    /// The turn, counted from 0.
    pub turn: usize,
    /// The number of the event that brought them.
    pub event: u32,
    /// Whether the turn asked for them.
    pub is_answer: bool,
}

/// One event that the protocol does not allow at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the rule.
    pub rule: &'static str,
    /// The violation, naming the events.
    pub message: String,
    /// The exchange, by its place in [`Trace::exchanges`](super::Trace::exchanges).
    pub exchange: usize,
    /// The numbers of the events in the turn, counted from 1: the one that violates the rule, and the one it
    /// conflicts with, if any.
    pub events: Vec<u32>,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.rule, self.message)
    }
}

/// The violations of one turn: the first are kept, the rest is counted.
#[derive(Clone, Debug, Default)]
pub struct Violations {
    kept: Vec<Violation>,
    more: usize,
}

impl Violations {
    /// The most violations of a turn that are kept; the rest is counted.
    pub const KEPT: usize = 20;

    pub(super) fn add(&mut self, violation: Violation) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(violation);
        } else {
            self.more += 1;
        }
    }

    /// The first ones, in the order they were found.
    pub fn kept(&self) -> &[Violation] {
        &self.kept
    }

    /// The number of further violations.
    pub fn more(&self) -> usize {
        self.more
    }
}

/// An event of the application's own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomEvent {
    /// The name that the application gave it.
    pub name: String,
    /// The JSON that came with it.
    pub value: Value,
    /// The number of the event.
    pub event: u32,
}
