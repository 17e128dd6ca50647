//! `timing.max_duration_ms`: how long the agent may take in one turn.

use super::setting::Bound;
use crate::evaluation::{Finding, Judgement, Monitor, at_turn_end};
use ananke_base::text::duration;

pub(super) fn max_duration(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let measured = bound.micros(view.trace.turn_micros(turn));
        if measured.is_allowed() {
            return Judgement::within(measured, Vec::new());
        }
        let (took, limit) = (duration::exact(measured.actual), bound.time());
        let message = format!("the turn took {took}, the limit is {limit}");
        let expected = format!("a turn of at most {limit}");
        let measured = Some(measured);
        Judgement::failed(Finding {
            measured,
            ..Finding::in_words(message, expected, [took])
        })
    })
}
