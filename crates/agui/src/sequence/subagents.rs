//! The rules about subagents. The id of one identifies one invocation: no other has it.

use std::collections::HashMap;

use super::EventOrderRule;
use super::violations::{EventViolations, Named, UnfinishedItem};
use crate::event_kind::EventRef;
use crate::warnings::shown;

#[derive(Debug)]
struct Subagent {
    started: EventRef,
    ended: Option<EventRef>,
}

/// The subagents that started, by id. Events may name others: no rule requires `SUBAGENT_STARTED`.
#[derive(Debug, Default)]
pub(super) struct StartedSubagents(HashMap<String, Subagent>);

impl StartedSubagents {
    /// The event starts a subagent.
    pub(super) fn start(
        &mut self,
        id: &str,
        parent: Option<&str>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        if let Some(subagent) = self.0.get(id) {
            let started = subagent.started;
            let words = format_args!("starts {}, which {started} had started", named(id));
            return violations.add(EventOrderRule::SubagentStartedTwice, Some(started), words);
        }
        if let Some(parent) = parent.filter(|parent| !self.0.contains_key(*parent)) {
            let words = format_args!(
                "starts {} below `{}`, which never started",
                named(id),
                shown(parent)
            );
            violations.add(EventOrderRule::SubagentUnknownParent, None, words);
        }
        self.0.insert(
            id.to_owned(),
            Subagent {
                started: violations.event,
                ended: None,
            },
        );
    }

    /// The event ends a subagent.
    pub(super) fn end(&mut self, id: &str, violations: &mut EventViolations<'_, '_>) {
        let rule = EventOrderRule::SubagentNotRunning;
        match self.0.get_mut(id) {
            None => violations.add(
                rule,
                None,
                format_args!("ends {}, which never started", named(id)),
            ),
            Some(Subagent {
                ended: Some(ended), ..
            }) => {
                let words = format_args!("ends {}, which had ended with {ended}", named(id));
                violations.add(rule, Some(*ended), words);
            }
            Some(subagent) => subagent.ended = Some(violations.event),
        }
    }

    /// The subagents that run when the run finishes.
    pub(super) fn left(&self) -> impl Iterator<Item = UnfinishedItem<'_>> {
        let running = self
            .0
            .iter()
            .filter(|(_, subagent)| subagent.ended.is_none());
        running.map(|(id, subagent)| UnfinishedItem {
            rule: EventOrderRule::SubagentStillRunning,
            begun: subagent.started,
            what: named(id),
        })
    }
}

fn named(id: &str) -> Named<'_> {
    Named {
        noun: "subagent",
        id,
        subagent: None,
    }
}
