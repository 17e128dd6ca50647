//! Reports the violations of one event, as long as there are not too many in the exchange, and names items and their owners
//! in their messages.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Display;

use super::EventOrderRule;
use crate::{event_kind::EventRef, listeners::ChangeListener, warnings::shown};
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

/// The agent itself, or a subagent by its id.
pub(super) struct AuthorName<'a>(pub(super) Option<&'a str>);

impl fmt::Display for AuthorName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.write_str("the agent itself"),
            Some(id) => write!(formatter, "the subagent `{}`", shown(id)),
        }
    }
}

/// Something by its kind and id: the agent's own, or a subagent's.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) noun: &'static str,
    pub(super) id: &'a str,
    pub(super) subagent: Option<&'a str>,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the {} `{}`", self.noun, shown(self.id))?;
        match self.subagent {
            None => Ok(()),
            Some(_) => write!(formatter, " of {}", AuthorName(self.subagent)),
        }
    }
}

/// Something that is open when the run finishes.
pub(super) struct UnfinishedItem<'a> {
    pub(super) rule: EventOrderRule,
    pub(super) begun: EventRef,
    pub(super) what: Named<'a>,
}
