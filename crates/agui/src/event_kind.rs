//! The types of event that this client knows, and the effect of each: the items that they begin, continue and end. A newer
//! server may send others at any time: they have none.

use std::fmt;
use std::num::NonZeroU8;

use super::event::FieldKey;
use ananke_base::text::is_spelled_alike;
use ananke_trace::trace::{Fact, Facts};

/// A kind of item. Ids are unique within a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Message,
    Call,
    /// A reasoning message.
    Reasoning,
    /// The brackets around reasoning messages.
    ReasoningSpan,
}

impl ItemKind {
    pub(super) const ALL: [Self; 4] = [
        Self::Message,
        Self::Call,
        Self::Reasoning,
        Self::ReasoningSpan,
    ];

    /// The field that contains its id.
    pub(super) fn id_key(self) -> FieldKey {
        match self {
            Self::Message | Self::Reasoning | Self::ReasoningSpan => FieldKey::MessageId,
            Self::Call => FieldKey::ToolCallId,
        }
    }

    /// Its name in messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Call => "call",
            Self::Reasoning => "reasoning message",
            Self::ReasoningSpan => "reasoning span",
        }
    }
}

/// An event as a message names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventRef {
    /// Its number in the exchange, counted from 1.
    pub(super) number: u32,
    /// Its type.
    pub(super) kind: EventKind,
}

/// A known type of event: its place in [`EVENTS`], counted from 1. There is one for each item that has begun or ended, so
/// that `None` takes no memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventKind(NonZeroU8);

impl fmt::Display for EventKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(EVENTS[usize::from(self.0.get()) - 1].0)
    }
}

impl fmt::Display for EventRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "event {} (`{}`)", self.number, self.kind)
    }
}

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    StartsRun,
    FinishesRun,
    FailsRun,
    Begins(ItemKind),
    Continues(ItemKind),
    Ends(ItemKind),
    Chunk(ItemKind),
    StartsStep,
    FinishesStep,
    StartsSubagent,
    EndsSubagent,
    AnswersCall,
    ReplacesMessages,
    ReplacesState,
    PatchesState,
    SetsActivity,
    ChangesActivity,
    Encrypts,
    Custom,
    /// Reasoning of the versions before 1.0, which has no ids.
    OldReasoning,
    EndsOldReasoning,
    /// It is read for the chunks that it ends.
    EndsChunks,
    Nothing,
}

/// The chunks that an event ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndedChunks {
    None,
    /// Those of the agent or subagent that the event is of.
    Author,
    All,
}

impl Effect {
    /// Whether such an event concerns the run as a whole, and no subagent.
    pub(super) fn is_of_run(self) -> bool {
        matches!(
            self,
            Self::StartsRun | Self::FinishesRun | Self::FailsRun | Self::ReplacesMessages
        )
    }

    /// Whether the value of `key` has a meaning for such an event, or is on the silent list (SPEC 13): what applications,
    /// frameworks and user interfaces add for themselves. A value that may be a call is unread under every other key.
    pub(super) fn reads(self, key: FieldKey) -> bool {
        match key {
            FieldKey::RawEvent | FieldKey::Metadata => true,
            FieldKey::Input => self == Self::StartsRun,
            FieldKey::Outcome => self == Self::FinishesRun,
            FieldKey::Usage => matches!(self, Self::FinishesRun | Self::FailsRun),
            FieldKey::Content | FieldKey::Result | FieldKey::Error => self == Self::AnswersCall,
            FieldKey::Messages => self == Self::ReplacesMessages,
            FieldKey::Snapshot => self == Self::ReplacesState,
            FieldKey::Delta => !matches!(
                self,
                Self::StartsRun | Self::FinishesRun | Self::FailsRun | Self::AnswersCall
            ),
            _ => false,
        }
    }

    /// The key that carries what such an event says, if one does.
    pub(super) fn payload(self) -> Option<FieldKey> {
        match self {
            Self::Continues(ItemKind::Message | ItemKind::Call)
            | Self::Chunk(ItemKind::Message | ItemKind::Call) => Some(FieldKey::Delta),
            Self::AnswersCall => Some(FieldKey::Content),
            _ => None,
        }
    }

    /// The facts that such an event may say.
    pub(super) fn facts(self) -> Facts {
        const EVENT: &[Fact] = &[Fact::Events];
        let facts: &[Fact] = match self {
            Self::StartsRun => &[Fact::RunEnds],
            Self::FinishesRun => &[Fact::RunEnds, Fact::Interrupts, Fact::Usage],
            Self::FailsRun => &[Fact::RunEnds, Fact::Text, Fact::Usage],
            Self::Begins(kind) | Self::Continues(kind) | Self::Ends(kind) | Self::Chunk(kind) => {
                match kind {
                    ItemKind::Message => &[Fact::Text, Fact::UserText, Fact::FirstText],
                    ItemKind::Call => &[
                        Fact::Calls,
                        Fact::Arguments,
                        Fact::Results,
                        Fact::CallEnds,
                        Fact::CallTimes,
                    ],
                    ItemKind::Reasoning | ItemKind::ReasoningSpan => EVENT,
                }
            }
            Self::AnswersCall => &[Fact::Results, Fact::CallEnds, Fact::CallTimes],
            Self::Encrypts => &[Fact::CallEnds],
            Self::ReplacesMessages => return Facts::OF_AGENT,
            Self::ReplacesState | Self::PatchesState => &[Fact::State],
            // It may be an interrupt of an old server.
            Self::Custom => &[Fact::Interrupts],
            Self::StartsStep
            | Self::FinishesStep
            | Self::StartsSubagent
            | Self::EndsSubagent
            | Self::SetsActivity
            | Self::ChangesActivity
            | Self::OldReasoning
            | Self::EndsOldReasoning
            | Self::EndsChunks
            | Self::Nothing => EVENT,
        };
        Facts::of(facts) | Facts::of(EVENT)
    }

    /// The facts that the value of `key` may say in such an event.
    pub(super) fn facts_of(self, key: FieldKey) -> Facts {
        match key {
            FieldKey::Type => Facts::OF_AGENT,
            FieldKey::Metadata | FieldKey::Input => Facts::NONE,
            FieldKey::RawEvent if self != Self::Custom => Facts::NONE,
            FieldKey::Timestamp => Facts::of(&[Fact::TurnTimes, Fact::CallTimes, Fact::FirstText]),
            _ => self.facts(),
        }
    }

    /// Whether such an event is on the silent list (SPEC 13): it is for applications and user interfaces, and nothing in it
    /// is something that the agent did.
    pub(super) fn is_silent(self) -> bool {
        matches!(
            self,
            Self::Custom
                | Self::StartsStep
                | Self::FinishesStep
                | Self::SetsActivity
                | Self::ChangesActivity
                | Self::Nothing
        )
    }

    /// The chunks that such an event ends; a chunk itself depends on its id.
    pub(super) fn ended_chunks(self) -> EndedChunks {
        match self {
            effect if effect.is_of_run() => EndedChunks::All,
            Self::Chunk(_)
            | Self::StartsSubagent
            | Self::SetsActivity
            | Self::ChangesActivity
            | Self::Encrypts
            | Self::Nothing => EndedChunks::None,
            _ => EndedChunks::Author,
        }
    }
}

/// Each type by its name, the most frequent ones first, and its effect.
const EVENTS: &[(&str, Effect)] = &[
    ("TEXT_MESSAGE_CONTENT", Effect::Continues(ItemKind::Message)),
    ("TOOL_CALL_ARGS", Effect::Continues(ItemKind::Call)),
    (
        "REASONING_MESSAGE_CONTENT",
        Effect::Continues(ItemKind::Reasoning),
    ),
    ("TEXT_MESSAGE_CHUNK", Effect::Chunk(ItemKind::Message)),
    ("TOOL_CALL_CHUNK", Effect::Chunk(ItemKind::Call)),
    (
        "REASONING_MESSAGE_CHUNK",
        Effect::Chunk(ItemKind::Reasoning),
    ),
    ("RUN_STARTED", Effect::StartsRun),
    ("RUN_FINISHED", Effect::FinishesRun),
    ("RUN_ERROR", Effect::FailsRun),
    ("TEXT_MESSAGE_START", Effect::Begins(ItemKind::Message)),
    ("TEXT_MESSAGE_END", Effect::Ends(ItemKind::Message)),
    ("TOOL_CALL_START", Effect::Begins(ItemKind::Call)),
    ("TOOL_CALL_END", Effect::Ends(ItemKind::Call)),
    ("TOOL_CALL_RESULT", Effect::AnswersCall),
    ("REASONING_START", Effect::Begins(ItemKind::ReasoningSpan)),
    ("REASONING_END", Effect::Ends(ItemKind::ReasoningSpan)),
    (
        "REASONING_MESSAGE_START",
        Effect::Begins(ItemKind::Reasoning),
    ),
    ("REASONING_MESSAGE_END", Effect::Ends(ItemKind::Reasoning)),
    ("REASONING_ENCRYPTED_VALUE", Effect::Encrypts),
    ("STEP_STARTED", Effect::StartsStep),
    ("STEP_FINISHED", Effect::FinishesStep),
    ("SUBAGENT_STARTED", Effect::StartsSubagent),
    ("SUBAGENT_FINISHED", Effect::EndsSubagent),
    ("SUBAGENT_ERROR", Effect::EndsSubagent),
    ("MESSAGES_SNAPSHOT", Effect::ReplacesMessages),
    ("ACTIVITY_SNAPSHOT", Effect::SetsActivity),
    ("ACTIVITY_DELTA", Effect::ChangesActivity),
    ("STATE_SNAPSHOT", Effect::ReplacesState),
    ("STATE_DELTA", Effect::PatchesState),
    ("RAW", Effect::Nothing),
    ("CUSTOM", Effect::Custom),
    // Events of the versions before 1.0; they have no ids.
    ("THINKING_START", Effect::EndsChunks),
    ("THINKING_END", Effect::EndsChunks),
    ("THINKING_TEXT_MESSAGE_START", Effect::EndsOldReasoning),
    ("THINKING_TEXT_MESSAGE_CONTENT", Effect::OldReasoning),
    ("THINKING_TEXT_MESSAGE_END", Effect::EndsOldReasoning),
];

/// The facts that an event of an unknown type may say because its type is a known one in another spelling: `ToolCallStart`.
pub(super) fn facts_of_spelling(kind: &str) -> Facts {
    let spelled = EVENTS.iter().find(|(name, _)| is_spelled_alike(name, kind));
    match spelled {
        Some((_, effect)) if !effect.is_silent() => effect.facts(),
        _ => Facts::NONE,
    }
}

/// The type of an event, and its effect.
pub(super) fn known(kind: &str) -> Option<(EventKind, Effect)> {
    let place = EVENTS.iter().position(|(name, _)| *name == kind)?;
    let kind = NonZeroU8::new(u8::try_from(place + 1).ok()?)?;
    Some((EventKind(kind), EVENTS[place].1))
}
