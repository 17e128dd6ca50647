//! A rule while a test runs: its trigger and its steps, with their patterns compiled.

use super::happening::Happening;
use super::related_steps::RelatedSteps;
use crate::steps::StepMatcher;

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
    /// The turn in which causes and effects count, if not all turns do.
    pub(super) fn turn_of(&self, happening: &Happening) -> Option<usize> {
        self.is_within_turn.then_some(happening.turn)
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
