//! `usage.max_input_tokens`, `max_output_tokens` and `max_total_tokens`: how many tokens one turn may take.

use super::measure::Measure;
use super::setting::Bound;
use crate::evaluation::{Finding, Judgement, Monitor, at_turn_end};
use ananke_base::text::grouped;

/// Checks what the agent reported by the end of the turn.
pub(super) fn max_tokens(measure: Measure, bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let Some(tokens) = measure.tokens(view.trace, turn) else {
            return Judgement::Open;
        };
        let (of_what, limit) = (measure.of_what(), grouped(bound.most));
        let measured = bound.tokens(tokens.counted);
        if !measured.is_allowed() {
            let at_least = if tokens.is_partial { "at least " } else { "" };
            let took = format!("{at_least}{} {of_what}", grouped(tokens.counted));
            let message = format!("the turn took {took}, the limit is {limit}");
            let expected = format!("at most {limit} {of_what}");
            let measured = Some(measured);
            return Judgement::failed(Finding {
                measured,
                ..Finding::in_words(message, expected, [took])
            });
        }
        // A run that failed does not have to report its usage.
        let must_report = view.trace.turn_usage(turn).is_some();
        if tokens.is_partial && must_report {
            return Judgement::Unknown(format!("the agent did not report its {of_what}"));
        }
        Judgement::within(measured, Vec::new())
    })
}
