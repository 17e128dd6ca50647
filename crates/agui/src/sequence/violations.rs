//! Reports the violations of one event, as long as there are not too many in the exchange.

use std::borrow::Cow;
use std::fmt::Display;

use super::rule::EventOrderRule;
use crate::event_kind::EventRef;
use crate::listeners::ChangeListener;
use ananke_trace::trace::Change;

/// The number of violations of one exchange that are reported. After them the order of its events is no longer checked: a
/// stream can violate it without end.
pub(super) const MAX_REPORTED: usize = 100;

/// The violations of one event.
pub(super) struct EventViolations<'a, 't> {
    /// The event that is checked.
    pub(super) event: EventRef,
    /// The number of violations that were reported in this exchange.
    pub(super) reported: usize,
    /// Whether the server says that it speaks 1.0.
    pub(super) is_1_0: bool,
    pub(super) tell: &'a mut ChangeListener<'t>,
}

impl EventViolations<'_, '_> {
    /// The event violates `rule`, and conflicts with `against`, if that is another event. `words` follow the name of the
    /// event.
    pub(super) fn add(
        &mut self,
        rule: EventOrderRule,
        against: Option<EventRef>,
        words: impl Display,
    ) {
        if self.reported > MAX_REPORTED || rule.came_with_1_0() && !self.is_1_0 {
            return;
        }
        self.reported += 1;
        if self.reported > MAX_REPORTED {
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
