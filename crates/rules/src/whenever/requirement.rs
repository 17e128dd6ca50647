//! Triggers with steps that must follow: decided at the end of the scope, when everything has happened.

use std::collections::HashMap;

use super::finding::{Findings, TriggerViolation};
use super::happening::Happening;
use super::memory::MemoryKey;
use super::related_steps::RunningRule;
use super::tied_step::TiedStep;
use crate::evaluation::{CodedWarning, Judgement, Moment, Monitor, View};
use crate::select::ArgumentReading;
use ananke_trace::outcome::RuleCounts;

/// Looks for what must follow each trigger.
pub(super) struct Requirement {
    parts: RunningRule,
    findings: Findings,
    triggered: u64,
    /// The calls that are nearly the trigger, if there was none.
    near: Vec<CodedWarning>,
}

impl Requirement {
    pub(super) fn new(parts: RunningRule) -> Self {
        Self {
            parts,
            findings: Findings::default(),
            triggered: 0,
            near: Vec::new(),
        }
    }
}

impl Monitor for Requirement {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        if !moment.is_over() {
            return Judgement::Open;
        }
        let triggers = triggers(view, &self.parts);
        self.triggered = triggers.len() as u64;
        if triggers.is_empty() {
            self.near = self.parts.near_triggers(view);
            return Judgement::Passed;
        }
        let mut violations = Vec::new();
        for (index, pattern) in self.parts.patterns.iter().enumerate() {
            let last_of = |group: &Vec<TiedStep>| -> Vec<_> {
                group
                    .iter()
                    .map(|step| last_matches(view, &self.parts, step))
                    .collect()
            };
            let last: Vec<Vec<_>> = pattern.groups.iter().map(last_of).collect();
            for trigger in &triggers {
                let missing = pattern.groups.iter().zip(&last).find(|(group, last)| {
                    !group.iter().zip(*last).any(|(step, last)| {
                        let key = step.tie.of_trigger(view.trace, trigger);
                        let place = key.map(|key| (self.parts.turn_of(trigger), key));
                        place
                            .and_then(|place| last.get(&place))
                            .is_some_and(|last| *last > trigger.order)
                    })
                });
                if let Some(step) = missing.and_then(|(group, _)| group.first()) {
                    let (trigger, step) = (*trigger, step.clone());
                    violations.push(TriggerViolation {
                        trigger,
                        pattern: index,
                        step,
                        cause: None,
                    });
                }
            }
        }
        violations.sort_by_key(|violation| violation.trigger.order);
        let Self {
            parts, findings, ..
        } = self;
        let found: Vec<_> = violations
            .iter()
            .map(|violation| findings.finding(view, parts, violation))
            .collect();
        Judgement::open_or(found).or(Judgement::Passed)
    }

    fn counts(&self) -> Option<RuleCounts> {
        Some(RuleCounts {
            triggered: self.triggered,
            not_checkable: 0,
        })
    }

    fn take_coded_warnings(&mut self) -> Vec<CodedWarning> {
        std::mem::take(&mut self.near)
    }
}

/// The triggers of the rule, in the order in which they happened.
fn triggers(view: &View<'_>, parts: &RunningRule) -> Vec<Happening> {
    let all = Happening::all(view.trace, view.trace.log());
    let triggers = all.filter(|happening| {
        happening.is(&parts.trigger, view.trace, ArgumentReading::Any)
            && happening.is_live(view.trace)
            && view.includes_turn(happening.turn)
            && happening.includes_author(view, view.trace)
    });
    triggers.collect()
}

/// The last match of a step, for each place at which it is looked up.
fn last_matches(view: &View<'_>, parts: &RunningRule, step: &TiedStep) -> HashMap<MemoryKey, u64> {
    let mut last = HashMap::new();
    for happening in Happening::all(view.trace, view.trace.log()) {
        if !step.matches(view.trace, &happening, ArgumentReading::Last)
            || !happening.includes_author(view, view.trace)
        {
            continue;
        }
        if let Some(key) = step.tie.of_step(view.trace, &happening) {
            let order: &mut u64 = last.entry((parts.turn_of(&happening), key)).or_default();
            *order = happening.order.max(*order);
        }
    }
    last
}
