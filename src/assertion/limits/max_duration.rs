//! `timing.max_duration_ms`: how long the agent may take in one turn.

use crate::assertion::block::Bound;
use crate::assertion::describe::milliseconds;
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};

/// Judged at the end of a turn.
#[derive(Debug)]
pub struct Monitor {
    bound: Bound,
}

impl Monitor {
    pub(crate) fn new(bound: Bound) -> Self {
        Self { bound }
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let Some(turn) = scope.trace.turns.last().filter(|_| moment == Moment::TurnEnd) else {
            return Judgement::Open;
        };
        let micros = scope.trace.turn_micros(turn);
        if self.bound.admits_micros(micros) {
            return Judgement::Holds;
        }
        Judgement::broken(Finding {
            message: format!("the turn took {}, the limit is {} ms", milliseconds(micros), self.bound.most),
            expected: format!("a turn of at most {} ms", self.bound.most),
            seen: vec![Seen::Words(milliseconds(micros))],
            events: Vec::new(),
        })
    }
}
