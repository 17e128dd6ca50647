//! The rules about steps. A subagent may have a step of the same name as its parent.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::EventOrderRule;
use super::violations::{AuthorName, EventViolations, Named, UnfinishedItem};
use crate::event_kind::EventRef;

/// The events that started open steps, by the name of the step and its owner.
#[derive(Debug, Default)]
pub(super) struct OpenSteps(HashMap<String, IndexMap<Option<String>, EventRef>>);

impl OpenSteps {
    /// The event starts a step of `subagent`, or of the agent itself.
    pub(super) fn start(
        &mut self,
        name: &str,
        subagent: Option<&str>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        let owners = self.0.entry(name.to_owned()).or_default();
        let started = *owners
            .entry(subagent.map(str::to_owned))
            .or_insert(violations.event);
        if started != violations.event {
            let words = format_args!(
                "starts {}, which is open since {started}",
                step(name, subagent)
            );
            violations.add(EventOrderRule::StepAlreadyOpen, Some(started), words);
        }
    }

    /// The event finishes a step.
    pub(super) fn finish(
        &mut self,
        name: &str,
        subagent: Option<&str>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        let what = step(name, subagent);
        let Some(owners) = self.0.get_mut(name) else {
            let words = format_args!("finishes {what}, which is not open");
            return violations.add(EventOrderRule::StepNotOpen, None, words);
        };
        if owners.swap_remove(&subagent.map(str::to_owned)).is_some() {
            if owners.is_empty() {
                self.0.remove(name);
            }
        } else if let Some((other, started)) = owners.first() {
            let whose = AuthorName(other.as_deref());
            let words = format_args!(
                "finishes {what}, but the step that is open is of {whose}, as {started} says"
            );
            violations.add(EventOrderRule::StepNotOpen, Some(*started), words);
        }
    }

    /// The steps that are open when the run finishes.
    pub(super) fn left(&self) -> impl Iterator<Item = UnfinishedItem<'_>> {
        self.0.iter().flat_map(|(name, owners)| {
            owners.iter().map(move |(owner, begun)| UnfinishedItem {
                rule: EventOrderRule::StepStillOpen,
                begun: *begun,
                what: step(name, owner.as_deref()),
            })
        })
    }
}

fn step<'a>(name: &'a str, subagent: Option<&'a str>) -> Named<'a> {
    Named {
        noun: "step",
        id: name,
        subagent,
    }
}
