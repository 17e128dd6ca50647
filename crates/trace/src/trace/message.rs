//! A message of the conversation; the origin and the author that messages and calls have.

use super::MessageKind;
use ananke_base::context::At;
use ananke_base::text::ShortText;

/// The way in which a message or call became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was streamed.
    Streamed,
    /// It is known only from a snapshot of the conversation.
    SnapshotOnly,
    /// It was replayed in a replay turn, and is visible to that turn alone (SPEC 6).
    Replayed,
    /// It existed before this conversation; never judged.
    History,
}

impl Origin {
    /// Whether it belongs to this conversation and is not a replay.
    pub fn is_new(self) -> bool {
        matches!(self, Self::Streamed | Self::SnapshotOnly)
    }
}

/// The author of a message or call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// The agent under test.
    Agent,
    /// A subagent, by its id.
    Subagent(String),
}

/// A message of the conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its id in the protocol; may be empty.
    pub wire_id: ShortText,
    /// The author of the message.
    pub role: MessageKind,
    /// Its text so far.
    pub text: String,
    /// The author on the agent's side.
    pub author: Author,
    /// The way in which it became known.
    pub origin: Origin,
    /// The turn it belongs to, counted from 0.
    pub turn: usize,
    /// Its place in the order in which everything began: that of its first text; 0 before.
    pub order: u64,
    /// The number of the event that opened it.
    pub opened: u32,
    /// The moment at which its first text arrived.
    pub first_text: Option<At>,
    /// The number of the event that brought it.
    pub(super) first_text_event: u32,
    closed: bool,
}

impl Message {
    pub(super) fn new(
        wire_id: ShortText,
        role: MessageKind,
        author: Author,
        turn: usize,
        opened: u32,
    ) -> Self {
        Self {
            wire_id,
            role,
            text: String::new(),
            author,
            origin: Origin::Streamed,
            turn,
            order: 0,
            opened,
            first_text: None,
            first_text_event: opened,
            closed: false,
        }
    }

    /// The user's message that the test sent.
    pub(super) fn of_user(wire_id: ShortText, text: String, turn: usize, opened: u32) -> Self {
        Self {
            text,
            closed: true,
            ..Self::new(wire_id, MessageKind::User, Author::Agent, turn, opened)
        }
    }

    /// A message known from a snapshot.
    pub(super) fn of_snapshot(message: Self, origin: Origin, at: At, text: String) -> Self {
        Self {
            origin,
            text,
            first_text: Some(at),
            closed: true,
            ..message
        }
    }

    /// Whether its first text is there.
    pub fn has_begun(&self) -> bool {
        self.order > 0
    }

    /// Whether it is complete.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether it is part of the text of its turn.
    pub fn is_text(&self) -> bool {
        self.role == MessageKind::Assistant
            && self.origin != Origin::History
            && !self.text.is_empty()
    }

    /// The number of the event that brought its first text.
    pub fn began(&self) -> u32 {
        self.first_text_event
    }

    /// Adds to its text.
    pub(super) fn add_text(&mut self, at: At, event: u32, delta: &str) {
        if !delta.is_empty() {
            if self.first_text.is_none() {
                (self.first_text, self.first_text_event) = (Some(at), event);
            }
            self.text.push_str(delta);
        }
    }

    /// Closes it; `false` if it was closed already.
    pub(super) fn close(&mut self) -> bool {
        !std::mem::replace(&mut self.closed, true)
    }

    /// Reopens it: some agents send text after the end.
    pub(super) fn reopen(&mut self) {
        self.closed = false;
    }
}
