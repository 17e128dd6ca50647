//! The ledger of a conversation: what was not understood, by its name, and where it was (SPEC 13).
//!
//! **Invariant:** its size has a limit, and whatever is omitted counts as anything.

use std::fmt;

use indexmap::IndexMap;
use serde_json::Value;

use super::fact::{Fact, Facts};
use super::possible_facts::UnreadCall;
use super::unread::{Unread, UnreadForm, possible};
use crate::trace::EventNumber;
use ananke_base::text::ShortText;

/// The most kinds of unread things that are kept; all others are one that may be anything.
const MAX_KINDS: usize = 1000;

/// The most places of each kind that are kept.
const MAX_PLACES: usize = 3;

/// The things in a conversation that were not understood.
#[derive(Debug, Default)]
pub struct Ledger {
    kinds: IndexMap<ShortText, UnreadKind>,
    /// Names that the target knows, with the number of times each was silenced.
    known: Vec<(KnownName, u64)>,
}

/// Unread things of one name.
#[derive(Debug)]
pub struct UnreadKind {
    /// The facts that they may be.
    pub facts: Facts,
    /// Whether their form is known.
    pub form: UnreadForm<'static>,
    /// The detail of them: a quote of the first, or the reason why it could not be read.
    pub detail: String,
    /// The number of them.
    pub count: u64,
    /// The events of the first ones.
    pub places: Vec<EventNumber>,
    /// The turns that have one, counted from 0, in order.
    turns: Vec<u32>,
}

/// Something that is left unread on purpose: a name, in which `*` is any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName(String);

/// The novelty of something that a ledger gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// It is the first of its name.
    First,
    /// There are others of its name, or the target knows it.
    Again,
}

impl KnownName {
    /// The name, or all names that the pattern matches.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Whether it is this name, or the pattern matches it.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
            return false;
        };
        let (mut rest, mut parts) = (rest, parts.peekable());
        if parts.peek().is_none() {
            return rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return rest.ends_with(part);
            }
            let Some(place) = rest.find(part) else {
                return false;
            };
            rest = &rest[place + part.len()..];
        }
        true
    }
}

impl Ledger {
    /// An empty ledger, in which these names do not count.
    pub(crate) fn knowing(known: &[KnownName]) -> Self {
        Self {
            known: known.iter().map(|name| (name.clone(), 0)).collect(),
            ..Self::default()
        }
    }

    /// Adds something unread.
    pub(crate) fn enter(&mut self, unread: Unread<'_>, place: EventNumber) -> Entered {
        if let UnreadForm::Unknown(_) = unread.form
            && let Some((_, count)) = self
                .known
                .iter_mut()
                .find(|(name, _)| name.matches(&unread.name))
        {
            *count += 1;
            return Entered::Again;
        }
        let turn = place.turn.saturating_sub(1);
        if let Some(kind) = self.kinds.get_mut(&*unread.name) {
            kind.facts = kind.facts | unread.facts;
            if kind.form != unread.form && kind.tool() != unread.form.tool() {
                // Things of one name are about several tools: they may be about any.
                kind.form = UnreadForm::Unknown(UnreadCall::default());
            }
            kind.count += 1;
            if kind.places.len() < MAX_PLACES {
                kind.places.push(place);
            }
            if kind.turns.last() != Some(&turn) {
                kind.turns.push(turn);
            }
            return Entered::Again;
        }
        let Unread {
            name,
            facts,
            form,
            detail,
            violates: _,
        } = match self.kinds.len() {
            MAX_KINDS.. => Unread {
                name: "more".into(),
                facts: Facts::ALL,
                form: UnreadForm::Known { tool: None },
                detail: "more kinds of unread things than are listed".into(),
                violates: None,
            },
            _ => unread.into_owned(),
        };
        let kind = UnreadKind {
            facts,
            form,
            detail: detail.into_owned(),
            count: 1,
            places: vec![place],
            turns: vec![turn],
        };
        self.kinds.insert(name.as_ref().into(), kind);
        Entered::First
    }

    /// The unread things of a turn, counted from 0, or of all turns, that may be one of the facts `needed`, each with its
    /// name. Those of a tool count if the rule is about these facts of it.
    pub fn about<'l>(
        &'l self,
        turn: Option<usize>,
        needed: Facts,
        is_about: &'l dyn Fn(&str, Facts) -> bool,
    ) -> impl Iterator<Item = (&'l str, &'l UnreadKind)> {
        let is_in = move |kind: &UnreadKind| match turn {
            None => true,
            Some(turn) => kind.turns.iter().any(|of| *of as usize == turn),
        };
        // What looks at every event looks at those too that are not understood. A request to a model is no event.
        let meets = move |kind: &UnreadKind| {
            let may_be_event = needed.has(Fact::Events) && kind.facts.meets(Facts::OF_AGENT);
            kind.facts.meets(needed) || may_be_event
        };
        self.kinds().filter(move |(_, kind)| {
            let is_of_rule = |tool| is_about(tool, kind.facts);
            is_in(kind) && meets(kind) && kind.tool().is_none_or(is_of_rule)
        })
    }

    /// The unread things, each with its name, in the order in which they came.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, &UnreadKind)> {
        self.kinds.iter().map(|(name, kind)| (name.as_str(), kind))
    }

    /// The names that the target knows, each with the number of times that it silenced something.
    pub fn silenced(&self) -> impl Iterator<Item = (&str, u64)> {
        let used = self.known.iter().filter(|(_, count)| *count > 0);
        used.map(|(name, count)| (name.0.as_str(), *count))
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}

impl UnreadKind {
    /// The reason why a rule that may be about it is neither passed nor failed.
    pub fn sentence(&self, name: &str) -> String {
        format!("`{name}`{} was not read{self}", self.place())
    }

    /// The line of the target that silences it, to be written after its sentence; empty if nothing does.
    pub(crate) fn remedy(&self, name: &str) -> String {
        match self.form {
            UnreadForm::Known { .. } => String::new(),
            UnreadForm::Unknown(_) => {
                let name = Value::from(name);
                format!("; if it is not, `known: [{name}]` in the target silences it")
            }
        }
    }

    fn tool(&self) -> Option<&str> {
        self.form.tool()
    }

    fn place(&self) -> String {
        self.places.first().map_or_else(String::new, |place| {
            format!(" (turn {}, event #{})", place.turn, place.number)
        })
    }
}

impl fmt::Display for UnreadKind {
    /// Writes what it may be, after a sentence that names it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            UnreadForm::Known { .. } => write!(formatter, ": {}", self.detail),
            UnreadForm::Unknown(_) => write!(formatter, ", and may be {}", possible(self.facts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(name: &str, facts: Facts) -> Unread<'_> {
        Unread {
            name: name.into(),
            facts,
            form: UnreadForm::Unknown(UnreadCall::default()),
            detail: "{}".into(),
            violates: None,
        }
    }

    /// An event of the turn at this index.
    fn place(index: u32) -> EventNumber {
        EventNumber {
            turn: index + 1,
            number: 4,
        }
    }

    const TEXT: Facts = Facts::of(&[Fact::Text]);

    #[test]
    fn kinds_are_counted_and_their_first_places_kept() {
        let mut ledger = Ledger::default();
        for turn in [0, 0, 2, 2, 2] {
            ledger.enter(unread("event:A", TEXT), place(turn));
        }
        let (name, kind) = ledger.kinds().next().expect("a kind");
        assert_eq!(
            (name, kind.count, kind.places.len()),
            ("event:A", 5, MAX_PLACES)
        );
        let any = |_: &str, _: Facts| true;
        let about = |turn, needed| ledger.about(turn, needed, &any).count();
        assert_eq!(
            [
                about(Some(0), TEXT),
                about(Some(1), TEXT),
                about(None, TEXT)
            ],
            [1, 0, 1]
        );
        assert_eq!(about(None, Facts::of(&[Fact::State])), 0);
        assert_eq!(about(None, Facts::of(&[Fact::Events])), 1);
        assert_eq!(
            kind.sentence(name),
            "`event:A` (turn 1, event #4) was not read, and may be text"
        );
        assert_eq!(
            kind.remedy("event:\"A\""),
            "; if it is not, `known: [\"event:\\\"A\\\"\"]` in the target silences it"
        );
    }

    #[test]
    fn what_is_left_out_may_be_anything() {
        let mut ledger = Ledger::default();
        for number in 0..=MAX_KINDS + 5 {
            ledger.enter(unread(&format!("event:{number}"), TEXT), place(0));
        }
        assert_eq!(ledger.kinds().count(), MAX_KINDS + 1);
        let any = |_: &str, _: Facts| true;
        assert_eq!(
            ledger.about(None, Facts::of(&[Fact::State]), &any).count(),
            1
        );
    }

    #[test]
    fn names_that_the_target_knows_do_not_count_unless_they_belong_to_a_call() {
        let mut ledger =
            Ledger::knowing(&[KnownName::new("event:S*"), KnownName::new("arguments:*")]);
        ledger.enter(unread("event:SUGGESTIONS", TEXT), place(0));
        ledger.enter(Unread::arguments("pay", "not JSON"), place(0));
        assert_eq!(
            ledger.kinds().map(|(name, _)| name).collect::<Vec<_>>(),
            ["arguments:pay"]
        );
        assert_eq!(ledger.silenced().collect::<Vec<_>>(), [("event:S*", 1)]);
        let is_refund = |tool: &str, _: Facts| tool == "refund";
        assert_eq!(ledger.about(None, Facts::ALL, &is_refund).count(), 0);
    }

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, is_match) in [
            ("event:A", "event:A", true),
            ("event:A", "event:AB", false),
            ("event:*", "event:", true),
            ("*:choices[].x", "key:choices[].x", true),
            ("key:*.x", "key:a.b.x", true),
            ("key:*.x", "key:a.x.b", false),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("**", "x", true),
        ] {
            assert_eq!(
                KnownName::new(pattern).matches(name),
                is_match,
                "{pattern} {name}"
            );
        }
    }
}
