//! The items that the events of an answer begin, continue and end.

use super::event::FieldKey;

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
