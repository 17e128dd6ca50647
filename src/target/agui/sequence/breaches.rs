//! Where breaches of the rules are told: each names its event, and there is an end to it.

use std::borrow::Cow;
use std::fmt::Display;

use super::event::Event;
use super::rule::SequenceRule;
use crate::target::agui::speech::Tell;
use crate::trace::Change;

/// How many breaches of one exchange are told; the order of its events is not looked at any more then, since a stream
/// can break it without end.
pub(super) const TOLD: usize = 100;

/// Tells the breaches of one event.
pub(super) struct Breaches<'a, 't> {
    /// The event that is looked at.
    pub(super) event: Event,
    /// How many were told in this exchange.
    pub(super) told: &'a mut usize,
    /// Whether the server says that it speaks 1.0.
    pub(super) is_1_0: bool,
    pub(super) tell: &'a mut Tell<'t>,
}

impl Breaches<'_, '_> {
    /// The event breaks `rule`, in conflict with `against`, where that is another event. `words` follow the name of the
    /// event.
    pub(super) fn add(&mut self, rule: SequenceRule, against: Option<Event>, words: impl Display) {
        if *self.told > TOLD || rule.came_with_1_0() && !self.is_1_0 {
            return;
        }
        *self.told += 1;
        if *self.told > TOLD {
            let words = "the order of the events is no longer looked at: it was broken too often";
            (self.tell)(Change::Warning(Cow::Borrowed(words)));
            return;
        }
        let events = [Some(self.event), against].into_iter().flatten();
        (self.tell)(Change::Violation {
            rule: rule.as_str(),
            message: Cow::Owned(format!("{} {words}", self.event)),
            events: events.map(|event| event.number).collect(),
        });
    }
}
