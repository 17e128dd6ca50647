//! The neutral alphabet: everything an agent can be seen to do, whatever protocol it speaks.
//!
//! Every quirk of a protocol dies in its decoder; only these reach the trace.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::Usage;

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The agent.
    Assistant,
    /// The user.
    User,
    /// Instructions: `system` or `developer`.
    System,
    /// Thoughts; never part of the text.
    Reasoning,
}

/// A tool's answer as it came: text, or a JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultContent<'a> {
    /// Text; may hold JSON.
    Text(Cow<'a, str>),
    /// A JSON value that did not come as text.
    Json(Value),
}

/// How a run ended, in the agent's own words.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The agent is done.
    Finished,
    /// The agent reported an error.
    Error {
        /// In the agent's words.
        message: String,
        /// The agent's code for it.
        code: Option<String>,
    },
    /// The agent stopped the run itself, unasked.
    Cancelled,
    /// The agent waits for answers to these interrupts.
    Interrupted(Vec<Interrupt>),
}

impl fmt::Display for Outcome {
    /// The words for people: of an error the agent's own, with its code.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => formatter.write_str("finished"),
            Self::Error { message, code: Some(code) } => write!(formatter, "{message} (code `{code}`)"),
            Self::Error { message, code: None } => formatter.write_str(message),
            Self::Cancelled => formatter.write_str("cancelled"),
            Self::Interrupted(_) => formatter.write_str("interrupted"),
        }
    }
}

/// Something the agent waits for before it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interrupt {
    /// Its id.
    pub id: String,
    /// Why, in a word of the agent's.
    pub reason: Option<String>,
    /// What it asks, for people.
    pub message: Option<String>,
    /// The id of the call that waits, where it is about one.
    pub call: Option<String>,
}

/// A call as a snapshot of the conversation lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotCall {
    /// The call's id on the wire.
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
        /// Its id on the wire; may be empty.
        id: String,
        /// Who it is from.
        role: Role,
        /// Its text; may be empty.
        text: String,
        /// The calls it made.
        calls: Vec<SnapshotCall>,
    },
    /// A tool's answer.
    Answer {
        /// The id of the answered call.
        call: String,
        /// The answer.
        result: ResultContent<'static>,
        /// Whether the protocol says that it is an error.
        is_error: Option<bool>,
    },
}

/// One thing that happened, borrowed from the frame it was decoded from.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<'a> {
    /// When the agent says that the event came about which the next changes come from, in microseconds of Unix time.
    Stamped(u64),
    /// A run began.
    RunStarted {
        /// The run's id as the agent gave it.
        run_id: Option<Cow<'a, str>>,
        /// The thread's id as the agent gave it.
        thread_id: Option<Cow<'a, str>>,
        /// Whether it is an earlier run that is told again.
        is_replay: bool,
    },
    /// A run ended.
    RunEnded(Outcome),
    /// A message began.
    MessageOpened {
        /// Its id on the wire.
        id: Cow<'a, str>,
        /// Who it is from.
        role: Role,
        /// The helper agent that says it, where it is not the agent itself.
        subagent: Option<Cow<'a, str>>,
    },
    /// More text of an open message.
    MessageText {
        /// The message's id.
        id: Cow<'a, str>,
        /// What is added to its text.
        delta: Cow<'a, str>,
    },
    /// A message is complete.
    MessageClosed {
        /// The message's id.
        id: Cow<'a, str>,
    },
    /// A tool call began.
    CallOpened {
        /// Its id on the wire.
        id: Cow<'a, str>,
        /// The tool's name.
        name: Cow<'a, str>,
        /// The helper agent that makes it, where it is not the agent itself.
        subagent: Option<Cow<'a, str>>,
    },
    /// More text of a call's arguments.
    CallArgs {
        /// The call's id.
        id: Cow<'a, str>,
        /// What is added to the text of the arguments.
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
        /// The answer.
        result: ResultContent<'a>,
        /// Whether the protocol says that it is an error.
        is_error: Option<bool>,
    },
    /// The agent says after a call's last result that the call failed.
    CallFailed {
        /// The call's id.
        id: Cow<'a, str>,
        /// Whether it was not carried out, since somebody said no.
        is_denied: bool,
    },
    /// More of the agent's thoughts. The first of an id begins a message of them.
    Reasoning {
        /// The id of the thoughts on the wire.
        id: Cow<'a, str>,
        /// What is added to them.
        delta: Cow<'a, str>,
        /// The helper agent that thinks, where it is not the agent itself.
        subagent: Option<Cow<'a, str>>,
    },
    /// An event of the application's own.
    Custom {
        /// Its name.
        name: Cow<'a, str>,
        /// What it carries.
        value: Value,
    },
    /// What the running run took in tokens, or a part of that: told before the run ends, and added up.
    Usage(Usage),
    /// The state is now this.
    StateReplaced(Value),
    /// The state changes by this JSON Patch (RFC 6902).
    StatePatched(Value),
    /// The conversation so far, as the agent tells it.
    Snapshot(Vec<SnapshotItem>),
    /// The events came in an order that the protocol forbids.
    Violation {
        /// The name of the rule: stable, for people to look up.
        rule: &'static str,
        /// What happened, naming the events.
        message: Cow<'a, str>,
        /// The numbers of the events in their exchange, counted from 1: the one that breaks the rule, and the one it is in
        /// conflict with, where there is one.
        events: Vec<u32>,
    },
    /// Something odd that fails nothing.
    Warning(Cow<'a, str>),
}

impl ResultContent<'_> {
    fn into_owned(self) -> ResultContent<'static> {
        match self {
            Self::Text(text) => ResultContent::Text(own(text)),
            Self::Json(value) => ResultContent::Json(value),
        }
    }
}

impl Change<'_> {
    /// The same change, which no longer needs the frame it was decoded from.
    pub fn into_owned(self) -> Change<'static> {
        match self {
            Self::RunStarted { run_id, thread_id, is_replay } => {
                Change::RunStarted { run_id: run_id.map(own), thread_id: thread_id.map(own), is_replay }
            }
            Self::Stamped(stamp) => Change::Stamped(stamp),
            Self::RunEnded(outcome) => Change::RunEnded(outcome),
            Self::MessageOpened { id, role, subagent } => {
                Change::MessageOpened { id: own(id), role, subagent: subagent.map(own) }
            }
            Self::MessageText { id, delta } => Change::MessageText { id: own(id), delta: own(delta) },
            Self::MessageClosed { id } => Change::MessageClosed { id: own(id) },
            Self::CallOpened { id, name, subagent } => {
                Change::CallOpened { id: own(id), name: own(name), subagent: subagent.map(own) }
            }
            Self::CallArgs { id, delta } => Change::CallArgs { id: own(id), delta: own(delta) },
            Self::CallArgsDone { id } => Change::CallArgsDone { id: own(id) },
            Self::CallAnswered { id, result, is_error } => {
                Change::CallAnswered { id: own(id), result: result.into_owned(), is_error }
            }
            Self::CallFailed { id, is_denied } => Change::CallFailed { id: own(id), is_denied },
            Self::Reasoning { id, delta, subagent } => {
                Change::Reasoning { id: own(id), delta: own(delta), subagent: subagent.map(own) }
            }
            Self::Custom { name, value } => Change::Custom { name: own(name), value },
            Self::Usage(usage) => Change::Usage(usage),
            Self::StateReplaced(value) => Change::StateReplaced(value),
            Self::StatePatched(patch) => Change::StatePatched(patch),
            Self::Snapshot(items) => Change::Snapshot(items),
            Self::Violation { rule, message, events } => {
                Change::Violation { rule, message: own(message), events }
            }
            Self::Warning(text) => Change::Warning(own(text)),
        }
    }
}

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}
