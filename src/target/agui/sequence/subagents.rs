//! The subagents of a run. The id of one stands for one invocation, so that it is never used again.

use std::collections::HashMap;

use super::breaches::Breaches;
use super::event::Event;
use super::rule::SequenceRule;
use super::things::{Left, Named};
use crate::target::agui::speech::shown;

#[derive(Debug)]
struct Subagent {
    started: Event,
    ended: Option<Event>,
}

/// The subagents that said they start, by id. Others may still be named: nobody has to say so.
#[derive(Debug, Default)]
pub(super) struct Subagents(HashMap<String, Subagent>);

impl Subagents {
    /// The event starts a subagent.
    pub(super) fn start(&mut self, id: &str, parent: Option<&str>, breaches: &mut Breaches<'_, '_>) {
        if let Some(subagent) = self.0.get(id) {
            let started = subagent.started;
            let words = format_args!("starts {}, which {started} had started", named(id));
            return breaches.add(SequenceRule::SubagentStartedTwice, Some(started), words);
        }
        if let Some(parent) = parent.filter(|parent| !self.0.contains_key(*parent)) {
            let words = format_args!("starts {} below `{}`, which never started", named(id), shown(parent));
            breaches.add(SequenceRule::SubagentUnknownParent, None, words);
        }
        self.0.insert(id.to_owned(), Subagent { started: breaches.event, ended: None });
    }

    /// The event ends a subagent.
    pub(super) fn end(&mut self, id: &str, breaches: &mut Breaches<'_, '_>) {
        let rule = SequenceRule::SubagentNotRunning;
        match self.0.get_mut(id) {
            None => breaches.add(rule, None, format_args!("ends {}, which never started", named(id))),
            Some(Subagent { ended: Some(ended), .. }) => {
                let words = format_args!("ends {}, which had ended with {ended}", named(id));
                breaches.add(rule, Some(*ended), words);
            }
            Some(subagent) => subagent.ended = Some(breaches.event),
        }
    }

    /// What runs.
    pub(super) fn left(&self) -> impl Iterator<Item = Left<'_>> {
        let running = self.0.iter().filter(|(_, subagent)| subagent.ended.is_none());
        running.map(|(id, subagent)| Left {
            rule: SequenceRule::SubagentStillRunning,
            begun: subagent.started,
            what: named(id),
        })
    }
}

fn named(id: &str) -> Named<'_> {
    Named { noun: "subagent", id, subagent: None }
}
