//! The limits that a test as a whole is held to: the sum of the turns that do not answer for themselves (SPEC 7.1).

use super::measure::Measure;
use crate::assertion::block::Bound;
use crate::assertion::describe::milliseconds;
use crate::assertion::inherit::TurnRules;
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};
use crate::trace::{Trace, Turn};

/// Judged at the end of every turn, so that no further turn is sent once the limit is exceeded.
#[derive(Debug)]
pub struct Monitor {
    measure: Measure,
    bound: Bound,
    /// For each turn, whether its own limit is `false` or looser.
    answers_for_itself: Vec<bool>,
    /// For each turn, whether it is held to this very limit: then its own failure says it already.
    same_limit: Vec<bool>,
}

impl Monitor {
    pub(crate) fn new(
        measure: Measure,
        bound: Bound,
        answers_for_itself: Vec<bool>,
        same_limit: Vec<bool>,
    ) -> Self {
        Self { measure, bound, answers_for_itself, same_limit }
    }

    /// Takes over what a turn says of the limit.
    pub(crate) fn know_turn(&mut self, index: usize, rules: &TurnRules) {
        if let Some(answers) = self.answers_for_itself.get_mut(index) {
            *answers = rules.answers_for.contains(&self.measure);
        }
        if let Some(same) = self.same_limit.get_mut(index) {
            *same = rules.limits.get(self.measure) == Some(&self.bound);
        }
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::TurnEnd => {}
            Moment::Touched(_) => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => return Judgement::Holds,
        }
        let said = |turn: usize, list: &[bool]| list.get(turn).copied().unwrap_or(false);
        let parts: Vec<(usize, u64)> = scope
            .trace
            .turns
            .iter()
            .enumerate()
            .filter(|(turn, _)| !said(*turn, &self.answers_for_itself))
            .map(|(turn, data)| (turn, self.of(scope.trace, data)))
            .collect();
        let total = parts.iter().map(|(_, part)| part).sum();
        let told = parts.last().is_some_and(|(turn, part)| {
            said(*turn, &self.same_limit) && !self.admits(*part) && *turn + 1 == scope.trace.turns.len()
        });
        if self.admits(total) || told {
            return Judgement::Open;
        }
        let turns: Vec<String> =
            parts.iter().map(|(turn, part)| format!("turn {}: {}", turn + 1, self.shown(*part))).collect();
        let (limit, unit) = (self.bound.most, self.measure.of_what());
        Judgement::broken(Finding {
            message: format!(
                "the test took {} so far, the limit is {limit} {}",
                self.shown(total),
                self.measure.unit()
            ),
            expected: format!("a test of at most {limit} {unit}"),
            seen: vec![Seen::Words(turns.join(", "))],
            events: Vec::new(),
        })
    }

    /// What a turn took: microseconds, or the tokens that are known of.
    fn of(&self, trace: &Trace, turn: &Turn) -> u64 {
        match self.measure.tokens(trace, turn) {
            Some(tokens) => tokens.counted,
            None => trace.turn_micros(turn),
        }
    }

    fn admits(&self, part: u64) -> bool {
        match self.measure {
            Measure::Duration => self.bound.admits_micros(part),
            _ => self.bound.admits(part),
        }
    }

    fn shown(&self, part: u64) -> String {
        match self.measure {
            Measure::Duration => milliseconds(part),
            tokens => format!("{part} {}", tokens.of_what()),
        }
    }
}
