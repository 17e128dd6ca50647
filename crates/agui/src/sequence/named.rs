//! The names of items and their owners in the messages of violations.

use std::fmt;

use super::rule::EventOrderRule;
use crate::event_kind::EventRef;
use crate::warnings::shown;

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
