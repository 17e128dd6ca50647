//! `timing.max_tool_ms`: how long each tool call may take.

use crate::assertion::block::Bound;
use crate::assertion::describe::{milliseconds, short};
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};

/// Judged at the end of a turn: only then is it known how long each call was open. A call that is answered in a later
/// turn is measured in each of the two: nobody knows whom it waited for in between.
#[derive(Debug)]
pub struct Monitor {
    bound: Bound,
}

impl Monitor {
    pub(crate) fn new(bound: Bound) -> Self {
        Self { bound }
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let trace = scope.trace;
        let Some(turn) = trace.turns.last().filter(|_| moment == Moment::TurnEnd) else {
            return Judgement::Open;
        };
        let live = turn.calls.clone().filter(|index| trace.is_live(*index));
        let started_now = live.map(|index| (index, trace.agent_micros(turn, trace.calls[index].started)));
        let started_before = turn.late_results.iter().map(|index| (*index, 0));
        let findings: Vec<Finding> = started_before
            .chain(started_now)
            .filter_map(|(index, start)| {
                let call = &trace.calls[index];
                let micros = trace.agent_micros(turn, call.ended()).saturating_sub(start);
                (!self.bound.admits_micros(micros)).then(|| Finding {
                    message: format!(
                        "`{}` took {}, the limit is {} ms",
                        short(&call.name),
                        milliseconds(micros),
                        self.bound.most
                    ),
                    expected: format!("no tool call of more than {} ms", self.bound.most),
                    seen: vec![Seen::Call { index, misfit: None }],
                    events: vec![call.first_event, call.last_event],
                })
            })
            .collect();
        if findings.is_empty() { Judgement::Holds } else { Judgement::Broken(findings) }
    }
}
