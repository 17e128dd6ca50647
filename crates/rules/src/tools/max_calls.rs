//! `tools.max_calls`: how many calls there may be.

use crate::call_limit::CallLimit;
use crate::collector::Collector;
use crate::describe::{listed, short};
use crate::evaluation::{Finding, Judgement, Moment, Monitor, RuleScope, View};
use crate::rule::{Claim, Rule, RuleKind};
use ananke_model::model::AssertBlock;
use ananke_model::variables::Patterns;
use ananke_trace::outcome::{Measured, MeasuredUnit};
use ananke_trace::trace::{Delta, Fact, Facts};

/// The most calls that there may be in its scope. An inner level overrides it for its own scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MaxCalls(CallLimit);

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.tools().and_then(|tools| tools.max_calls.as_ref());
    CallLimit::collect(written, collector, |limit, _, _| Some(MaxCalls(limit)));
}

impl Rule for MaxCalls {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Calls])
    }

    fn describe(&self) -> String {
        match self.0.known() {
            Some(0) => "no call to any tool".to_owned(),
            Some(1) => "at most 1 call".to_owned(),
            _ => format!("at most {} calls", self.0),
        }
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        format!(
            "fails as soon as there is a call too many in {}",
            scope.words()
        )
    }

    /// Counts the calls of its scope; fails once, at the first call too many.
    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let calls = Measured {
            actual: 0,
            limit: self.0.most,
            unit: MeasuredUnit::Calls,
        };
        Ok(Box::new(CallCounter {
            expected: self.describe(),
            calls,
        }))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        self.0.known().map(Claim::LimitsCalls).into_iter().collect()
    }

    /// A tighter limit of a turn applies in addition to that of the test.
    fn is_loosened_by(&self, inner: &dyn Rule) -> bool {
        inner
            .downcast_ref::<Self>()
            .is_some_and(|inner| self.0.is_loosened_by(&inner.0))
    }
}

/// Counts the calls of its scope.
struct CallCounter {
    expected: String,
    calls: Measured,
}

impl Monitor for CallCounter {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if view.counts(index) => {
                self.calls.actual += 1;
                let is_first_too_many = self.calls.actual == self.calls.limit.saturating_add(1);
                if is_first_too_many {
                    Judgement::failed(self.finding(view, index))
                } else {
                    Judgement::Open
                }
            }
            Moment::ScopeEnd | Moment::TestEnd => Judgement::within(self.calls, Vec::new()),
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}

impl CallCounter {
    fn finding(&self, view: &View<'_>, index: usize) -> Finding {
        let (expected, scope, call) = (&self.expected, view.scope.this(), &view.trace.calls[index]);
        let counted = view.calls().take_while(|call| *call <= index);
        let names: Vec<&str> = counted
            .map(|call| view.trace.calls[call].name.as_str())
            .collect();
        let (name, number) = (short(&call.name), self.calls.actual);
        let message = format!("`{name}` is call {number} of {scope}, expected {expected}");
        let called = format!("called: {}", listed(&names));
        let (events, measured) = (vec![call.first_event], Some(self.calls));
        let expected = format!("{expected} in {scope}");
        Finding {
            events,
            measured,
            ..Finding::in_words(message, expected, [called])
        }
    }
}
