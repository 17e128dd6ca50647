//! `usage.max_input_tokens`, `max_output_tokens` and `max_total_tokens`: what the agent may take in one turn.

use super::measure::Measure;
use crate::assertion::block::Bound;
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};

/// Judged at the end of a turn, on what the agent told by then.
#[derive(Debug)]
pub struct Monitor {
    measure: Measure,
    bound: Bound,
}

impl Monitor {
    pub(crate) fn new(measure: Measure, bound: Bound) -> Self {
        Self { measure, bound }
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let turn = scope.trace.turns.last().filter(|_| moment == Moment::TurnEnd);
        let Some((turn, tokens)) =
            turn.and_then(|turn| Some((turn, self.measure.tokens(scope.trace, turn)?)))
        else {
            return Judgement::Open;
        };
        let (tokens_of, limit) = (self.measure.of_what(), self.bound.most);
        if !self.bound.admits(tokens.counted) {
            let at_least = if tokens.is_partial { "at least " } else { "" };
            return Judgement::broken(Finding {
                message: format!(
                    "the turn took {at_least}{} {tokens_of}, the limit is {limit}",
                    tokens.counted
                ),
                expected: format!("at most {limit} {tokens_of}"),
                seen: vec![Seen::Words(format!("{at_least}{} {tokens_of}", tokens.counted))],
                events: Vec::new(),
            });
        }
        // A run that failed owes no account of itself.
        let owes = scope.trace.turn_usage(turn).is_some();
        if tokens.is_partial && owes {
            return Judgement::Unknown(format!("the agent does not tell how many {tokens_of} it took"));
        }
        Judgement::Holds
    }
}
