//! The rule about owners: a message, a call, reasoning or an activity belongs to the agent or subagent that began it.
//! Later events name the same owner, or none. An owner is kept after the end of what it owns, since later events may
//! still name that.

use std::collections::HashMap;
use std::num::NonZeroU32;

use indexmap::IndexSet;

use super::EventOrderRule;
use super::violations::{AuthorName, EventViolations};
use crate::event_kind::{EventRef, ItemKind};
use crate::{event::FieldKey, incoming::Incoming, warnings::shown};
use ananke_base::text::ShortText;

/// The families of items with an owner. Ids are unique within a family; a reasoning span and the message inside it may
/// share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Message,
    Call,
    Reasoning,
    Activity,
}

impl Family {
    const COUNT: usize = 4;

    fn noun(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Call => "call",
            Self::Reasoning => "reasoning",
            Self::Activity => "activity",
        }
    }
}

impl From<ItemKind> for Family {
    fn from(kind: ItemKind) -> Self {
        match kind {
            ItemKind::Message => Self::Message,
            ItemKind::Call => Self::Call,
            ItemKind::Reasoning | ItemKind::ReasoningSpan => Self::Reasoning,
        }
    }
}

/// The owner of one thing, of which an agent may send a million.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// The number of a subagent; the agent itself has none.
    subagent: Option<SubagentNumber>,
    /// The event that named it.
    by: EventRef,
    /// Whether it was reported that another subagent continues it.
    is_reported: bool,
}

/// The place of a subagent in the list of those that own something, counted from 1.
type SubagentNumber = NonZeroU32;

/// The owners of one run.
#[derive(Debug, Default)]
pub(super) struct LaneOwners {
    owners: [HashMap<ShortText, Owner>; Family::COUNT],
    /// The ids of subagents that own something.
    subagents: IndexSet<ShortText>,
    /// The number of the last snapshot. It may give everything to other owners, also what begins later without naming
    /// one.
    known_since: u32,
}

impl LaneOwners {
    /// The event begins an item, and may name its owner.
    pub(super) fn begin(
        &mut self,
        kind: ItemKind,
        incoming: &Incoming<'_>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        let (id, subagent) = (incoming.id().unwrap_or_default(), incoming.subagent());
        let parent = incoming
            .event
            .quiet_id(FieldKey::ParentMessageId)
            .filter(|_| kind == ItemKind::Call);
        let parent = parent.filter(|parent| self.is_known(Family::Message, parent));
        if let Some(parent) = parent {
            self.begin_call(id, &parent, subagent, violations);
        } else if self.is_known(kind.into(), id) {
            self.go_on(kind.into(), id, subagent, violations);
        } else if subagent.is_some() || self.known_since == 0 {
            self.replace(kind.into(), id, subagent, violations.event);
        }
    }

    /// A call has the owner of the message it is part of.
    fn begin_call(
        &mut self,
        id: &str,
        parent: &str,
        subagent: Option<&str>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        self.go_on(Family::Message, parent, subagent, violations);
        let inherited = || self.known(Family::Message, parent)?.subagent;
        let owner = match subagent {
            None => inherited(),
            Some(_) => self.number(subagent),
        };
        match self.known(Family::Call, id) {
            None => self.set(Family::Call, id, owner, violations.event),
            Some(known) if known.subagent == owner => {}
            Some(_) => self.conflict(Family::Call, id, owner, violations),
        }
    }

    /// The event continues something, and may name its owner.
    pub(super) fn go_on(
        &mut self,
        family: Family,
        id: &str,
        subagent: Option<&str>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        if subagent.is_some()
            && let Some(owner) = self.known(family, id)
        {
            let named = self.number(subagent);
            if owner.subagent != named {
                self.conflict(family, id, named, violations);
            }
        }
    }

    /// The event `by` names the owner, and replaces any owner from before.
    pub(super) fn replace(
        &mut self,
        family: Family,
        id: &str,
        subagent: Option<&str>,
        by: EventRef,
    ) {
        let owner = self.number(subagent);
        self.set(family, id, owner, by);
    }

    /// Whether the owner of this is known.
    pub(super) fn is_known(&self, family: Family, id: &str) -> bool {
        self.known(family, id).is_some()
    }

    /// No owner is known any more.
    pub(super) fn forget(&mut self, by: EventRef) {
        self.known_since = by.number;
    }

    fn known(&self, family: Family, id: &str) -> Option<Owner> {
        let owner = self.owners[family as usize].get(id).copied();
        owner.filter(|owner| owner.by.number > self.known_since)
    }

    fn set(&mut self, family: Family, id: &str, subagent: Option<SubagentNumber>, by: EventRef) {
        self.owners[family as usize].insert(
            id.into(),
            Owner {
                subagent,
                by,
                is_reported: false,
            },
        );
    }

    fn number(&mut self, subagent: Option<&str>) -> Option<SubagentNumber> {
        let id = subagent?;
        let known = self.subagents.get_index_of(id);
        let place = known.unwrap_or_else(|| self.subagents.insert_full(id.into()).0);
        u32::try_from(place + 1).ok().and_then(SubagentNumber::new)
    }

    fn name(&self, subagent: Option<SubagentNumber>) -> AuthorName<'_> {
        let id = subagent.and_then(|number| self.subagents.get_index(number.get() as usize - 1));
        AuthorName(id.map(ShortText::as_str))
    }

    /// The event names `subagent` as the owner of something that has another one, which is reported once.
    fn conflict(
        &mut self,
        family: Family,
        id: &str,
        subagent: Option<SubagentNumber>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        let Some(owner) = self.owners[family as usize].get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut owner.is_reported, true) {
            return;
        }
        let Owner {
            subagent: earlier,
            by,
            ..
        } = *owner;
        let (whose, noun, id, owner) = (
            self.name(subagent),
            family.noun(),
            shown(id),
            self.name(earlier),
        );
        let words =
            format_args!("is of {whose}, but the {noun} `{id}` is of {owner}, as {by} says");
        violations.add(EventOrderRule::OtherSubagent, Some(by), words);
    }
}
