//! From a turn, and an attempt, to their views.

use serde_json::Value;
use serde_json::value::RawValue;

use super::attempt_view::AttemptView;
use super::from_rule::{assertions, filled, problem_view};
use super::turn_view::{
    AwaitingInputView, CallItem, CallStatusView, CustomItem, EventView, ExchangeView,
    InputReasonView, InputSourceView, InterruptView, ItemView, ResultItem, RunOutcomeView,
    SaidView, StateChangeView, StateView, ToolCallView, TurnView, UsageView,
};
use crate::report::words::duration::milliseconds;
use ananke_base::text::compact_json;
use ananke_trace::outcome::{
    self, CallFailure, CallOutcome, Gap, InputDecision, InputOrigin, InputReason, LateResult,
    Outcome, RawEvent, RawExchange, ReportedRunEnd, SaidLine, StateChange, StateChangeKind,
    StateHistory, TranscriptLine, TurnOutcome,
};
use ananke_trace::trace::{self, Tokens};

/// An attempt other than the one that a result is about, with its number.
pub(super) fn attempt((number, outcome): (usize, &Outcome)) -> AttemptView<'_> {
    AttemptView {
        attempt: number,
        run: Some(outcome.run).filter(|run| *run > 1),
        status: outcome.status().into(),
        thread_id: filled(&outcome.transcript.thread_id),
        started: outcome.transcript.started_unix_ms,
        ended: outcome.transcript.ended_unix_ms,
        duration_ms: outcome.transcript.duration().map(milliseconds),
        turns: outcome.transcript.turns.iter().map(turn).collect(),
        turns_not_run: outcome.transcript.turns_not_run,
        final_assertions: assertions(outcome.verdict.failures(), outcome.passed_rules()),
        error: outcome
            .first_problem()
            .map(|(_, problem)| problem_view(problem)),
        recording: outcome.transcript.recording.as_deref(),
    }
}

/// A turn.
pub(super) fn turn(turn: &TurnOutcome) -> TurnView<'_> {
    let said: Vec<&str> = turn.lines.iter().filter_map(text_of).collect();
    let calls = turn.lines.iter().filter_map(|line| match line {
        TranscriptLine::Calls(call) => Some(tool_call(call, turn)),
        _ => None,
    });
    let longest = |gaps: &Vec<Gap>| {
        let lengths = gaps
            .iter()
            .map(|Gap { from_us, to_us }| to_us.saturating_sub(*from_us));
        lengths.max().unwrap_or_default()
    };
    let raw = turn.raw.as_deref();
    let started = turn.started_unix_ms;
    TurnView {
        exchanges: raw.and_then(|raw| filled_list(raw.exchanges.iter().map(exchange))),
        events: raw.and_then(|raw| filled_list(raw.events.iter().map(|sent| event(sent, started)))),
        state: raw.and_then(|raw| raw.state.as_ref()).map(state),
        dropped: raw.map(|raw| raw.dropped).filter(|dropped| *dropped > 0),
        number: turn.number,
        id: turn.id.as_deref(),
        status: turn.status().into(),
        input: &turn.input,
        input_source: turn.origin.into(),
        output: said.join("\n"),
        items: items(turn),
        tool_calls: calls.collect(),
        first_text_ms: turn.timing.first_text_us.map(milliseconds),
        idle_ms: turn.timing.gaps.as_ref().map(longest).map(milliseconds),
        outcome: turn.run_end.as_ref().map(RunOutcomeView::from),
        interrupts: turn.run_end.as_ref().and_then(interrupts),
        awaiting_input: turn.awaits.as_ref().map(awaiting_input),
        usage: turn.usage.and_then(usage),
        assertions: assertions(turn.failures(), turn.passed_rules()),
        warnings: &turn.warnings,
        error: turn.problem().map(problem_view),
        duration_ms: turn.duration_us.map(milliseconds),
        started: turn.started_unix_ms,
        ended: turn.ended_unix_ms,
    }
}

/// The views of a list; `None` if it is empty.
fn filled_list<T>(views: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let views: Vec<T> = views.collect();
    (!views.is_empty()).then_some(views)
}

fn exchange(exchange: &RawExchange) -> ExchangeView<'_> {
    let RawExchange {
        event,
        method,
        url,
        request_headers,
        body,
        status,
        response_headers,
    } = exchange;
    ExchangeView {
        event: *event,
        method,
        url,
        request_headers,
        body: body.as_deref(),
        status: *status,
        response_headers,
    }
}

fn event(event: &RawEvent, started_unix_ms: Option<u64>) -> EventView<'_> {
    EventView {
        n: event.number,
        at: started_unix_ms.map(|started| started + event.at_us / 1000),
        raw: &event.raw,
    }
}

fn state(state: &StateHistory) -> StateView {
    let change = |change: &StateChange| {
        let value = json(&change.value);
        let (snapshot, patch) = match change.kind {
            StateChangeKind::Snapshot => (Some(value), None),
            StateChangeKind::Patch => (None, Some(value)),
        };
        StateChangeView {
            event: change.event,
            snapshot,
            patch,
        }
    };
    StateView {
        before: state.before.as_deref().map(json),
        changes: state.changes.iter().map(change).collect(),
    }
}

fn awaiting_input(decision: &InputDecision) -> AwaitingInputView<'_> {
    let InputDecision {
        reason,
        question,
        hint,
    } = decision;
    let reason = match reason {
        InputReason::AgentDeclared => InputReasonView::AgentDeclared,
        InputReason::ToolRequiresConfirmation => InputReasonView::ToolRequiresConfirmation,
        InputReason::ContentIsQuestion => InputReasonView::ContentIsQuestion,
        InputReason::Completed => InputReasonView::Completed,
    };
    let (question, input_hint) = (question.as_deref(), hint.as_deref());
    AwaitingInputView {
        waits: decision.is_awaiting(),
        reason,
        question,
        input_hint,
    }
}

impl From<InputOrigin> for InputSourceView {
    fn from(origin: InputOrigin) -> Self {
        match origin {
            InputOrigin::Static => Self::Static,
            InputOrigin::Initial => Self::Initial,
            InputOrigin::Simulator => Self::Simulator,
            InputOrigin::Walk => Self::Walk,
            InputOrigin::Human => Self::Human,
        }
    }
}

/// What the agent said in a line, if it said anything.
pub(super) fn text_of(line: &TranscriptLine) -> Option<&str> {
    match line {
        TranscriptLine::Says(said) => filled(&said.text),
        _ => None,
    }
}

fn interrupts(end: &ReportedRunEnd) -> Option<Vec<InterruptView<'_>>> {
    let ReportedRunEnd::Interrupted(interrupts) = end else {
        return None;
    };
    listed(interrupts.iter().map(interrupt))
}

/// A list that is omitted if it is empty.
pub(super) fn listed<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    Some(items.collect()).filter(|items: &Vec<T>| !items.is_empty())
}

fn interrupt(open: &outcome::OpenInterrupt) -> InterruptView<'_> {
    let outcome::OpenInterrupt {
        id,
        reason,
        message,
        tool,
    } = open;
    InterruptView {
        id,
        reason: reason.as_deref(),
        message: message.as_deref(),
        tool: tool.as_deref(),
    }
}

/// What is known of the tokens, where anything is.
fn usage(usage: trace::Usage) -> Option<UsageView> {
    let trace::Usage {
        input,
        output,
        total,
    } = usage;
    let tokens = [input, output, total].map(Tokens::whole);
    let [input_tokens, output_tokens, total_tokens] = tokens;
    tokens.iter().any(Option::is_some).then_some(UsageView {
        input_tokens,
        output_tokens,
        total_tokens,
    })
}

/// What the agent did in a turn, in the order of the events.
fn items(turn: &TurnOutcome) -> Vec<ItemView<'_>> {
    let mut items: Vec<(u32, ItemView<'_>)> = Vec::with_capacity(turn.lines.len());
    for line in turn.lines.iter().filter(|line| !line.is_repetition()) {
        items.push((line.event(), item(line, turn)));
        if let TranscriptLine::Calls(call) = line
            && let Some(result) = result_item(call, turn)
        {
            items.push((call.result_event, result));
        }
    }
    items.sort_by_key(|(event, _)| *event);
    items.into_iter().map(|(_, item)| item).collect()
}

fn item<'a>(line: &'a TranscriptLine, turn: &TurnOutcome) -> ItemView<'a> {
    match line {
        TranscriptLine::Says(said) => ItemView::Message(self::said(said, turn)),
        TranscriptLine::Thinks(said) => ItemView::Reasoning(self::said(said, turn)),
        TranscriptLine::Calls(CallOutcome {
            event,
            id,
            name,
            args,
            started_us,
            ..
        }) => ItemView::Call(CallItem {
            id,
            event: *event,
            at: at(turn, *started_us),
            name,
            args: arguments(args),
        }),
        TranscriptLine::Answered(late) => {
            let LateResult {
                event,
                id,
                name,
                called_in,
                result,
                arrived_us,
                failure,
            } = late;
            ItemView::Result(ResultItem {
                id,
                event: *event,
                at: at(turn, *arrived_us),
                name,
                result: json(result),
                status: answered(*failure),
                is_error: is_error(*failure),
                called_in: Some(*called_in),
            })
        }
        TranscriptLine::Custom {
            event,
            at_us,
            name,
            value,
        } => ItemView::Custom(CustomItem {
            event: *event,
            at: at(turn, *at_us),
            name,
            value: json(value),
        }),
    }
}

fn said<'a>(said: &'a SaidLine, turn: &TurnOutcome) -> SaidView<'a> {
    let SaidLine {
        event,
        id,
        at_us,
        text,
        repeats_result: _,
    } = said;
    SaidView {
        id: filled(id),
        event: *event,
        at: at(turn, *at_us),
        text,
    }
}

fn result_item<'a>(call: &'a CallOutcome, turn: &TurnOutcome) -> Option<ItemView<'a>> {
    Some(ItemView::Result(ResultItem {
        id: &call.id,
        event: call.result_event,
        at: finished(call, turn),
        name: &call.name,
        result: json(call.result.as_deref()?),
        status: answered(call.failure),
        is_error: is_error(call.failure),
        called_in: None,
    }))
}

fn tool_call<'a>(call: &'a CallOutcome, turn: &TurnOutcome) -> ToolCallView<'a> {
    let finished = finished(call, turn);
    ToolCallView {
        id: &call.id,
        name: &call.name,
        args: arguments(&call.args),
        result: call.result.as_deref().map(json),
        status: if call.result.is_none() && !call.hides_result {
            CallStatusView::Pending
        } else {
            answered(call.failure)
        },
        is_error: is_error(call.failure),
        is_mocked: call.is_client_side.then_some(true),
        started: at(turn, call.started_us),
        finished,
        timestamp: finished,
        duration_ms: call.duration_us.map(milliseconds),
    }
}

/// The moment so many microseconds after the start of the turn, in Unix milliseconds; `None` if nothing shows it.
fn at(turn: &TurnOutcome, us: Option<u64>) -> Option<u64> {
    Some(turn.started_unix_ms?.saturating_add(us? / 1000))
}

fn finished(call: &CallOutcome, turn: &TurnOutcome) -> Option<u64> {
    let ended_us = call.started_us?.saturating_add(call.duration_us?);
    at(turn, Some(ended_us))
}

/// The status of a call that has a result.
fn answered(failure: Option<CallFailure>) -> CallStatusView {
    if failure == Some(CallFailure::Denied) {
        CallStatusView::Denied
    } else {
        CallStatusView::Executed
    }
}

fn is_error(failure: Option<CallFailure>) -> Option<bool> {
    (failure == Some(CallFailure::Failed)).then_some(true)
}

/// No arguments are an empty object, as in the rules.
fn arguments(args: &str) -> Box<RawValue> {
    json(if args.trim().is_empty() { "{}" } else { args })
}

/// The deepest value that is written as JSON; with the line around it, it is within the limits of every reader.
const DEEPEST: usize = 64;

/// `text` as the value it is, its numbers digit by digit as they were sent; else as a string.
pub(super) fn json(text: &str) -> Box<RawValue> {
    // What a reader could not make a value of (half a surrogate pair, a number out of range) would cost it the line.
    let readable = serde_json::from_str::<Value>(text).is_ok_and(|value| depth(&value) <= DEEPEST);
    let value = readable
        .then(|| RawValue::from_string(compact_json(text).into_owned()).ok())
        .flatten();
    value
        .or_else(|| serde_json::value::to_raw_value(text).ok())
        .unwrap_or_default()
}

fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.values().map(depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}

impl From<&ReportedRunEnd> for RunOutcomeView {
    fn from(end: &ReportedRunEnd) -> Self {
        match end {
            ReportedRunEnd::Finished => Self::Finished,
            ReportedRunEnd::Error(_) => Self::Error,
            ReportedRunEnd::Cancelled => Self::Cancelled,
            ReportedRunEnd::Interrupted(_) => Self::Interrupted,
        }
    }
}
