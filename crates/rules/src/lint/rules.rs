//! The rules of a test, and which of them apply at the same time.

use super::LintContext;
use crate::evaluation::RuleScope;
use crate::inherit::{Inherited, TurnRules};
use crate::rule::{Claim, RuleEntry};

/// The most pairs of rules of a test that are compared one by one: beyond that there are no warnings about them.
pub(super) const MOST_PAIRS: usize = 10_000;

/// A rule that applies, with its scope.
pub(super) type Scoped<'e> = (RuleScope, &'e RuleEntry);

/// All rules of a test, and what they are checked against.
pub(super) struct Rules<'e> {
    pub(super) all: Vec<Scoped<'e>>,
    pub(super) merged: &'e Inherited,
    pub(super) surroundings: &'e LintContext<'e>,
}

impl<'e> Rules<'e> {
    pub(super) fn new(merged: &'e Inherited, surroundings: &'e LintContext<'e>) -> Self {
        let of_test = merged.test.iter().map(|entry| (RuleScope::Test, entry));
        let of_turns = merged.turns.iter().enumerate().flat_map(|(index, turn)| {
            turn.entries
                .iter()
                .map(move |entry| (RuleScope::Turn(index), entry))
        });
        Self {
            all: of_test.chain(of_turns).collect(),
            merged,
            surroundings,
        }
    }

    /// The claims of the rules, rule by rule.
    pub(super) fn claims(&self) -> impl Iterator<Item = (Scoped<'e>, Claim<'e>)> {
        let all = self.all.iter().copied();
        all.flat_map(|scoped| {
            scoped
                .1
                .rule
                .claims()
                .into_iter()
                .map(move |claim| (scoped, claim))
        })
    }

    /// Whether a prohibition applies to all that a requirement looks at.
    pub(super) fn overlap(
        &self,
        (forbidden, rule): Scoped<'_>,
        (required, by): Scoped<'_>,
    ) -> bool {
        let turns = self.merged.turns.as_slice();
        // A replay turn inherits nothing.
        let is_alone = |scope: RuleScope| matches!(scope, RuleScope::Turn(turn) if turns.get(turn).is_some_and(|turn| turn.is_replay));
        let excludes_subagents = |scope: RuleScope| match scope {
            RuleScope::Test => self.merged.excludes_subagents,
            RuleScope::Turn(turn) => turns.get(turn).is_some_and(|turn| turn.excludes_subagents),
        };
        if rule.is_about_tools() && excludes_subagents(forbidden) && !excludes_subagents(required) {
            return false;
        }
        let applies = |turn: &TurnRules| !turn.leaves_out(rule);
        let on_all = match required {
            // What a turn requires may have begun in a turn before it.
            RuleScope::Turn(index) => turns.iter().take(index + 1).all(applies),
            RuleScope::Test => turns
                .iter()
                .all(|turn| applies(turn) || turn.leaves_out(by)),
        };
        let is_everywhere = (forbidden == RuleScope::Test || turns.len() == 1)
            && !is_alone(forbidden)
            && !is_alone(required);
        on_all && (forbidden == required || is_everywhere)
    }
}
