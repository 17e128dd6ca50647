//! `timing.max_duration_ms`: how long the agent may take in one turn.

use super::setting::Bound;
use crate::assertion::describe::milliseconds;
use crate::assertion::judge::{Finding, Judgement, Monitor, at_turn_end};

pub(super) fn max_duration(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let micros = view.trace.turn_micros(turn);
        if bound.allows_micros(micros) {
            return Judgement::Passed;
        }
        let (took, limit) = (milliseconds(micros), bound.most);
        let message = format!("the turn took {took}, the limit is {limit} ms");
        Judgement::failed(Finding::in_words(message, format!("a turn of at most {limit} ms"), [took]))
    })
}
