//! The rule about owners: a message, a call, reasoning or an activity belongs to the agent or subagent that began it.
//! Later events name the same owner, or none. An owner is kept after the end of what it owns, since later events may
//! still name that.

use std::collections::HashMap;

use super::named::AuthorName;
use super::rule::EventOrderRule;
use super::violations::EventViolations;
use crate::target::agui::event::FieldKey;
use crate::target::agui::event_kind::EventRef;
use crate::target::agui::incoming::Incoming;
use crate::target::agui::item::ItemKind;
use crate::target::agui::warnings::shown;
use crate::text::ShortText;

/// What has an owner. Ids are unique within a family; a reasoning span and the message inside it may share one.
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

#[derive(Debug)]
struct Owner {
    /// A subagent's id; the agent itself has none.
    subagent: Option<Box<str>>,
    /// The event that named it.
    by: EventRef,
    /// Whether it was reported that another subagent continues it.
    is_reported: bool,
}

/// The owners of one run.
#[derive(Debug, Default)]
pub(super) struct LaneOwners {
    owners: [HashMap<ShortText, Owner>; Family::COUNT],
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
        let parent = incoming.event.quiet_id(FieldKey::ParentMessageId).filter(|_| kind == ItemKind::Call);
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
        let inherited = self.known(Family::Message, parent).and_then(|owner| owner.subagent.clone());
        let owner = subagent.or(inherited.as_deref());
        match self.known(Family::Call, id) {
            None => self.replace(Family::Call, id, owner, violations.event),
            Some(known) if known.subagent.as_deref() == owner => {}
            Some(known) => known.conflict(Family::Call, id, owner, violations),
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
            && owner.subagent.as_deref() != subagent
        {
            owner.conflict(family, id, subagent, violations);
        }
    }

    /// The event `by` names the owner, and replaces any owner from before.
    pub(super) fn replace(&mut self, family: Family, id: &str, subagent: Option<&str>, by: EventRef) {
        let owner = Owner { subagent: subagent.map(Into::into), by, is_reported: false };
        self.owners[family as usize].insert(id.into(), owner);
    }

    /// Whether the owner of this is known.
    pub(super) fn is_known(&mut self, family: Family, id: &str) -> bool {
        self.known(family, id).is_some()
    }

    /// No owner is known any more.
    pub(super) fn forget(&mut self, by: EventRef) {
        self.known_since = by.number;
    }

    fn known(&mut self, family: Family, id: &str) -> Option<&mut Owner> {
        let since = self.known_since;
        self.owners[family as usize].get_mut(id).filter(|owner| owner.by.number > since)
    }
}

impl Owner {
    fn conflict(
        &mut self,
        family: Family,
        id: &str,
        subagent: Option<&str>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        if std::mem::replace(&mut self.is_reported, true) {
            return;
        }
        let (whose, noun, id, owner) =
            (AuthorName(subagent), family.noun(), shown(id), AuthorName(self.subagent.as_deref()));
        let words = format_args!("is of {whose}, but the {noun} `{id}` is of {owner}, as {} says", self.by);
        violations.add(EventOrderRule::OtherSubagent, Some(self.by), words);
    }
}
