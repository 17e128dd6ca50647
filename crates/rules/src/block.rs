//! One level's rules, checked and filled.

use super::rule::{DroppedRule, ReplacedRule, RuleEntry};
use crate::evaluation::{Measure, PerMeasure, RuleOrigin, Setting};

/// The rules of one level, each with its origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The rules of lists, in the order of the file.
    pub entries: Vec<RuleEntry>,
    /// Duplicates, in the order of the file.
    pub dropped: Vec<DroppedRule>,
    /// The rules that one block of this level defines and a later one replaces.
    pub replaced: Vec<ReplacedRule>,
    /// The parts of outer levels that do not apply, in the order of the file.
    pub disabled: Vec<Disabled>,
    /// Whether calls of subagents are excluded, and where that is said.
    pub subagents: Option<(bool, RuleOrigin)>,
    /// The limits of `timing` and `usage`.
    pub limits: PerMeasure<Setting>,
    /// The settings of limits in one block of this level that a later one replaces, in the order of the file.
    pub replaced_limits: Vec<(Measure, Setting)>,
    /// `outcome`
    pub outcome: Option<Expectation>,
    /// `snapshot`
    pub snapshot: Option<Expectation>,
    /// Whether it is the block of a replay turn, which inherits nothing (SPEC 6).
    pub is_replay: bool,
    /// Whether it is the block of a turn that is sent on a condition.
    pub is_conditional: bool,
}

/// The requirement of a level on the end of a run, or on a snapshot: one value, which inner levels override.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// `false`: what outer levels say does not apply.
    Off,
    /// This rule.
    Is(RuleEntry),
}

/// `false` instead of a block, a list or a number: what outer levels define there does not apply (SPEC 7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// The path of a rule in an assert block (`tools.forbid`), or of a whole block (`tools`).
    pub path: &'static str,
    /// The place where it is written.
    pub origin: RuleOrigin,
}

impl Disabled {
    /// Whether rules of this path are switched off.
    pub(crate) fn covers(&self, path: &str) -> bool {
        path.strip_prefix(self.path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl Block {
    /// The place where rules of this path are switched off.
    pub(crate) fn disables(&self, path: &str) -> Option<&RuleOrigin> {
        self.disabled
            .iter()
            .find(|disabled| disabled.covers(path))
            .map(|disabled| &disabled.origin)
    }

    /// Whether it says nothing but what must not happen.
    pub fn only_prohibits(&self) -> bool {
        let requires = self.outcome.is_some() || self.snapshot.is_some();
        !requires
            && *self != Self::default()
            && self.entries.iter().all(|entry| entry.rule.only_prohibits())
    }

    /// Whether calls of subagents are excluded, if this level says so; `tools: false` says that they are not.
    pub(crate) fn excludes_subagents(&self) -> Option<bool> {
        let is_off = self.disables("tools.subagents").is_some();
        self.subagents
            .as_ref()
            .map(|(without, _)| *without)
            .or_else(|| is_off.then_some(false))
    }
}
