//! The events of the protocol and what each does to the order. What is not in this table is for other clients: a newer
//! server may send it at any time.

use std::fmt;

use super::things::Thing;

/// An event as a message names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its number in the exchange, counted from 1.
    pub(super) number: u32,
    /// Its type.
    pub(super) kind: &'static str,
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "event {} (`{}`)", self.number, self.kind)
    }
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    StartsRun,
    FinishesRun,
    FailsRun,
    Begins(Thing),
    GoesOn(Thing),
    Ends(Thing),
    Chunk(Thing),
    StartsStep,
    FinishesStep,
    StartsSubagent,
    EndsSubagent,
    Answers,
    TellsMessages,
    SetsActivity,
    ChangesActivity,
    Encrypts,
    Nothing,
}

/// Each type by its name, once.
macro_rules! events {
    ($kind:expr; $($name:literal => $does:expr,)*) => {
        match $kind {
            $($name => Some(($name, $does)),)*
            _ => None,
        }
    };
}

/// The type of an event, and what such an event does.
pub(super) fn known(kind: &str) -> Option<(&'static str, Does)> {
    events! { kind;
        "TEXT_MESSAGE_CONTENT" => Does::GoesOn(Thing::Message),
        "TOOL_CALL_ARGS" => Does::GoesOn(Thing::Call),
        "REASONING_MESSAGE_CONTENT" => Does::GoesOn(Thing::Thought),
        "TEXT_MESSAGE_CHUNK" => Does::Chunk(Thing::Message),
        "TOOL_CALL_CHUNK" => Does::Chunk(Thing::Call),
        "REASONING_MESSAGE_CHUNK" => Does::Chunk(Thing::Thought),
        "RUN_STARTED" => Does::StartsRun,
        "RUN_FINISHED" => Does::FinishesRun,
        "RUN_ERROR" => Does::FailsRun,
        "TEXT_MESSAGE_START" => Does::Begins(Thing::Message),
        "TEXT_MESSAGE_END" => Does::Ends(Thing::Message),
        "TOOL_CALL_START" => Does::Begins(Thing::Call),
        "TOOL_CALL_END" => Does::Ends(Thing::Call),
        "TOOL_CALL_RESULT" => Does::Answers,
        "REASONING_START" => Does::Begins(Thing::Span),
        "REASONING_END" => Does::Ends(Thing::Span),
        "REASONING_MESSAGE_START" => Does::Begins(Thing::Thought),
        "REASONING_MESSAGE_END" => Does::Ends(Thing::Thought),
        "REASONING_ENCRYPTED_VALUE" => Does::Encrypts,
        "STEP_STARTED" => Does::StartsStep,
        "STEP_FINISHED" => Does::FinishesStep,
        "SUBAGENT_STARTED" => Does::StartsSubagent,
        "SUBAGENT_FINISHED" => Does::EndsSubagent,
        "SUBAGENT_ERROR" => Does::EndsSubagent,
        "MESSAGES_SNAPSHOT" => Does::TellsMessages,
        "ACTIVITY_SNAPSHOT" => Does::SetsActivity,
        "ACTIVITY_DELTA" => Does::ChangesActivity,
        "STATE_SNAPSHOT" => Does::Nothing,
        "STATE_DELTA" => Does::Nothing,
        "RAW" => Does::Nothing,
        "CUSTOM" => Does::Nothing,
        // Of the versions before 1.0; they name no ids that could be followed.
        "THINKING_START" => Does::Nothing,
        "THINKING_END" => Does::Nothing,
        "THINKING_TEXT_MESSAGE_START" => Does::Nothing,
        "THINKING_TEXT_MESSAGE_CONTENT" => Does::Nothing,
        "THINKING_TEXT_MESSAGE_END" => Does::Nothing,
    }
}
