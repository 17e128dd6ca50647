//! `timing.max_idle_ms`: how long the agent may go without a tool call in progress.

use super::setting::Bound;
use crate::describe::short;
use crate::evaluation::{Finding, Judgement, Monitor, at_turn_end};
use ananke_base::text::duration;
use ananke_trace::trace::CallGap;

/// Checked at the end of a turn: only then is it known how long each call was open.
pub(super) fn max_idle(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let gaps = view.trace.gaps(turn);
        let longest = gaps.iter().map(CallGap::micros).max().unwrap_or_default();
        let long = gaps
            .iter()
            .filter(|gap| !bound.micros(gap.micros()).is_allowed());
        Judgement::within(
            bound.micros(longest),
            long.map(|gap| finding(gap, &bound)).collect(),
        )
    })
}

fn finding(gap: &CallGap<'_>, bound: &Bound) -> Finding {
    let limit = bound.time();
    let from = gap.from.map_or_else(
        || "the start of the turn".to_owned(),
        |call| format!("the end of `{}`", short(&call.name)),
    );
    let to = gap.to.map_or_else(
        || "the end of the turn".to_owned(),
        |call| format!("the call to `{}`", short(&call.name)),
    );
    let idle = duration::exact(gap.micros());
    let message = format!("idle for {idle} from {from} to {to}, the limit is {limit}");
    let expected = format!("no stretch of more than {limit} without a tool call in progress");
    let events = [
        gap.from.map(|call| call.last_event),
        gap.to.map(|call| call.first_event),
    ];
    let events = events.into_iter().flatten().collect();
    let measured = Some(bound.micros(gap.micros()));
    Finding {
        events,
        measured,
        ..Finding::in_words(message, expected, [idle])
    }
}
