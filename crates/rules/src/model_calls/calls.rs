//! `model.calls`: how many calls to the model there must be.

use super::counted::{CALLS, OfModel, lacking};
use crate::collector::Collector;
use crate::evaluation::{Finding, Judgement, Moment, Monitor, RuleScope, View};
use crate::rule::Rule;
use crate::values::CallCount;
use ananke_model::model::AssertBlock;
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Delta, Facts};

/// A number of calls to the model in its scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ModelCallCount {
    of_model: OfModel,
    count: CallCount,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        let Some(written) = &rules.value.calls else {
            continue;
        };
        if let Some(count) = collector.switched(Some(written)) {
            collector.add(written.span, |interpolation| {
                Some(ModelCallCount {
                    of_model: OfModel::compile(&rules.value, interpolation)?,
                    count: CallCount::compile(count, written.span, interpolation)?,
                })
            });
        }
    }
}

impl Rule for ModelCallCount {
    fn needs(&self) -> Facts {
        CALLS
    }

    fn describe(&self) -> String {
        let number = self.count.in_words();
        let noun = if number.ends_with(" 1") || number == "1" {
            "call"
        } else {
            "calls"
        };
        format!("{number} {noun} to {}", self.of_model.words())
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        let scope = scope.words();
        format!("fails at the first call too many, or at the end of {scope}")
    }

    /// Without a largest number, further calls change nothing.
    fn is_exhaustive(&self) -> bool {
        self.count.max.is_some()
    }

    /// The monitor looks itself for what may be missing: a call too many stays one.
    fn lacks_something(&self) -> bool {
        false
    }

    fn of_model(&self) -> Option<&str> {
        self.of_model.name()
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(CallsMonitor {
            rule: self.clone(),
            made: 0,
        }))
    }
}

/// Counts the calls of its scope.
struct CallsMonitor {
    rule: ModelCallCount,
    made: u64,
}

impl Monitor for CallsMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::ModelCalled(index)) => {
                let Some(logged) = self.rule.of_model.call(view, index) else {
                    return Judgement::Open;
                };
                self.made += 1;
                if !self.rule.count.exceeded_by(self.made) {
                    return Judgement::Open;
                }
                let call = self.rule.of_model.call_in_words(view, logged);
                self.failed(view, &format!("{call} is one too many"))
            }
            Moment::ScopeEnd | Moment::TestEnd => {
                if self.rule.count.allows(self.made) {
                    return match self.rule.count.measured(self.made) {
                        Some(measured) => Judgement::within(measured, Vec::new()),
                        None => Judgement::Passed,
                    };
                }
                // Nothing is decided yet, because a request that was not read may be the call that is missing.
                if let Some(reason) = lacking(view, CALLS) {
                    return Judgement::Unknown(reason);
                }
                let calls = match self.made {
                    0 => "no call".to_owned(),
                    1 => "1 call".to_owned(),
                    made => format!("{made} calls"),
                };
                let model = self.rule.of_model.words();
                let scope = view.scope.this();
                self.failed(view, &format!("{calls} to {model} in {scope}"))
            }
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}

impl CallsMonitor {
    fn failed(&self, view: &View<'_>, fact: &str) -> Judgement {
        let expected = self.rule.describe();
        let message = format!("{fact}, expected {expected}");
        let lines = self.rule.of_model.listed(view);
        Judgement::failed(Finding {
            measured: self.rule.count.measured(self.made),
            ..Finding::in_words(message, expected, lines)
        })
    }
}
