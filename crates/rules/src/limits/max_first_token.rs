//! `timing.max_first_token_ms`: how long it may take until the first text of a turn arrives.

use super::setting::Bound;
use crate::evaluation::{Finding, Judgement, Monitor, at_turn_end};
use ananke_base::text::duration;

/// A turn without text kept its user waiting until its end.
pub(super) fn max_first_token(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let first = view.trace.first_text(turn);
        let micros = first.map_or_else(|| view.trace.turn_micros(turn), |(micros, _)| micros);
        let measured = bound.micros(micros);
        if measured.is_allowed() {
            return Judgement::within(measured, Vec::new());
        }
        let (limit, took) = (bound.time(), duration::exact(micros));
        let message = match first {
            Some(_) => format!("the first text came after {took}, the limit is {limit}"),
            None => format!(
                "no text came in the {took} of the turn, the limit for the first is {limit}"
            ),
        };
        let expected = format!("a first text after at most {limit}");
        let events = first.into_iter().map(|(_, event)| event).collect();
        Judgement::failed(Finding {
            events,
            measured: Some(measured),
            ..Finding::in_words(message, expected, [took])
        })
    })
}
