//! The mode `only`: nothing may come that no step allows. Violated as soon as it does.

use std::collections::BTreeSet;

use super::step::{Step, Steps};
use super::walk::includes_message;
use crate::describe::{said, short};
use crate::evaluation::{CountedCalls, Evidence, Finding, Judgement, Moment, Monitor, View};
use crate::select::{ArgumentReading, Mismatches};
use ananke_trace::trace::{Delta, MessageKind, TraceItem};

/// Checks whatever comes.
pub(super) struct Only {
    steps: Steps,
    /// The order of the newest result that was checked: a call that fails later is reported as answered again.
    newest: u64,
    /// Results of which only the end of the turn shows whether they match.
    late: Vec<usize>,
    /// Calls of which only the end of the scope shows whether they match.
    undecided: Vec<usize>,
    /// Messages that were reported: one that goes on after its end closes again.
    reported: BTreeSet<usize>,
    /// The calls that steps allow, when the rule has passed.
    allowed: Vec<usize>,
}

impl Only {
    pub(super) fn new(steps: Steps) -> Self {
        Self {
            steps,
            newest: 0,
            late: Vec::new(),
            undecided: Vec::new(),
            reported: BTreeSet::new(),
            allowed: Vec::new(),
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
                    .steps_about(view, TraceItem::Call(call))
                    .any(|step| step.has_args());
                if waits {
                    None
                } else {
                    self.check(view, TraceItem::Call(call))
                }
            }
            Moment::Touched(Delta::ArgsDone(call)) if kinds.calls && view.counts(call) => {
                let waited = self
                    .steps_about(view, TraceItem::Call(call))
                    .any(|step| step.has_args());
                if waited {
                    self.check(view, TraceItem::Call(call))
                } else {
                    None
                }
            }
            Moment::Touched(Delta::Answered(call)) if kinds.results && view.was_answered(call) => {
                self.answered(view, call)
            }
            Moment::Touched(Delta::MessageClosed(index))
                if includes_message(view, kinds, index) && !self.reported.contains(&index) =>
            {
                let finding = self.check(view, TraceItem::Message(index));
                self.reported.extend(finding.is_some().then_some(index));
                finding
            }
            Moment::TurnEnd => return self.turn_end(view),
            Moment::ScopeEnd | Moment::TestEnd => return self.scope_end(view),
            Moment::Touched(_) => None,
        };
        finding.map_or(Judgement::Open, Judgement::failed)
    }

    fn counted_calls(&self) -> CountedCalls {
        CountedCalls {
            covered: self.allowed.clone(),
            ..CountedCalls::default()
        }
    }
}

impl Only {
    fn steps_about<'s>(
        &'s self,
        view: &'s View<'_>,
        item: TraceItem,
    ) -> impl Iterator<Item = &'s Step> {
        self.steps
            .all
            .iter()
            .filter(move |step| step.is_about(view.trace, item))
    }

    fn answered(&mut self, view: &View<'_>, call: usize) -> Option<Finding> {
        let result = view.trace.last_result(call)?;
        let order = result.order(view.trace);
        if order <= self.newest {
            return None;
        }
        self.newest = order;
        if self
            .steps_about(view, result)
            .any(|step| step.is_provisional())
        {
            self.late.push(call);
            return None;
        }
        self.check(view, result)
    }

    /// Checks what could not be checked before, and what the user said, which no event reports.
    fn turn_end(&mut self, view: &View<'_>) -> Judgement {
        let trace = view.trace;
        let late = std::mem::take(&mut self.late).into_iter();
        let late = late.filter_map(|call| trace.last_result(call));
        let log = trace.log_of(trace.turns.len().saturating_sub(1));
        let said = log.iter().copied().filter(|item| {
            matches!(*item, TraceItem::Message(index)
                if trace.messages[index].role == MessageKind::User
                    && includes_message(view, self.steps.kinds, index))
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
            .map(TraceItem::Call);
        let findings: Vec<Finding> = undecided
            .filter_map(|item| self.check(view, item))
            .collect();
        if findings.is_empty() && self.steps.kinds.calls {
            self.allowed.extend(view.calls());
        }
        Judgement::open_or(findings).or(Judgement::Passed)
    }

    /// Whether a step about such a call looks at its status or result.
    fn is_decided_late(&self, view: &View<'_>, call: usize) -> bool {
        self.steps_about(view, TraceItem::Call(call))
            .any(|step| step.awaits_result())
    }

    fn check(&self, view: &View<'_>, item: TraceItem) -> Option<Finding> {
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
        let how = match item {
            TraceItem::Call(_) => ", which no step allows",
            TraceItem::Result { .. } => " in a way that no step allows",
            TraceItem::Message(_)
            | TraceItem::Answer { .. }
            | TraceItem::State(_)
            | TraceItem::ModelCall(_) => " that no step allows",
        };
        let evidence = if let Some(index) = item.call() {
            Evidence::Call {
                index,
                focus,
                is_closest: false,
            }
        } else {
            let message = item.message(trace);
            let text = message.map_or_else(String::new, |message| short(&message.text));
            Evidence::Words(said(&text))
        };
        Some(Finding {
            message: view.describe(item) + how,
            expected: self.steps.expected.clone(),
            evidence: vec![evidence],
            events: item.event(trace).into_iter().collect(),
            ..Finding::default()
        })
    }
}
