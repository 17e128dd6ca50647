//! The origin of messages and calls: the way in which they became known, and their author.

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
