//! The mode `only`: nothing may come that no step allows. Broken as soon as it does.

use std::collections::BTreeSet;

use super::sequence::Watching;
use super::step::Fitting;
use super::walk::{Item, message};
use crate::assertion::describe::{said, short};
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};
use crate::assertion::select::Misfits;
use crate::model::SaidBy;
use crate::trace::Delta;

/// Looks at whatever comes.
#[derive(Debug)]
pub struct Only {
    watching: Watching,
    /// The place of the newest result that was looked at: a call that fails later is told as answered again.
    newest: u32,
    /// Results of which the end of the turn tells whether they fit.
    late: Vec<usize>,
    /// Messages that were refused: one that goes on after its end closes again.
    refused: BTreeSet<usize>,
}

impl Only {
    pub(crate) fn new(watching: Watching) -> Self {
        Self { watching, newest: 0, late: Vec::new(), refused: BTreeSet::new() }
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let kinds = self.watching.kinds;
        let finding = match moment {
            Moment::Touched(Delta::CallStarted(call)) if kinds.calls && scope.counts(call) => {
                // What its arguments must be is known when they are complete.
                let waits = self.steps_about(scope, Item::Call(call)).any(Fitting::has_args);
                if waits { None } else { self.look(scope, Item::Call(call)) }
            }
            Moment::Touched(Delta::ArgsDone(call)) if kinds.calls && scope.counts(call) => {
                let waited = self.steps_about(scope, Item::Call(call)).any(Fitting::has_args);
                if waited { self.look(scope, Item::Call(call)) } else { None }
            }
            Moment::Touched(Delta::Answered(call)) if kinds.results && scope.is_answered(call) => {
                self.answered(scope, call)
            }
            Moment::Touched(Delta::MessageClosed(index)) => match message(scope, kinds, index) {
                Some(item) if !self.refused.contains(&index) => {
                    let finding = self.look(scope, item);
                    self.refused.extend(finding.is_some().then_some(index));
                    finding
                }
                Some(_) | None => None,
            },
            Moment::TurnEnd => return self.turn_end(scope),
            Moment::HomeEnd | Moment::TestEnd => return Judgement::Holds,
            Moment::Touched(_) => None,
        };
        finding.map_or(Judgement::Open, Judgement::broken)
    }

    fn steps_about<'s>(&'s self, scope: &'s Scope<'_>, item: Item) -> impl Iterator<Item = &'s Fitting> {
        self.watching.steps.iter().filter(move |step| step.is_about(scope.trace, item))
    }

    fn answered(&mut self, scope: &Scope<'_>, call: usize) -> Option<Finding> {
        let came = scope.trace.calls[call].result().map_or(0, |result| result.order);
        if came <= self.newest {
            return None;
        }
        self.newest = came;
        if self.steps_about(scope, Item::Result(call)).any(Fitting::may_turn) {
            self.late.push(call);
            return None;
        }
        self.look(scope, Item::Result(call))
    }

    /// Looks at what could not be told before, and at what the user said: nothing tells when that was.
    fn turn_end(&mut self, scope: &Scope<'_>) -> Judgement {
        let late = std::mem::take(&mut self.late).into_iter().map(Item::Result);
        let said = scope.trace.turns.last().map(|turn| turn.messages.clone()).unwrap_or_default();
        let said = said.filter_map(|index| message(scope, self.watching.kinds, index));
        let said = said.filter(|item| matches!(item, Item::Message { by: SaidBy::User, .. }));
        let findings: Vec<Finding> = late.chain(said).filter_map(|item| self.look(scope, item)).collect();
        if findings.is_empty() { Judgement::Open } else { Judgement::Broken(findings) }
    }

    fn look(&self, scope: &Scope<'_>, item: Item) -> Option<Finding> {
        let trace = scope.trace;
        let steps = &self.watching.steps;
        if steps.iter().any(|step| step.fits(trace, item)) {
            return None;
        }
        let nearest = steps.iter().filter_map(|step| step.misfits(trace, item));
        let nearest = nearest.min_by_key(Misfits::weight);
        let misfits = nearest.as_ref().map(Misfits::lines).unwrap_or_default();
        let (what, seen) = match item {
            Item::Message { index, by } => {
                let whose = if by == SaidBy::User { "the user" } else { "the agent" };
                let text = short(&trace.messages[index].text);
                (format!("{whose} said something that no step allows"), Seen::Words(said(&text)))
            }
            Item::Call(index) | Item::Result(index) => {
                let name = short(&trace.calls[index].name);
                let seen = if misfits.is_empty() {
                    Seen::Call { index, misfit: None }
                } else {
                    Seen::Miss { index, misfits, is_closer: false }
                };
                let what = if item == Item::Call(index) {
                    format!("`{name}` was called, which no step allows")
                } else {
                    format!("`{name}` was answered in a way that no step allows")
                };
                (what, seen)
            }
        };
        Some(Finding {
            message: what,
            expected: self.watching.expected.clone(),
            seen: vec![seen],
            events: vec![item.event(trace)],
        })
    }
}
