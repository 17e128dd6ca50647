//! `timing.max_idle_ms`: how long the agent may go without a tool call in progress.

use crate::assertion::block::Bound;
use crate::assertion::describe::{milliseconds, short};
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};
use crate::trace::Gap;

/// Judged at the end of a turn: only then is it known how long each call was open.
#[derive(Debug)]
pub struct Monitor {
    bound: Bound,
}

impl Monitor {
    fn finding(&self, gap: &Gap<'_>) -> Finding {
        let bound = &self.bound;
        let from = gap.from.map_or_else(
            || "the start of the turn".to_owned(),
            |call| format!("the end of `{}`", short(&call.name)),
        );
        let to = gap.to.map_or_else(
            || "the end of the turn".to_owned(),
            |call| format!("the call of `{}`", short(&call.name)),
        );
        let events = [gap.from.map(|call| call.last_event), gap.to.map(|call| call.first_event)];
        Finding {
            message: format!(
                "idle for {} from {from} to {to}, the limit is {} ms",
                milliseconds(gap.micros()),
                bound.most
            ),
            expected: format!("no stretch of more than {} ms without a tool call in progress", bound.most),
            seen: vec![Seen::Words(milliseconds(gap.micros()))],
            events: events.into_iter().flatten().collect(),
        }
    }

    pub(crate) fn new(bound: Bound) -> Self {
        Self { bound }
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let Some(turn) = scope.trace.turns.last().filter(|_| moment == Moment::TurnEnd) else {
            return Judgement::Open;
        };
        let gaps = scope.trace.gaps(turn);
        let long = gaps.iter().filter(|gap| !self.bound.admits_micros(gap.micros()));
        let findings: Vec<Finding> = long.map(|gap| self.finding(gap)).collect();
        if findings.is_empty() { Judgement::Holds } else { Judgement::Broken(findings) }
    }
}
