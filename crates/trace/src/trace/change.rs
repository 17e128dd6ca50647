//! Everything an agent can be observed to do, whatever protocol it speaks.
//!
//! The peculiarities of a protocol end in its decoder; only these changes reach the trace.
//!
//! **Why:** This is the narrowest place of the house: protocols, programs and the traces of other systems come in, and
//! every rule and report rests on it. It is a closed enum and no trait, so that a new kind of change is a list of
//! compiler errors at all the places that have to say what they do with it. A change borrows from the bytes that it
//! came in, for most of what an agent sends is looked at once.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::{AsideSource, AskedAgain, ModelCall, Usage, is_same_json};
use crate::trace::facts::Unread;
use ananke_base::message::DeclaredTool;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The agent.
    Assistant,
    /// The user.
    User,
    /// Instructions: `system` or `developer`.
    System,
    /// Reasoning; never part of the text.
    Reasoning,
}

/// A tool's result as it arrived: text, or a JSON value.
#[derive(Clone, Debug)]
pub enum ResultContent<'a> {
    /// Text; may hold JSON.
    Text(Cow<'a, str>),
    /// A JSON value that was not sent as text.
    Json(Value),
    /// A JSON value that the agent calls the structured result.
    Structured {
        /// The structured result.
        value: Value,
        /// The text that the agent sent with it, if there is one.
        text: Option<String>,
    },
}

impl PartialEq for ResultContent<'_> {
    /// Whether two results are of the same form and content. JSON values are compared by their meaning (`is_same_json`).
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Json(one), Self::Json(other)) => is_same_json(one, other),
            (
                Self::Structured { value, text },
                Self::Structured {
                    value: other,
                    text: other_text,
                },
            ) => text == other_text && is_same_json(value, other),
            // Results of different forms differ, even if a text contains the same JSON.
            _ => false,
        }
    }
}

/// The end of a run, according to the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// The agent is done.
    Finished,
    /// The agent reported an error.
    Error {
        /// The agent's message.
        message: String,
        /// The agent's code for it.
        code: Option<String>,
    },
    /// The agent cancelled the run itself.
    Cancelled,
    /// The agent waits for answers to these interrupts.
    Interrupted(Vec<Interrupt>),
    /// An end that the protocol does not have, in the agent's words: no error of the turn, and no `outcome` rule expects it.
    Unknown(String),
}

impl fmt::Display for RunEnd {
    /// The end of a run in words for people. An error is shown in the agent's own words, with its code if it has one.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => formatter.write_str("finished"),
            Self::Error { message, code } => match code {
                Some(code) => write!(formatter, "{message} (code `{code}`)"),
                None => formatter.write_str(message),
            },
            Self::Cancelled => formatter.write_str("cancelled"),
            Self::Interrupted(_) => formatter.write_str("interrupted"),
            Self::Unknown(outcome) => formatter.write_str(outcome),
        }
    }
}

/// Something the agent waits for before it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interrupt {
    /// The id by which an answer names it.
    pub id: String,
    /// The agent's reason code.
    pub reason: Option<String>,
    /// The question, for people.
    pub message: Option<String>,
    /// The id of the call that waits, if it is about one.
    pub call: Option<String>,
}

/// A call as a snapshot of the conversation lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotCall {
    /// The call's id in the protocol.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments' text as sent.
    pub args: String,
}

/// One message of a snapshot of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum SnapshotItem {
    /// A message of the agent, the user or the system.
    Message {
        /// The id in the protocol; may be empty.
        id: String,
        /// The author of the message.
        role: MessageKind,
        /// The text; may be empty.
        text: String,
        /// The calls it made.
        calls: Vec<SnapshotCall>,
    },
    /// A tool's result.
    Answer {
        /// The id of the answered call.
        call: String,
        /// The tool, if the result names it: that proves the call.
        tool: Option<String>,
        /// The result.
        result: ResultContent<'static>,
        /// Whether it is an error, if the protocol says so.
        is_error: Option<bool>,
    },
}

/// One change, borrowed from the event it was decoded from.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<'a> {
    /// The timestamp of the event that the next changes come from, in microseconds of Unix time.
    Stamped(u64),
    /// A run began.
    RunStarted {
        /// The run's id as the agent gave it.
        run_id: Option<Cow<'a, str>>,
        /// The thread's id as the agent gave it.
        thread_id: Option<Cow<'a, str>>,
        /// Whether it is an earlier run that is replayed.
        is_replay: bool,
    },
    /// A run ended.
    RunEnded(RunEnd),
    /// A message began.
    MessageOpened {
        /// The id in the protocol.
        id: Cow<'a, str>,
        /// The author of the message.
        role: MessageKind,
        /// The subagent that says it, if it is not the agent itself.
        subagent: Option<Cow<'a, str>>,
    },
    /// More text of an open message.
    MessageText {
        /// The message's id.
        id: Cow<'a, str>,
        /// The text that is added.
        delta: Cow<'a, str>,
    },
    /// A message is complete.
    MessageClosed {
        /// The message's id.
        id: Cow<'a, str>,
    },
    /// The agent takes a message back: its text is unsaid, and no more of it comes.
    MessageRetracted {
        /// The id in the protocol.
        id: Cow<'a, str>,
    },
    /// A tool call began.
    CallOpened {
        /// The id in the protocol.
        id: Cow<'a, str>,
        /// The tool's name.
        name: Cow<'a, str>,
        /// The subagent that makes it, if it is not the agent itself.
        subagent: Option<Cow<'a, str>>,
    },
    /// More text of a call's arguments.
    CallArgs {
        /// The call's id.
        id: Cow<'a, str>,
        /// The text that is added to the arguments.
        delta: Cow<'a, str>,
    },
    /// A call's arguments are complete.
    CallArgsDone {
        /// The call's id.
        id: Cow<'a, str>,
    },
    /// A call was answered.
    CallAnswered {
        /// The call's id.
        id: Cow<'a, str>,
        /// The result.
        result: ResultContent<'a>,
        /// Whether it is an error, if the protocol says so.
        is_error: Option<bool>,
    },
    /// A result arrived, and its call is known later: it has its place in the order here.
    ResultArrived {
        /// The number that its decoder gives it, within the conversation.
        number: u32,
    },
    /// The next result of a call is the one that arrived with this number.
    ResultFollows {
        /// The call's id.
        id: Cow<'a, str>,
        /// The number of the result.
        number: u32,
    },
    /// The agent executed a call itself, and does not show its result.
    CallExecuted {
        /// The call's id.
        id: Cow<'a, str>,
    },
    /// The agent says after the last result of a call that the call failed.
    CallFailed {
        /// The call's id.
        id: Cow<'a, str>,
        /// Whether it was denied and not executed.
        is_denied: bool,
    },
    /// The agent declares its tools: all that it has now.
    ToolsDeclared {
        /// The tools, in its order.
        tools: Vec<DeclaredTool>,
        /// Whether the turn asked for them.
        is_answer: bool,
    },
    /// More reasoning. The first of an id begins a message.
    Reasoning {
        /// The id of the reasoning in the protocol.
        id: Cow<'a, str>,
        /// The text that is added.
        delta: Cow<'a, str>,
        /// The subagent that reasons, if it is not the agent itself.
        subagent: Option<Cow<'a, str>>,
    },
    /// The agent asked its model, and got an answer. It is no event of the agent's own.
    ModelCalled(Box<ModelCall>),
    /// The agent sent the request of an earlier call again. It is no event of the agent's own either.
    ModelAskedAgain(AskedAgain),
    /// An event of the application's own.
    Custom {
        /// The name that the application gave it.
        name: Cow<'a, str>,
        /// The JSON that came with it.
        value: Value,
    },
    /// Text next to the answer. It is no part of what the agent said.
    Aside {
        /// The text.
        text: Cow<'a, str>,
        /// The source of the text.
        source: AsideSource,
    },
    /// The answer is not whole: it became too long.
    Truncated,
    /// Tokens of the running run, or some of them: reported before the run ends, and added up.
    Usage {
        /// The tokens; their cost is not known yet.
        usage: Usage,
        /// The model that was asked for, or that the agent says they are of.
        model: Option<Cow<'a, str>>,
    },
    /// The state is now this.
    StateReplaced(Value),
    /// The state changes by this JSON Patch (RFC 6902).
    StatePatched(Value),
    /// The conversation so far, according to the agent.
    Snapshot(Vec<SnapshotItem>),
    /// An event violates the order that the protocol defines.
    Violation {
        /// The stable name of the rule.
        rule: &'static str,
        /// The violation, naming the events.
        message: Cow<'a, str>,
        /// The numbers of the events in their exchange, counted from 1: the one that violates the rule, and the one it
        /// conflicts with, if any.
        events: Vec<u32>,
    },
    /// Something that the agent sent was not understood: rules that rest on it neither pass nor fail.
    Unread(Unread<'a>),
    /// Something odd that fails no rule.
    Warning(Cow<'a, str>),
}
