//! `timing.max_idle_ms`: how long the agent may go without a tool call in progress.

use super::describe::{milliseconds, short};
use super::{Bound, Finding, Judgement, Moment, Scope, Seen};
use crate::trace::{ToolCall, Trace, Turn};

/// Judged at the end of a turn: only then is it known how long each call was open.
#[derive(Debug)]
pub struct Monitor {
    bound: Bound,
}

/// A stretch of a turn's time in which no call is open, and the calls it lies between; none stands for an end of the
/// turn.
struct Gap<'t> {
    micros: u64,
    from: Option<&'t ToolCall>,
    to: Option<&'t ToolCall>,
}

impl Gap<'_> {
    fn finding(&self, bound: &Bound) -> Finding {
        let from = self.from.map_or_else(
            || "the start of the turn".to_owned(),
            |call| format!("the end of `{}`", short(&call.name)),
        );
        let to = self.to.map_or_else(
            || "the end of the turn".to_owned(),
            |call| format!("the call of `{}`", short(&call.name)),
        );
        let events = [self.from.map(|call| call.last_event), self.to.map(|call| call.first_event)];
        Finding {
            message: format!(
                "idle for {} from {from} to {to}, the limit is {} ms",
                milliseconds(self.micros),
                bound.most
            ),
            expected: format!("no stretch of more than {} ms without a tool call in progress", bound.most),
            seen: vec![Seen::Words(milliseconds(self.micros))],
            events: events.into_iter().flatten().collect(),
        }
    }
}

impl Monitor {
    pub(super) fn new(bound: Bound) -> Self {
        Self { bound }
    }

    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let Some(turn) = scope.trace.turns.last().filter(|_| moment == Moment::TurnEnd) else {
            return Judgement::Open;
        };
        let long = gaps(scope.trace, turn).into_iter().filter(|gap| !self.bound.admits_micros(gap.micros));
        let findings: Vec<Finding> = long.map(|gap| gap.finding(&self.bound)).collect();
        if findings.is_empty() { Judgement::Holds } else { Judgement::Broken(findings) }
    }
}

/// Start→first call, between calls, last call→end; no calls: the whole turn (SPEC 7.3). In the agent's own time.
fn gaps<'t>(trace: &'t Trace, turn: &Turn) -> Vec<Gap<'t>> {
    let end = trace.turn_micros(turn);
    let started_before = turn.answered.iter().map(|index| (&trace.calls[*index], 0));
    let live = turn.calls.clone().filter(|index| trace.is_live(*index)).map(|index| &trace.calls[index]);
    let started_now = live.map(|call| (call, trace.agent_micros(turn, call.started)));
    let mut calls: Vec<(&ToolCall, u64)> = started_before.chain(started_now).collect();
    calls.sort_by_key(|(_, start)| *start);

    let mut gaps = Vec::with_capacity(calls.len() + 1);
    let (mut idle_since, mut from) = (0, None);
    for (call, start) in calls {
        gaps.push(Gap { micros: start.saturating_sub(idle_since), from, to: Some(call) });
        let ended = trace.agent_micros(turn, call.ended());
        if ended >= idle_since {
            (idle_since, from) = (ended, Some(call));
        }
    }
    gaps.push(Gap { micros: end.saturating_sub(idle_since), from, to: None });
    gaps
}
