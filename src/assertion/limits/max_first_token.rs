//! `timing.max_first_token_ms`: how long it may take until a turn's first text comes.

use crate::assertion::block::Bound;
use crate::assertion::describe::milliseconds;
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};

/// Judged at the end of a turn: a turn that never said anything kept its user waiting until then.
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
        let first = scope.trace.first_text(turn);
        let micros = first.map_or_else(|| scope.trace.turn_micros(turn), |(micros, _)| micros);
        let event = first.map(|(_, event)| event);
        let (limit, took) = (self.bound.most, milliseconds(micros));
        if self.bound.admits_micros(micros) {
            return Judgement::Holds;
        }
        let message = match first {
            Some(_) => format!("the first text came after {took}, the limit is {limit} ms"),
            None => format!("no text came in the {took} of the turn, the limit for the first is {limit} ms"),
        };
        Judgement::broken(Finding {
            message,
            expected: format!("a first text after at most {limit} ms"),
            seen: vec![Seen::Words(took)],
            events: event.into_iter().collect(),
        })
    }
}
