//! `timing.max_duration_ms`: how long the agent may take, turn by turn and over the test.

use super::describe::milliseconds;
use super::{Bound, Finding, Judgement, Moment, Scope, Seen};

/// The limit of one turn.
#[derive(Debug)]
pub struct OfTurn {
    bound: Bound,
}

impl OfTurn {
    pub(super) fn new(bound: Bound) -> Self {
        Self { bound }
    }

    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let Some(turn) = scope.trace.turns.last().filter(|_| moment == Moment::TurnEnd) else {
            return Judgement::Open;
        };
        let micros = scope.trace.turn_micros(turn);
        if self.bound.admits(micros) {
            return Judgement::Holds;
        }
        Judgement::broken(Finding {
            message: format!("the turn took {}, the limit is {} ms", milliseconds(micros), self.bound.ms),
            expected: format!("a turn of at most {} ms", self.bound.ms),
            seen: vec![Seen::Words(milliseconds(micros))],
            events: Vec::new(),
        })
    }
}

/// The limit of the test as a whole: the sum of the turns that do not answer for themselves (SPEC 7.1).
#[derive(Debug)]
pub struct OfTest {
    bound: Bound,
    /// For each turn, whether its own limit is `false` or looser.
    answers_for_itself: Vec<bool>,
    /// For each turn, whether it is held to this very limit: then its own failure says it already.
    same_limit: Vec<bool>,
}

impl OfTest {
    pub(super) fn new(bound: Bound, answers_for_itself: Vec<bool>, same_limit: Vec<bool>) -> Self {
        Self { bound, answers_for_itself, same_limit }
    }

    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::TurnEnd => {}
            Moment::Touched(_) => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => return Judgement::Holds,
        }
        let said = |turn: usize, list: &[bool]| list.get(turn).copied().unwrap_or(false);
        let times: Vec<(usize, u64)> = scope
            .trace
            .turns
            .iter()
            .enumerate()
            .filter(|(turn, _)| !said(*turn, &self.answers_for_itself))
            .map(|(turn, data)| (turn, scope.trace.turn_micros(data)))
            .collect();
        let total = times.iter().map(|(_, micros)| micros).sum();
        let told = times.last().is_some_and(|(turn, micros)| {
            said(*turn, &self.same_limit)
                && !self.bound.admits(*micros)
                && *turn + 1 == scope.trace.turns.len()
        });
        if self.bound.admits(total) || told {
            return Judgement::Open;
        }
        let turns: Vec<String> = times
            .iter()
            .map(|(turn, micros)| format!("turn {}: {}", turn + 1, milliseconds(*micros)))
            .collect();
        Judgement::broken(Finding {
            message: format!(
                "the test took {} so far, the limit is {} ms",
                milliseconds(total),
                self.bound.ms
            ),
            expected: format!("a test of at most {} ms", self.bound.ms),
            seen: vec![Seen::Words(turns.join(", "))],
            events: Vec::new(),
        })
    }
}
