//! The subagents of a run. The id of one stands for one invocation, so that it is never used again.

use std::collections::HashMap;

use super::breaches::Breaches;
use super::event::Event;
use super::rule::SequenceRule;
use super::things::Left;
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
            let (id, started) = (shown(id), subagent.started);
            let words = format_args!("starts the subagent `{id}`, which {started} had started");
            return breaches.add(SequenceRule::SubagentStartedTwice, Some(started), words);
        }
        if let Some(parent) = parent.filter(|parent| !self.0.contains_key(*parent)) {
            let (id, parent) = (shown(id), shown(parent));
            let words = format_args!("starts the subagent `{id}` below `{parent}`, which never started");
            breaches.add(SequenceRule::SubagentUnknownParent, None, words);
        }
        self.0.insert(id.to_owned(), Subagent { started: breaches.event, ended: None });
    }

    /// The event ends a subagent.
    pub(super) fn end(&mut self, id: &str, breaches: &mut Breaches<'_, '_>) {
        let rule = SequenceRule::SubagentNotRunning;
        match self.0.get_mut(id) {
            None => breaches.add(
                rule,
                None,
                format_args!("ends the subagent `{}`, which never started", shown(id)),
            ),
            Some(Subagent { ended: Some(ended), .. }) => {
                let words = format_args!("ends the subagent `{}`, which had ended with {ended}", shown(id));
                breaches.add(rule, Some(*ended), words);
            }
            Some(subagent) => subagent.ended = Some(breaches.event),
        }
    }

    /// What runs.
    pub(super) fn left(&self) -> impl Iterator<Item = Left> {
        let running = self.0.iter().filter(|(_, subagent)| subagent.ended.is_none());
        running.map(|(id, subagent)| Left {
            rule: SequenceRule::SubagentStillRunning,
            begun: subagent.started,
            what: format!("the subagent `{}`", shown(id)),
        })
    }
}
