//! `timing.max_idle_ms`: how long the agent may go without a tool call in progress.

use super::describe::{milliseconds, short};
use super::{Bound, Finding, Judgement, Moment, Scope, Seen};
use crate::trace::{ToolCall, Trace, Turn};

/// Judged at the end of a turn: only then is it known how long each call was open.
#[derive(Debug)]
pub struct Monitor {
    bound: Bound,
}

/// A stretch of a turn's time in which no call is open, and what it lies between.
struct Gap {
    micros: u64,
    from: String,
    to: String,
    events: Vec<u32>,
}

impl Monitor {
    pub(super) fn new(bound: Bound) -> Self {
        Self { bound }
    }

    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let Some(turn) = scope.trace.turns.last().filter(|_| moment == Moment::TurnEnd) else {
            return Judgement::Open;
        };
        let long = gaps(scope.trace, turn).into_iter().filter(|gap| !self.bound.admits(gap.micros));
        let findings: Vec<Finding> = long
            .map(|gap| Finding {
                message: format!(
                    "idle for {} from {} to {}, the limit is {} ms",
                    milliseconds(gap.micros),
                    gap.from,
                    gap.to,
                    self.bound.ms
                ),
                expected: format!(
                    "no stretch of more than {} ms without a tool call in progress",
                    self.bound.ms
                ),
                seen: vec![Seen::Words(milliseconds(gap.micros))],
                events: gap.events,
            })
            .collect();
        if findings.is_empty() { Judgement::Holds } else { Judgement::Broken(findings) }
    }
}

/// Start→first call, between calls, last call→end; no calls: the whole turn (SPEC 7.3). In the agent's own time.
fn gaps(trace: &Trace, turn: &Turn) -> Vec<Gap> {
    let end = trace.turn_micros(turn);
    let started_before = turn.answered.iter().map(|index| (&trace.calls[*index], 0));
    let live = turn.calls.clone().filter(|index| trace.is_live(*index)).map(|index| &trace.calls[index]);
    let started_now = live.map(|call| (call, trace.agent_micros(turn, call.started)));
    let mut calls: Vec<(&ToolCall, u64)> = started_before.chain(started_now).collect();
    calls.sort_by_key(|(_, start)| *start);

    let mut gaps = Vec::new();
    let mut idle_since = 0;
    let mut from = ("the start of the turn".to_owned(), None);
    for (call, start) in calls {
        let name = short(&call.name);
        gaps.push(Gap {
            micros: start.saturating_sub(idle_since),
            from: from.0.clone(),
            to: format!("the call of `{name}`"),
            events: from.1.into_iter().chain([call.first_event]).collect(),
        });
        let ended = trace.agent_micros(turn, call.ended());
        if ended >= idle_since {
            idle_since = ended;
            from = (format!("the end of `{name}`"), Some(call.last_event));
        }
    }
    gaps.push(Gap {
        micros: end.saturating_sub(idle_since),
        from: from.0,
        to: "the end of the turn".to_owned(),
        events: from.1.into_iter().collect(),
    });
    gaps
}
