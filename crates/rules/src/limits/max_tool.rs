//! `timing.max_tool_ms`: how long each tool call may take.

use super::setting::Bound;
use crate::describe::short;
use crate::evaluation::{Evidence, Finding, Judgement, Monitor, at_turn_end};
use ananke_base::text::duration;
use ananke_trace::outcome::Measured;

/// Checked at the end of a turn: only then is it known how long each call was open. A call that is answered in a later
/// turn is measured in each of the two, since what it waited for in between is unknown.
pub(super) fn max_tool(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let trace = view.trace;
        let measured = |(index, start): (usize, u64)| {
            let end = trace.agent_micros(turn, trace.calls[index].ended());
            (index, bound.micros(end.saturating_sub(start)))
        };
        let measured: Vec<(usize, Measured)> = trace.open_calls(turn).map(measured).collect();
        let longest = measured
            .iter()
            .map(|(_, measured)| measured.actual)
            .max()
            .unwrap_or_default();
        let finding = |(index, measured): (usize, Measured)| {
            let (call, limit) = (&trace.calls[index], bound.time());
            let (name, took) = (short(&call.name), duration::exact(measured.actual));
            (!measured.is_allowed()).then(|| Finding {
                message: format!("`{name}` took {took}, the limit is {limit}"),
                expected: format!("no tool call of more than {limit}"),
                evidence: vec![Evidence::call(index)],
                events: vec![call.first_event, call.last_event],
                measured: Some(measured),
                ..Finding::default()
            })
        };
        Judgement::within(
            bound.micros(longest),
            measured.into_iter().filter_map(finding).collect(),
        )
    })
}
