//! `sequence`: in which order calls, results and messages must come.
//!
//! Steps are compiled; at the end of the scope, what happened is matched with them and, if it does not match, compared
//! with them. The mode `only` is a prohibition and checks everything when it comes. The cost grows with the steps times
//! what happened, never faster.

use super::matching::{self, Matched};
use super::step::{Step, Steps};
use super::{miss::SequenceMiss, only::Only, walk::walk};
use crate::collector::Collector;
use crate::evaluation::{CountedCalls, Judgement, Moment, Monitor, RuleScope, View};
use crate::rule::{Claim, Rule, RuleKind};
use crate::select::{ArgumentReading, RuleTool, Selector};
use crate::steps::{Kinds, StepMatcher};
use ananke_base::diagnostic::{Code, Span};
use ananke_model::model::{AssertBlock, SequenceMode, SequenceRule};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::trace::{Facts, Trace, TraceItem};

/// The most steps that one rule may have: the work for each thing that happens grows with them.
const MOST_STEPS: usize = 200;

/// The most steps that are listed in words.
const LISTED_STEPS: usize = 6;

/// Steps, and how what happens must match them (SPEC 7.5).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sequence {
    mode: SequenceMode,
    steps: Vec<Step>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    if let Some(written) = &block.sequence
        && let Some(rule) = collector.switched(Some(written))
    {
        collector.add(written.span, |interpolation| {
            Sequence::compile(rule, written.span, interpolation)
        });
    }
}

impl Sequence {
    fn compile(
        written: &SequenceRule,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let SequenceRule { mode, steps } = written;
        if steps.len() > MOST_STEPS {
            let message = format!(
                "a sequence of {} steps is longer than the {MOST_STEPS} it may have",
                steps.len()
            );
            let help = "write a sequence on each turn, which is about that turn alone";
            interpolation.report(Code::LimitExceeded, span, message, Some(help.to_owned()));
            return None;
        }
        // Every step is looked at, so that every problem is reported.
        let steps: Vec<Option<Step>> = steps
            .iter()
            .map(|step| Step::compile(step, *mode, interpolation))
            .collect();
        Some(Self {
            mode: *mode,
            steps: steps.into_iter().collect::<Option<_>>()?,
        })
    }

    fn kinds(&self) -> Kinds {
        Kinds::of(self.steps.iter().map(|step| &step.matcher))
    }

    fn is_prohibition(&self) -> bool {
        self.mode == SequenceMode::Only
    }
}

impl Rule for Sequence {
    fn kind(&self) -> RuleKind {
        if self.is_prohibition() {
            RuleKind::Prohibition
        } else {
            RuleKind::Requirement
        }
    }

    fn is_exhaustive(&self) -> bool {
        !matches!(self.mode, SequenceMode::InOrder | SequenceMode::AtLeast)
    }

    fn may_look_at_calls_to(&self, name: &str) -> bool {
        self.is_exhaustive() || self.may_rest_on_calls_to(name)
    }

    fn may_rest_on_calls_to(&self, name: &str) -> bool {
        self.steps
            .iter()
            .any(|step| step.matcher.may_be_about(name))
    }

    fn needs(&self) -> Facts {
        self.steps
            .iter()
            .fold(Facts::NONE, |needs, step| needs | step.matcher.needs())
    }

    fn describe(&self) -> String {
        let mut steps: Vec<String> = self
            .steps
            .iter()
            .take(LISTED_STEPS)
            .map(Step::describe)
            .collect();
        if self.steps.len() > LISTED_STEPS {
            steps.push(format!("and {} more", self.steps.len() - LISTED_STEPS));
        }
        let (kinds, steps) = (self.kinds().words(), steps.join("; "));
        match self.mode {
            SequenceMode::Exact => format!("exactly these {kinds}, in this order: {steps}"),
            SequenceMode::InOrder => format!("in this order, others may come between: {steps}"),
            SequenceMode::AnyOrder => format!("exactly these {kinds}, in any order: {steps}"),
            SequenceMode::AtLeast => format!("in any order, others may come too: {steps}"),
            SequenceMode::Only => format!("no {kinds} but these: {steps}"),
        }
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        if self.is_prohibition() {
            return "fails as soon as something comes that no step allows".to_owned();
        }
        format!("evaluated at the end of {}", scope.words())
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let all: Result<_, regex::Error> = self
            .steps
            .iter()
            .map(|step| step.started(patterns))
            .collect();
        let steps = Steps {
            expected: self.describe(),
            mode: self.mode,
            kinds: self.kinds(),
            all: all?,
        };
        if self.is_prohibition() {
            return Ok(Box::new(Only::new(steps)));
        }
        Ok(Box::new(SequenceMonitor {
            steps,
            taken: Vec::new(),
        }))
    }

    /// The steps without which it cannot pass.
    fn selectors(&self) -> Vec<&Selector> {
        self.steps
            .iter()
            .filter_map(|step| step.selector())
            .collect()
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        let may_be_missing = |step: &&Step| step.is_optional || self.is_prohibition();
        let steps = self.steps.iter().filter(may_be_missing);
        steps
            .filter_map(|step| step.selector())
            .flat_map(Selector::named_tools)
            .collect()
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        let required = self
            .steps
            .iter()
            .filter(|step| !step.is_optional && !self.is_prohibition());
        let claims = required.filter_map(|step| match &step.matcher {
            StepMatcher::Call(selector) => Some(Claim::Step {
                selector,
                is_result: false,
            }),
            StepMatcher::Result(selector) => Some(Claim::Step {
                selector,
                is_result: true,
            }),
            StepMatcher::Message { .. } => None,
        });
        claims.collect()
    }

    fn names_tools(&self) -> bool {
        let Kinds { calls, results, .. } = self.kinds();
        calls || results
    }
}

/// Matches everything with the steps at the end of the scope.
struct SequenceMonitor {
    steps: Steps,
    /// The calls that steps took, when the rule has passed.
    taken: Vec<usize>,
}

impl Monitor for SequenceMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        if !moment.is_over() {
            return Judgement::Open;
        }
        let items = walk(view, self.steps.kinds);
        let matched = matched(&self.steps, &items, view.trace);
        if matched.is_complete() {
            let taken = matched.assigned.iter().flatten();
            self.taken = taken.filter_map(|item| items[*item].call()).collect();
            return Judgement::Passed;
        }
        let miss = SequenceMiss {
            steps: &self.steps,
            items: &items,
            matched: &matched,
            view,
        };
        Judgement::failed(miss.finding())
    }

    fn counted_calls(&self) -> CountedCalls {
        CountedCalls {
            covered: self.taken.clone(),
            ..CountedCalls::default()
        }
    }
}

fn matched(steps: &Steps, items: &[TraceItem], trace: &Trace) -> Matched {
    let optional: Vec<bool> = steps.all.iter().map(|step| step.is_optional).collect();
    let matches = |step: usize, item: usize| {
        steps.all[step].matches(trace, items[item], ArgumentReading::Last)
    };
    match steps.mode {
        SequenceMode::Exact => matching::exact(&optional, items.len(), matches),
        SequenceMode::InOrder => matching::in_order(&optional, items.len(), matches),
        SequenceMode::AnyOrder => matching::any_order(&optional, items.len(), matches),
        SequenceMode::AtLeast | SequenceMode::Only => {
            matching::at_least(&optional, items.len(), matches)
        }
    }
}
