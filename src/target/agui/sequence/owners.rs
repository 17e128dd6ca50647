//! Whose a message, a call, a thought or an activity is: whoever began it. What goes on with it says the same, or
//! nothing. An owner outlives the end of what it owns, since later events may name that still.

use std::collections::HashMap;
use std::fmt;

use super::breaches::Breaches;
use super::event::Event;
use super::rule::SequenceRule;
use super::things::Thing;
use crate::target::agui::frame::{Frame, Key};
use crate::target::agui::speech::shown;

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

impl From<Thing> for Family {
    fn from(thing: Thing) -> Self {
        match thing {
            Thing::Message => Self::Message,
            Thing::Call => Self::Call,
            Thing::Span | Thing::Thought => Self::Reasoning,
        }
    }
}

/// The agent itself, or a subagent by its id.
pub(super) struct Whose<'a>(pub(super) Option<&'a str>);

impl fmt::Display for Whose<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.write_str("the agent itself"),
            Some(id) => write!(formatter, "the subagent `{}`", shown(id)),
        }
    }
}

#[derive(Debug)]
struct Owner {
    /// A subagent's id; the agent itself has none.
    subagent: Option<String>,
    /// The event that says so.
    by: Event,
    /// Whether it was told that somebody else goes on with it.
    is_told: bool,
}

/// The owners of one run.
#[derive(Debug, Default)]
pub(super) struct Owners {
    owners: [HashMap<String, Owner>; Family::COUNT],
    /// The number of the last snapshot, which may give everything to others, also what it tells of and begins later
    /// without a word about its owner.
    known_since: u32,
}

impl Owners {
    /// The event begins a thing, and may say whose it is.
    pub(super) fn begin(
        &mut self,
        thing: Thing,
        id: &str,
        frame: &Frame<'_>,
        subagent: Option<&str>,
        breaches: &mut Breaches<'_, '_>,
    ) {
        let parent = frame.quiet_id(Key::ParentMessageId).filter(|_| thing == Thing::Call);
        let parent = parent.filter(|parent| self.is_known(Family::Message, parent));
        if let Some(parent) = parent {
            self.begin_call(id, &parent, subagent, breaches);
        } else if self.is_known(thing.into(), id) {
            self.go_on(thing.into(), id, subagent, breaches);
        } else if subagent.is_some() || self.known_since == 0 {
            self.replace(thing.into(), id, subagent, breaches.event);
        }
    }

    /// A call belongs to the message it is part of, so that it has the owner of that.
    fn begin_call(
        &mut self,
        id: &str,
        parent: &str,
        subagent: Option<&str>,
        breaches: &mut Breaches<'_, '_>,
    ) {
        self.go_on(Family::Message, parent, subagent, breaches);
        let inherited = self.known(Family::Message, parent).and_then(|owner| owner.subagent.clone());
        let owner = subagent.or(inherited.as_deref());
        match self.known(Family::Call, id) {
            None => self.replace(Family::Call, id, owner, breaches.event),
            Some(known) if known.subagent.as_deref() == owner => {}
            Some(known) => known.conflict(Family::Call, id, owner, breaches),
        }
    }

    /// The event goes on with something, and may say whose it is.
    pub(super) fn go_on(
        &mut self,
        family: Family,
        id: &str,
        subagent: Option<&str>,
        breaches: &mut Breaches<'_, '_>,
    ) {
        if subagent.is_some()
            && let Some(owner) = self.known(family, id)
            && owner.subagent.as_deref() != subagent
        {
            owner.conflict(family, id, subagent, breaches);
        }
    }

    /// Something is whose the event `by` says, whoever owned it before.
    pub(super) fn replace(&mut self, family: Family, id: &str, subagent: Option<&str>, by: Event) {
        let owner = Owner { subagent: subagent.map(str::to_owned), by, is_told: false };
        self.owners[family as usize].insert(id.to_owned(), owner);
    }

    /// Whether somebody is known to own this.
    pub(super) fn is_known(&mut self, family: Family, id: &str) -> bool {
        self.known(family, id).is_some()
    }

    /// Nobody is known to own anything any more.
    pub(super) fn forget(&mut self, by: Event) {
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
        breaches: &mut Breaches<'_, '_>,
    ) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        let (whose, noun, id, owner) =
            (Whose(subagent), family.noun(), shown(id), Whose(self.subagent.as_deref()));
        let words = format_args!("is of {whose}, but the {noun} `{id}` is of {owner}, as {} says", self.by);
        breaches.add(SequenceRule::OtherSubagent, Some(self.by), words);
    }
}
