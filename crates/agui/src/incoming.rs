//! A known event with its number, its effect, and the item and the subagent that it names.

use std::borrow::Cow;

use super::event::{DecodeError, FieldKey, WireEvent};
use super::event_kind::{Effect, EndedChunks, EventRef, ItemKind};
use super::warnings::Warnings;

/// An event that is being taken.
pub(super) struct Incoming<'a> {
    pub(super) event: &'a WireEvent<'a>,
    pub(super) at: EventRef,
    pub(super) effect: Effect,
    /// The subagent that it names; an event of the run as a whole has none.
    pub(super) subagent: Option<Cow<'a, str>>,
    /// The id of the item that it begins, continues or ends.
    pub(super) id: Option<Cow<'a, str>>,
}

impl<'a> Incoming<'a> {
    pub(super) fn read(
        event: &'a WireEvent<'a>,
        at: EventRef,
        effect: Effect,
        warnings: &mut Warnings,
    ) -> Result<Self, DecodeError> {
        let subagent = match effect.ended_chunks() {
            EndedChunks::All => None,
            EndedChunks::None if !matches!(effect, Effect::Chunk(_)) => {
                event.quiet_id(FieldKey::SubagentRunId)
            }
            _ => event.id(FieldKey::SubagentRunId, warnings).ok().flatten(),
        };
        let id = match effect {
            Effect::Begins(kind)
            | Effect::Continues(kind)
            | Effect::Ends(kind)
            | Effect::Chunk(kind) => {
                let id = event.id(kind.id_key(), warnings);
                // No rule is evaluated on reasoning: an id that is none makes it nameless.
                if matches!(kind, ItemKind::Message | ItemKind::Call) {
                    id?
                } else {
                    id.ok().flatten()
                }
            }
            _ => None,
        };
        Ok(Self {
            event,
            at,
            effect,
            subagent,
            id,
        })
    }

    pub(super) fn subagent(&self) -> Option<&str> {
        self.subagent.as_deref()
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}
