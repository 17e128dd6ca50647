//! Monitors: rules while a test runs.
//!
//! Most rules are checked at one kind of moment; [`at_scope_end`], [`at_turn_end`] and [`at_each_call`] make a monitor
//! of their check.
//!
//! **Why:** A monitor is called at moments and asks the view what it wants to know, and is not handed events: what a rule sees is
//! always the whole conversation so far, so that a rule which is asked late and a rule which is asked at once say the same. A
//! prohibition stops the turn as soon as it is violated, and the others wait for the end of their scope.

use std::fmt;

use super::measure::{Measure, PerMeasure};
use super::setting::Bound;
use super::{CodedWarning, CountedCalls, Finding, Judgement, Moment, View};
use ananke_trace::outcome::RuleCounts;
use ananke_trace::trace::{Delta, TurnRanges};

/// A rule that watches a conversation.
pub(crate) trait Monitor: Send + Sync {
    /// Takes in one moment. It is not called again after it has passed, nor after a requirement has failed.
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement;

    /// The number of times that the rule was triggered, of one that has triggers.
    fn counts(&self) -> Option<RuleCounts> {
        None
    }

    /// Takes what a person should know although the rule passes; the words follow the rule's name and place.
    fn take_warning(&mut self) -> Option<String> {
        None
    }

    /// The calls that it counted, and those that it did not, once it has passed.
    fn counted_calls(&self) -> CountedCalls {
        CountedCalls::default()
    }

    /// Takes the warnings that have a code; each is a failure with `--deny-warnings`, if the rule is written in a file of 1.4.
    fn take_coded_warnings(&mut self) -> Vec<CodedWarning> {
        Vec::new()
    }

    /// Takes over the limits of the turn `turn`, counted from 0, which were unknown when the test started; `separate`
    /// are those that do not count towards the test's total.
    fn set_turn_rules(&mut self, _turn: usize, _limits: &PerMeasure<Bound>, _separate: &[Measure]) {
    }
}

impl fmt::Debug for dyn Monitor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Monitor")
    }
}

/// Checks once, at the end of the rule's scope.
pub(crate) fn at_scope_end(
    check: impl Fn(&View<'_>) -> Judgement + Send + Sync + 'static,
) -> Box<dyn Monitor> {
    Box::new(AtScopeEnd(check))
}

/// Checks once, at the end of the turn.
pub(crate) fn at_turn_end(
    check: impl Fn(&View<'_>, &TurnRanges) -> Judgement + Send + Sync + 'static,
) -> Box<dyn Monitor> {
    Box::new(AtTurnEnd(check))
}

/// Checks every call of the scope as soon as it starts, by its index in the trace; passes at the end of the scope.
pub(crate) fn at_each_call(
    check: impl FnMut(&View<'_>, usize) -> Option<Finding> + Send + Sync + 'static,
) -> Box<dyn Monitor> {
    Box::new(AtEachCall(check))
}

struct AtScopeEnd<C>(C);

impl<C: Fn(&View<'_>) -> Judgement + Send + Sync> Monitor for AtScopeEnd<C> {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        if moment.is_over() {
            (self.0)(view)
        } else {
            Judgement::Open
        }
    }
}

struct AtTurnEnd<C>(C);

impl<C: Fn(&View<'_>, &TurnRanges) -> Judgement + Send + Sync> Monitor for AtTurnEnd<C> {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match view.trace.turns.last() {
            Some(turn) if moment == Moment::TurnEnd => (self.0)(view, turn),
            Some(_) | None => Judgement::Open,
        }
    }
}

struct AtEachCall<C>(C);

impl<C: FnMut(&View<'_>, usize) -> Option<Finding> + Send + Sync> Monitor for AtEachCall<C> {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if view.counts(index) => {
                match (self.0)(view, index) {
                    Some(finding) => Judgement::failed(finding),
                    None => Judgement::Open,
                }
            }
            Moment::ScopeEnd | Moment::TestEnd => Judgement::Passed,
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}
