//! `whenever`: a trigger, and what must or must not come before or after it.

use super::prohibition::Prohibition;
use super::related_steps::{RelatedSteps, Relation, RunningRule};
use super::requirement::Requirement;
use super::tied_step::{TiedStep, TriggerKind};
use crate::collector::Collector;
use crate::evaluation::{Monitor, RuleScope};
use crate::rule::{Claim, Rule, RuleKind};
use crate::select::{RuleTool, Selector};
use crate::steps::StepMatcher;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{AssertBlock, WheneverRule, WithinScope};
use ananke_model::variables::{Fill as _, Interpolation, Patterns};
use ananke_trace::trace::Facts;

/// A trigger and what lies before or after it (SPEC 7.6). What must follow is a rule of its own: it is required, and
/// everything else is prohibited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Whenever {
    name: Option<String>,
    message: Option<String>,
    trigger: StepMatcher,
    patterns: Vec<RelatedSteps>,
    within: Option<WithinScope>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for entry in collector
        .switched(block.whenever.as_ref())
        .into_iter()
        .flatten()
    {
        let compiled = Whenever::compile(entry, collector.interpolation);
        for rule in compiled.into_iter().flat_map(Whenever::divided) {
            collector.add(entry.span, |_| Some(rule));
        }
    }
}

impl Whenever {
    fn compile(
        entry: &Spanned<WheneverRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let WheneverRule {
            name,
            trigger,
            preceded_by,
            not_preceded_by,
            followed_by,
            not_followed_by,
            within,
            message,
        } = &entry.value;
        let has_tool = trigger.call.is_some() || trigger.result.is_some();
        let kind = if has_tool {
            TriggerKind::Call
        } else {
            TriggerKind::Message
        };
        let written = [
            (Relation::RequiredBefore, preceded_by),
            (Relation::ForbiddenBefore, not_preceded_by),
            (Relation::RequiredAfter, followed_by),
            (Relation::ForbiddenAfter, not_followed_by),
        ];
        let trigger = StepMatcher::compile(trigger, entry.span, interpolation);
        let written = written
            .into_iter()
            .filter_map(|(relation, steps)| Some((relation, steps.as_ref()?)));
        let patterns: Vec<Option<RelatedSteps>> = written
            .map(|(relation, steps)| RelatedSteps::compile(relation, steps, kind, interpolation))
            .collect();
        if patterns.is_empty() {
            let message = "nothing says what must or must not come before or after the trigger";
            let help = "add `preceded_by`, `not_preceded_by`, `followed_by` or `not_followed_by`"
                .to_owned();
            interpolation.report(Code::MissingKey, entry.span, message, Some(help));
            return None;
        }
        let (name, message) = (name.fill(interpolation), message.fill(interpolation));
        let patterns = patterns.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Self {
            name: name.ok()?,
            message: message.ok()?,
            trigger: trigger?,
            patterns,
            within: *within,
        })
    }

    /// The prohibition and the requirement of an entry.
    fn divided(self) -> impl Iterator<Item = Self> {
        let (followed, others): (Vec<_>, Vec<_>) = self
            .patterns
            .iter()
            .cloned()
            .partition(|pattern| pattern.relation == Relation::RequiredAfter);
        let of = move |patterns: Vec<RelatedSteps>| {
            (!patterns.is_empty()).then(|| Self {
                patterns,
                ..self.clone()
            })
        };
        [others, followed].into_iter().filter_map(of)
    }

    fn is_requirement(&self) -> bool {
        self.patterns
            .iter()
            .all(|pattern| pattern.relation == Relation::RequiredAfter)
    }

    /// The trigger and every step.
    fn steps(&self) -> impl Iterator<Item = &StepMatcher> {
        let steps = self.patterns.iter().flat_map(RelatedSteps::steps);
        [&self.trigger]
            .into_iter()
            .chain(steps.filter_map(|step| step.step()))
    }
}

impl Rule for Whenever {
    fn kind(&self) -> RuleKind {
        if self.is_requirement() {
            RuleKind::Requirement
        } else {
            RuleKind::Prohibition
        }
    }

    /// It is about every trigger.
    fn is_exhaustive(&self) -> bool {
        true
    }

    fn lacks_something(&self) -> bool {
        self.patterns
            .iter()
            .all(|pattern| !pattern.relation.is_negated())
    }

    fn may_rest_on_calls_to(&self, name: &str) -> bool {
        self.steps().any(|step| step.may_be_about(name))
            || self
                .patterns
                .iter()
                .flat_map(RelatedSteps::steps)
                .any(|step| step.step().is_none())
    }

    fn needs(&self) -> Facts {
        let steps = self.patterns.iter().flat_map(RelatedSteps::steps);
        steps.fold(self.trigger.needs(), |needs, step| needs | step.needs())
    }

    fn describe(&self) -> String {
        let patterns: Vec<String> = self.patterns.iter().map(RelatedSteps::describe).collect();
        let within = if self.within.is_some() {
            ", in its turn"
        } else {
            ""
        };
        let name = self
            .name
            .as_ref()
            .map(|name| format!("{name}: "))
            .unwrap_or_default();
        format!(
            "{name}whenever there is {}: {}{within}",
            self.trigger.describe(),
            patterns.join(", and ")
        )
    }

    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        if self.is_requirement() {
            return format!("evaluated at the end of {}", scope.words());
        }
        let patterns = &self.patterns;
        let after = patterns
            .iter()
            .any(|pattern| pattern.relation == Relation::ForbiddenAfter);
        let before = patterns.iter().any(|pattern| pattern.relation.is_before());
        let words = match (before, after) {
            (true, true) => "as soon as such a trigger comes, or something after it that must not",
            (true, false) => "as soon as such a trigger comes",
            (false, _) => "as soon as something comes after a trigger that must not",
        };
        format!("fails {words}")
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let started: Result<Vec<_>, _> = self
            .patterns
            .iter()
            .map(|pattern| pattern.started(patterns))
            .collect();
        let parts = RunningRule {
            expected: self.describe(),
            name: self.name.clone(),
            trigger: self.trigger.started(patterns)?,
            patterns: started?,
            is_within_turn: self.within.is_some(),
        };
        if self.is_requirement() {
            return Ok(Box::new(Requirement::new(parts)));
        }
        Ok(Box::new(Prohibition::new(parts)))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        let Some(selector) = self.trigger.selector() else {
            return Vec::new();
        };
        let is_result = matches!(self.trigger, StepMatcher::Result(_));
        let name = &selector.name;
        let mut claims = vec![Claim::TriggeredBy {
            name,
            selector: Some(selector),
            is_result,
        }];
        // `within: turn` and subagents may leave the call out.
        let always_comes = |step: &TiedStep| step.includes_own_call(name);
        let of_own_call = self.patterns.iter().all(|pattern| {
            pattern.relation == Relation::RequiredBefore
                && pattern
                    .groups
                    .iter()
                    .all(|group| group.iter().any(always_comes))
        });
        if is_result && of_own_call && self.within.is_none() {
            claims.push(Claim::AlwaysPreceded(name));
        }
        let required = self
            .patterns
            .iter()
            .filter(|pattern| !pattern.relation.is_negated());
        for group in required.flat_map(|pattern| &pattern.groups) {
            // One of several steps may be allowed.
            if let [only] = group.as_slice()
                && let Some(StepMatcher::Call(selector)) = only.step()
            {
                claims.push(Claim::Ties(selector));
            }
        }
        claims
    }

    fn selectors(&self) -> Vec<&Selector> {
        self.steps().filter_map(StepMatcher::selector).collect()
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        let selectors = self.steps().filter_map(StepMatcher::selector);
        selectors.flat_map(Selector::named_tools).collect()
    }

    fn names_tools(&self) -> bool {
        self.steps().any(|step| step.selector().is_some())
    }
}
