//! The steps that must or must not come before or after a trigger.

use super::happening::Happening;
use super::tied_step::{TiedStep, TriggerKind};
use crate::evaluation::{CodedWarning, View};
use crate::near_values::near_values;
use crate::select::ArgumentReading;
use crate::steps::StepMatcher;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::text::any_of;
use ananke_model::model::{self, MessageRole, OneOrMany};
use ananke_model::variables::{Interpolation, Patterns};

/// The relation of steps to their trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Relation {
    RequiredBefore,
    ForbiddenBefore,
    RequiredAfter,
    ForbiddenAfter,
}

impl Relation {
    /// Whether its steps must not come.
    pub(super) fn is_negated(self) -> bool {
        matches!(self, Self::ForbiddenBefore | Self::ForbiddenAfter)
    }

    /// The reading of arguments for its steps.
    pub(super) fn reading(self) -> ArgumentReading {
        if self.is_negated() {
            ArgumentReading::Any
        } else {
            ArgumentReading::Last
        }
    }

    /// Whether its steps come before the trigger.
    pub(super) fn is_before(self) -> bool {
        matches!(self, Self::RequiredBefore | Self::ForbiddenBefore)
    }

    /// `before` or `after`.
    pub(super) fn word(self) -> &'static str {
        if self.is_before() { "before" } else { "after" }
    }
}

/// Steps, and how they lie to their trigger: of each group one step must come, of a negated relation none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RelatedSteps {
    pub(super) relation: Relation,
    pub(super) groups: Vec<Vec<TiedStep>>,
}

impl RelatedSteps {
    /// Checks and fills the steps.
    pub(super) fn compile(
        relation: Relation,
        written: &Spanned<OneOrMany<Spanned<model::CauseStep>>>,
        of_trigger: TriggerKind,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let OneOrMany(entries) = &written.value;
        if entries.is_empty() {
            let help = "add a step, or drop the key".to_owned();
            interpolation.report(
                Code::EmptyValue,
                written.span,
                "an empty list of steps says nothing",
                Some(help),
            );
            return None;
        }
        if relation.is_negated() {
            let steps = entries.iter().flat_map(|entry| {
                let inner = entry.value.any_of.iter().flatten();
                std::iter::once(entry).chain(inner)
            });
            for value in steps.flat_map(|step| step.value.keys.values()) {
                interpolation.check_prohibited(&value);
            }
        }
        // Every step is looked at, so that every problem is reported.
        let groups: Vec<Option<Vec<TiedStep>>> = entries
            .iter()
            .map(|entry| group(entry, of_trigger, interpolation))
            .collect();
        Some(Self {
            relation,
            groups: groups.into_iter().collect::<Option<_>>()?,
        })
    }

    /// The steps in words.
    pub(super) fn describe(&self) -> String {
        let groups: Vec<String> = self.groups.iter().map(|group| either(group)).collect();
        let no = if self.relation.is_negated() {
            "not "
        } else {
            ""
        };
        let between = if self.relation.is_negated() {
            " or "
        } else {
            " and "
        };
        format!("{no}{} {} it", groups.join(between), self.relation.word())
    }

    /// The same steps with their patterns compiled.
    pub(super) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut groups = Vec::new();
        for group in &self.groups {
            let steps: Result<Vec<TiedStep>, _> =
                group.iter().map(|step| step.started(patterns)).collect();
            groups.push(steps?);
        }
        Ok(Self {
            relation: self.relation,
            groups,
        })
    }

    /// Its steps.
    pub(super) fn steps(&self) -> impl Iterator<Item = &TiedStep> {
        self.groups.iter().flatten()
    }
}

/// Steps of which one is enough, in words.
pub(super) fn either(group: &[TiedStep]) -> String {
    any_of(&group.iter().map(TiedStep::describe).collect::<Vec<_>>())
}

/// A step alone, or those of `any_of`.
fn group(
    entry: &Spanned<model::CauseStep>,
    of_trigger: TriggerKind,
    interpolation: &mut Interpolation<'_>,
) -> Option<Vec<TiedStep>> {
    let model::CauseStep {
        keys,
        answered,
        same,
        any_of,
    } = &entry.value;
    let Some(any_of) = any_of else {
        return TiedStep::compile(entry, of_trigger, interpolation).map(|step| vec![step]);
    };
    let is_alone = keys.call.is_none()
        && keys.result.is_none()
        && keys.says.is_none()
        && answered.is_none()
        && same.is_none();
    let mut report = |code, message: &str, help: &str| {
        interpolation.report(code, entry.span, message, Some(help.to_owned()));
    };
    if !is_alone {
        report(
            Code::Contradiction,
            "`any_of` has no other keys next to it",
            "write the other step into the list",
        );
    }
    if any_of.is_empty() {
        report(
            Code::EmptyValue,
            "an empty list of steps says nothing",
            "add a step, or drop the key",
        );
    }
    if let Some(inner) = any_of.iter().find(|step| step.value.any_of.is_some()) {
        let help = "write its steps into the outer list".to_owned();
        interpolation.report(
            Code::Contradiction,
            inner.span,
            "`any_of` contains `any_of`",
            Some(help),
        );
        return None;
    }
    let steps: Vec<Option<TiedStep>> = any_of
        .iter()
        .map(|step| TiedStep::compile(step, of_trigger, interpolation))
        .collect();
    let steps = steps.into_iter().collect::<Option<Vec<_>>>()?;
    (is_alone && !steps.is_empty()).then_some(steps)
}

/// The trigger and the steps.
#[derive(Debug)]
pub(super) struct RunningRule {
    /// The expectation of the rule, in words.
    pub(super) expected: String,
    /// The name of the rule.
    pub(super) name: Option<String>,
    pub(super) trigger: StepMatcher,
    pub(super) patterns: Vec<RelatedSteps>,
    /// Whether only the turn of the trigger counts.
    pub(super) is_within_turn: bool,
}

impl RunningRule {
    /// The calls in the scope that are nearly the trigger.
    pub(super) fn near_triggers(&self, view: &View<'_>) -> Vec<CodedWarning> {
        match &self.trigger {
            StepMatcher::Call(selector) | StepMatcher::Result(selector) => {
                near_values(view, selector)
            }
            StepMatcher::Message { .. } => Vec::new(),
        }
    }

    /// The turn in which causes and effects count, if not all turns do.
    pub(super) fn turn_of(&self, happening: &Happening) -> Option<usize> {
        self.is_within_turn.then_some(happening.turn)
    }

    /// Whether the text of a message of the agent decides.
    pub(super) fn reads_messages(&self) -> bool {
        let mut steps = self.patterns.iter().flat_map(RelatedSteps::steps);
        let is_message = |step: &StepMatcher| {
            matches!(
                step,
                StepMatcher::Message {
                    by: MessageRole::Assistant,
                    ..
                }
            )
        };
        is_message(&self.trigger) || steps.any(|step| step.step().is_some_and(is_message))
    }

    /// Whether the arguments of calls to this tool decide.
    pub(super) fn needs_args(&self, name: &str) -> bool {
        let has_args = |step: &StepMatcher| {
            step.selector()
                .is_some_and(|selector| !selector.args.is_empty() && selector.name.matches(name))
        };
        let steps = || self.patterns.iter().flat_map(RelatedSteps::steps);
        has_args(&self.trigger)
            || steps().any(|step| !step.tie.paths.is_empty() || step.step().is_some_and(has_args))
    }
}
