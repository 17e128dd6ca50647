//! The limits of one turn: the keys of `timing` and `usage`.
//!
//! Each is checked at the end of a turn: only then is it known how long each call was open.

use super::measure::Measure;
use super::setting::Bound;
use super::{Evidence, Finding, Judgement, Monitor, at_turn_end};
use crate::describe::short;
use ananke_base::text::{duration, grouped};
use ananke_trace::outcome::{Measured, MeasuredUnit};
use ananke_trace::trace::{CallGap, CostGap, Trace, TurnRanges};

/// `timing.max_duration_ms`: how long the agent may take in one turn.
pub(crate) fn max_duration(bound: Bound) -> Box<dyn Monitor> {
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

/// `timing.max_idle_ms`: how long the agent may go without a tool call in progress.
pub(crate) fn max_idle(bound: Bound) -> Box<dyn Monitor> {
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

/// `timing.max_first_token_ms`: how long it may take until the first text of a turn arrives. A turn without text kept its user waiting until its end.
pub(crate) fn max_first_token(bound: Bound) -> Box<dyn Monitor> {
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

/// `timing.max_tool_ms`: how long each tool call may take. A call that is answered in a later turn is measured in each of the two, since what it waited for in between is unknown.
pub(crate) fn max_tool(bound: Bound) -> Box<dyn Monitor> {
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

/// `usage.max_input_tokens`, `max_output_tokens` and `max_total_tokens`: how many tokens one turn may take, of those that the
/// agent reported by its end.
pub(crate) fn max_tokens(measure: Measure, bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let Some(tokens) = measure.amount(view.trace, turn) else {
            return Judgement::Open;
        };
        let of_what = measure.of_what();
        let limit = grouped(bound.most);
        let measured = bound.counted(tokens.known, measure.unit());
        if !measured.is_allowed() {
            let at_least = if tokens.is_partial { "at least " } else { "" };
            let took = format!("{at_least}{} {of_what}", grouped(tokens.known));
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

/// `usage.max_cost_usd`: what the tokens of one turn may cost. A turn whose cost is not known may have cost anything, also if its
/// run failed.
pub(crate) fn max_cost(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |view, turn| {
        let cost = view.trace.turn_cost(turn);
        let measured = bound.counted(cost.known.0, MeasuredUnit::Dollars);
        if !measured.is_allowed() {
            let at_least = if cost.is_partial { "at least " } else { "" };
            let limit = bound.shown(Measure::Cost);
            let took = format!("{at_least}{}", cost.known.exact());
            let message = format!("the turn cost {took}, the limit is {limit}");
            let expected = format!("a cost of at most {limit}");
            let measured = Some(measured);
            return Judgement::failed(Finding {
                measured,
                ..Finding::in_words(message, expected, [took])
            });
        }
        if cost.is_partial {
            return Judgement::Unknown(cost_not_known(view.trace, turn));
        }
        Judgement::within(measured, Vec::new())
    })
}

/// `usage.max_rounds`: how many requests a turn may make of a model.
pub(crate) fn max_rounds(bound: Bound) -> Box<dyn Monitor> {
    at_turn_end(move |_, turn| {
        let requests = u64::try_from(turn.exchanges.len()).unwrap_or(u64::MAX);
        let measured = bound.counted(requests, MeasuredUnit::Requests);
        if measured.is_allowed() {
            return Judgement::within(measured, Vec::new());
        }
        let took = grouped(requests);
        let limit = bound.shown(Measure::Rounds);
        let message = format!("the turn made {took} requests to the model, the limit is {limit}");
        let expected = format!("at most {limit} to the model");
        let measured = Some(measured);
        Judgement::failed(Finding {
            measured,
            ..Finding::in_words(message, expected, [took])
        })
    })
}

/// The reason why the cost of a turn is not known, in words.
pub(super) fn cost_not_known(trace: &Trace, turn: &TurnRanges) -> String {
    let gaps = trace.cost_gaps(turn);
    if gaps.is_empty() {
        CostGap::NO_PRICES.to_owned()
    } else {
        gaps.join("; ")
    }
}
