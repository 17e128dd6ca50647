//! The mode `only`: nothing may come that no step allows. Violated as soon as it does.

use std::collections::BTreeSet;

use super::step::Step;
use super::steps::Steps;
use super::walk::message;
use crate::describe::{said, short};
use crate::evaluation::{Evidence, Finding, Judgement, Moment, Monitor, View};
use crate::select::{ArgumentReading, Mismatches};
use crate::steps::Item;
use ananke_model::model::MessageRole;
use ananke_trace::trace::Delta;

/// Checks whatever comes.
pub(super) struct Only {
    steps: Steps,
    /// The order of the newest result that was checked: a call that fails later is reported as answered again.
    newest: u32,
    /// Results of which only the end of the turn shows whether they match.
    late: Vec<usize>,
    /// Calls of which only the end of the scope shows whether they match.
    undecided: Vec<usize>,
    /// Messages that were reported: one that goes on after its end closes again.
    reported: BTreeSet<usize>,
}

impl Only {
    pub(super) fn new(steps: Steps) -> Self {
        Self {
            steps,
            newest: 0,
            late: Vec::new(),
            undecided: Vec::new(),
            reported: BTreeSet::new(),
        }
    }
}

impl Monitor for Only {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let kinds = self.steps.kinds;
        let finding = match moment {
            Moment::Touched(Delta::CallStarted(call))
                if kinds.calls && self.is_decided_late(view, call) =>
            {
                self.undecided.extend(view.counts(call).then_some(call));
                None
            }
            Moment::Touched(Delta::ArgsDone(call)) if self.is_decided_late(view, call) => None,
            Moment::Touched(Delta::CallStarted(call)) if kinds.calls && view.counts(call) => {
                // What its arguments must be is known when they are complete.
                let waits = self
                    .steps_about(view, Item::Call(call))
                    .any(|step| step.has_args());
                if waits {
                    None
                } else {
                    self.check(view, Item::Call(call))
                }
            }
            Moment::Touched(Delta::ArgsDone(call)) if kinds.calls && view.counts(call) => {
                let waited = self
                    .steps_about(view, Item::Call(call))
                    .any(|step| step.has_args());
                if waited {
                    self.check(view, Item::Call(call))
                } else {
                    None
                }
            }
            Moment::Touched(Delta::Answered(call)) if kinds.results && view.was_answered(call) => {
                self.answered(view, call)
            }
            Moment::Touched(Delta::MessageClosed(index)) => match message(view, kinds, index) {
                Some(item) if !self.reported.contains(&index) => {
                    let finding = self.check(view, item);
                    self.reported.extend(finding.is_some().then_some(index));
                    finding
                }
                Some(_) | None => None,
            },
            Moment::TurnEnd => return self.turn_end(view),
            Moment::ScopeEnd | Moment::TestEnd => return self.scope_end(view),
            Moment::Touched(_) => None,
        };
        finding.map_or(Judgement::Open, Judgement::failed)
    }
}

impl Only {
    fn steps_about<'s>(&'s self, view: &'s View<'_>, item: Item) -> impl Iterator<Item = &'s Step> {
        self.steps
            .all
            .iter()
            .filter(move |step| step.is_about(view.trace, item))
    }

    fn answered(&mut self, view: &View<'_>, call: usize) -> Option<Finding> {
        let order = view.trace.calls[call]
            .result()
            .map_or(0, |result| result.order);
        if order <= self.newest {
            return None;
        }
        self.newest = order;
        if self
            .steps_about(view, Item::Result(call))
            .any(|step| step.is_provisional())
        {
            self.late.push(call);
            return None;
        }
        self.check(view, Item::Result(call))
    }

    /// Checks what could not be checked before, and what the user said, which no event reports.
    fn turn_end(&mut self, view: &View<'_>) -> Judgement {
        let late = std::mem::take(&mut self.late).into_iter().map(Item::Result);
        let said = view
            .trace
            .turns
            .last()
            .map(|turn| turn.messages.clone())
            .unwrap_or_default();
        let said = said.filter_map(|index| message(view, self.steps.kinds, index));
        let said = said.filter(|item| {
            matches!(
                item,
                Item::Message {
                    by: MessageRole::User,
                    ..
                }
            )
        });
        let findings: Vec<Finding> = late
            .chain(said)
            .filter_map(|item| self.check(view, item))
            .collect();
        Judgement::open_or(findings)
    }

    /// Checks the calls of which their status or result decides.
    fn scope_end(&mut self, view: &View<'_>) -> Judgement {
        let undecided = std::mem::take(&mut self.undecided)
            .into_iter()
            .map(Item::Call);
        let findings: Vec<Finding> = undecided
            .filter_map(|item| self.check(view, item))
            .collect();
        Judgement::open_or(findings).or(Judgement::Passed)
    }

    /// Whether a step about such a call looks at its status or result.
    fn is_decided_late(&self, view: &View<'_>, call: usize) -> bool {
        self.steps_about(view, Item::Call(call))
            .any(|step| step.awaits_result())
    }

    fn check(&self, view: &View<'_>, item: Item) -> Option<Finding> {
        let trace = view.trace;
        let steps = &self.steps.all;
        if steps
            .iter()
            .any(|step| step.matches(trace, item, ArgumentReading::Every))
        {
            return None;
        }
        let nearest = steps.iter().filter_map(|step| step.mismatches(trace, item));
        let nearest = nearest.min_by_key(Mismatches::weight);
        let focus = nearest.as_ref().map(Mismatches::focus).unwrap_or_default();
        let (what, evidence) = match item {
            Item::Message { index, by } => {
                let whose = if by == MessageRole::User {
                    "the user"
                } else {
                    trace.peer.noun()
                };
                let text = short(&trace.messages[index].text);
                (
                    format!("{whose} said something that no step allows"),
                    Evidence::Words(said(&text)),
                )
            }
            Item::Call(index) | Item::Result(index) => {
                let name = short(&trace.calls[index].name);
                let what = if item == Item::Call(index) {
                    format!("`{name}` was called, which no step allows")
                } else {
                    format!("`{name}` was answered in a way that no step allows")
                };
                (
                    what,
                    Evidence::Call {
                        index,
                        focus,
                        is_closest: false,
                    },
                )
            }
        };
        Some(Finding {
            message: what,
            expected: self.steps.expected.clone(),
            evidence: vec![evidence],
            events: vec![item.event(trace)],
            ..Finding::default()
        })
    }
}
