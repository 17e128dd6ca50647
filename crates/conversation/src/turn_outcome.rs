//! The part of a turn that a report needs, bounded, taken from the trace.

use ananke_base::context::{At, Clock};
use ananke_base::message::HistoryMessage;
use ananke_base::text::compact_json;
use ananke_trace::outcome::{
    CallFailure, CallOutcome, EarlierMessage, Gap, InputOrigin, LateResult, OpenInterrupt,
    ReportedRunEnd, SaidLine, TimeLimits, Timing, TranscriptLine, TurnEnd, TurnOutcome, bounded,
};
use ananke_trace::trace::{
    self, CustomEvent, Interrupt, Message, MessageKind, Origin, Peer, ReportedItem, ToolCall,
    ToolResult, Trace, TraceItem, TurnRanges, Violation,
};

/// The most lines of one turn that a report gets.
const MAX_LINES: usize = 1000;

/// The outcome of the turn `index`, counted from 0, to which `limits` applied; `clock` stamped what the trace contains.
pub(super) fn turn_outcome(
    trace: &Trace,
    index: usize,
    clock: &dyn Clock,
    limits: TimeLimits,
    end: TurnEnd,
) -> TurnOutcome {
    let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
    let turn = trace.turns.get(index);
    let mut warnings = turn.map(warnings).unwrap_or_default();
    let lines = turn
        .map(|turn| lines(trace, turn, &mut warnings))
        .unwrap_or_default();
    // A turn in which nothing was sent was over with the one before it.
    let before = || {
        trace
            .turns
            .iter()
            .take(index)
            .rev()
            .find_map(|turn| trace.turn_end(turn))
    };
    let started = turn
        .and_then(|turn| trace.turn_start(turn))
        .or_else(before)
        .unwrap_or_else(|| clock.now());
    let ended = turn
        .and_then(|turn| trace.turn_end(turn))
        .unwrap_or(started);
    TurnOutcome {
        number,
        id: None,
        input: turn
            .map(|turn| bounded(&turn.input.shown))
            .unwrap_or_default(),
        origin: InputOrigin::default(),
        lines,
        started_unix_ms: Some(clock.unix_ms(started)),
        ended_unix_ms: Some(clock.unix_ms(ended)),
        duration_us: Some(turn.map_or(0, |turn| trace.turn_micros(turn))),
        timing: turn
            .map(|turn| timing(trace, turn, limits))
            .unwrap_or_default(),
        run_end: turn.and_then(|turn| run_end(trace, turn)),
        usage: turn.and_then(|turn| trace.turn_usage(turn)),
        awaits: None,
        end,
        rules: Vec::new(),
        warnings,
        raw: None,
    }
}

/// The messages before the first turn; of very many the last.
pub fn history(messages: &[HistoryMessage]) -> Vec<EarlierMessage> {
    let shown = &messages[messages.len().saturating_sub(MAX_LINES)..];
    let line = |message: &HistoryMessage| EarlierMessage {
        role: message.role.as_str().into(),
        text: bounded(&message.describe()),
    };
    shown.iter().map(line).collect()
}

/// The times for which the agent let its user wait; the first gaps, if there are very many.
fn timing(trace: &Trace, turn: &TurnRanges, limits: TimeLimits) -> Timing {
    let gaps = trace
        .gaps(turn)
        .into_iter()
        .filter(|gap| gap.micros() > 0)
        .take(MAX_LINES);
    let gap = |gap: trace::CallGap<'_>| Gap {
        from_us: gap.since,
        to_us: gap.until,
    };
    let first_text_us = trace.first_text(turn).map(|(micros, _)| micros);
    Timing {
        first_text_us,
        gaps: Some(gaps.map(gap).collect()),
        limits,
    }
}

/// The number of messages before the agent's last one: those of the user, and those of the agent that are not empty. All
/// of them if the agent did not answer the last one.
pub(super) fn messages_count(trace: &Trace) -> usize {
    let of_user =
        |message: &Message| message.role == MessageKind::User && message.origin != Origin::History;
    let messages = trace
        .log()
        .iter()
        .filter_map(|item| item.message(trace))
        .filter(|message| message.is_text() || of_user(message));
    let is_answered = messages.clone().next_back().is_some_and(Message::is_text);
    messages.count() - usize::from(is_answered)
}

/// The agent's state, as JSON; `None` if it is empty.
pub(super) fn state(trace: &Trace) -> Option<String> {
    let state = trace.state.value();
    let is_empty = state.is_null() || state.as_object().is_some_and(serde_json::Map::is_empty);
    (!is_empty).then(|| bounded(&state.to_string()))
}

/// A violation with its response, if the turn has several.
pub(super) fn violation(turn: &TurnRanges, violation: &Violation) -> String {
    match turn.exchanges.len() {
        1 => violation.to_string(),
        _ => format!(
            "answer {}: {violation}",
            violation.exchange - turn.exchanges.start + 1
        ),
    }
}

/// The warnings about a turn: first the violations of the protocol.
fn warnings(turn: &TurnRanges) -> Vec<String> {
    let mut warnings: Vec<String> = turn
        .violations
        .kept()
        .iter()
        .map(|found| violation(turn, found))
        .collect();
    if turn.violations.more() > 0 {
        warnings.push(format!(
            "{} more violations of the protocol are not shown",
            turn.violations.more()
        ));
    }
    warnings.extend_from_slice(&turn.warnings);
    warnings
}

/// The end of the turn's last run, as the agent reported it.
fn run_end(trace: &Trace, turn: &TurnRanges) -> Option<ReportedRunEnd> {
    let exchanges = trace.exchanges.get(turn.exchanges.clone())?;
    Some(match exchanges.last()?.run_end.as_ref()? {
        trace::RunEnd::Finished | trace::RunEnd::Unknown(_) => ReportedRunEnd::Finished,
        error @ trace::RunEnd::Error { .. } => ReportedRunEnd::Error(bounded(&error.to_string())),
        trace::RunEnd::Cancelled => ReportedRunEnd::Cancelled,
        trace::RunEnd::Interrupted(interrupts) => {
            let shown = interrupts.iter().take(MAX_LINES);
            ReportedRunEnd::Interrupted(
                shown
                    .map(|interrupt| open_interrupt(trace, interrupt))
                    .collect(),
            )
        }
    })
}

fn open_interrupt(trace: &Trace, interrupt: &Interrupt) -> OpenInterrupt {
    let bounded = |text: &Option<String>| text.as_deref().map(self::bounded);
    OpenInterrupt {
        id: self::bounded(&interrupt.id),
        reason: bounded(&interrupt.reason),
        message: bounded(&interrupt.message),
        tool: trace.tool_of(interrupt).map(self::bounded),
    }
}

/// The transcript, in the order in which everything began.
fn lines(trace: &Trace, turn: &TurnRanges, warnings: &mut Vec<String>) -> Vec<TranscriptLine> {
    let shown = trace.items_of(turn).into_iter();
    let mut lines: Vec<ShownItem<'_>> = shown
        .filter_map(|item| ShownItem::of(trace, turn, item))
        .collect();
    if lines.len() > MAX_LINES {
        warnings.push(format!(
            "{} more lines of this turn are not shown",
            lines.len() - MAX_LINES
        ));
        // The beginning, and the end with the last message.
        lines.drain(MAX_LINES / 2..lines.len() - MAX_LINES / 2);
    }
    lines
        .into_iter()
        .map(|line| line.line(trace, turn))
        .collect()
}

/// The items that a line can show.
#[derive(Clone, Copy)]
enum ShownItem<'t> {
    Message(&'t Message),
    Call(&'t ToolCall),
    Late(&'t ToolCall, &'t ToolResult),
    Custom(&'t CustomEvent),
}

impl<'t> ShownItem<'t> {
    /// The line that something has; `None` if it has none.
    fn of(trace: &'t Trace, turn: &TurnRanges, item: ReportedItem) -> Option<Self> {
        match item {
            ReportedItem::Logged(TraceItem::Message(index)) => {
                let message = &trace.messages[index];
                let is_shown = message.is_text() || message.role == MessageKind::Reasoning;
                is_shown.then_some(Self::Message(message))
            }
            ReportedItem::Logged(TraceItem::Call(index)) => {
                let call = &trace.calls[index];
                (call.origin != Origin::History).then_some(Self::Call(call))
            }
            ReportedItem::Logged(item @ TraceItem::Result { call: index, .. }) => {
                let call = &trace.calls[index];
                let is_late = call.counted_in != turn.index;
                let is_last = trace.last_result(index) == Some(item);
                let result = item.result(trace)?;
                (is_late && is_last).then_some(Self::Late(call, result))
            }
            ReportedItem::Logged(TraceItem::Answer { .. } | TraceItem::State(_)) => None,
            ReportedItem::Custom(index) => Some(Self::Custom(&trace.custom[index])),
        }
    }

    fn line(self, trace: &Trace, turn: &TurnRanges) -> TranscriptLine {
        match self {
            Self::Message(message) => {
                let event = message.opened;
                let at_us = message.first_text.map_or_else(
                    || event_micros(trace, turn, event),
                    |at| since_start(trace, turn, at),
                );
                let (id, text) = (bounded(&message.wire_id), bounded(&message.text));
                let mut calls = trace.calls[turn.calls.clone()].iter();
                let is_result = |call: &ToolCall| {
                    call.result()
                        .is_some_and(|result| result.text == message.text)
                };
                let said = SaidLine {
                    repeats_result: trace.peer == Peer::Server && calls.any(is_result),
                    event: turn.numbered(event),
                    id,
                    at_us: Some(at_us),
                    text,
                };
                if message.role == MessageKind::Reasoning {
                    TranscriptLine::Thinks(said)
                } else {
                    TranscriptLine::Says(said)
                }
            }
            Self::Call(call) => TranscriptLine::Calls(self::call(trace, turn, call)),
            Self::Late(call, result) => {
                TranscriptLine::Answered(late_result(trace, turn, call, result))
            }
            Self::Custom(custom) => TranscriptLine::Custom {
                event: turn.numbered(custom.event),
                at_us: Some(event_micros(trace, turn, custom.event)),
                name: bounded(&custom.name),
                value: bounded(&custom.value.to_string()),
            },
        }
    }
}

fn call(trace: &Trace, turn: &TurnRanges, call: &ToolCall) -> CallOutcome {
    CallOutcome {
        event: turn.numbered(call.first_event),
        id: bounded(&call.wire_id),
        name: bounded(&call.name),
        args: bounded(&compact_json(&call.args_text)),
        result: call.result().map(|result| bounded(&result.text)),
        result_event: turn.numbered(
            call.result()
                .map_or(call.first_event, |result| result.event),
        ),
        is_client_side: call.is_client_side,
        hides_result: call.hides_result(),
        started_us: Some(since_start(trace, turn, call.started)),
        duration_us: call
            .result()
            .map(|result| result.at.0.saturating_sub(call.started.0)),
        failure: call.result().and_then(failure),
    }
}

fn late_result(
    trace: &Trace,
    turn: &TurnRanges,
    call: &ToolCall,
    result: &ToolResult,
) -> LateResult {
    LateResult {
        event: turn.numbered(result.event),
        id: bounded(&call.wire_id),
        name: bounded(&call.name),
        called_in: u32::try_from(call.counted_in + 1).unwrap_or(u32::MAX),
        result: bounded(&result.text),
        arrived_us: Some(since_start(trace, turn, result.at)),
        failure: failure(result),
    }
}

fn since_start(trace: &Trace, turn: &TurnRanges, at: At) -> u64 {
    trace
        .turn_start(turn)
        .map_or(0, |start| at.0.saturating_sub(start.0))
}

fn event_micros(trace: &Trace, turn: &TurnRanges, event: u32) -> u64 {
    trace
        .events
        .get(event as usize)
        .map_or(0, |event| since_start(trace, turn, event.at))
}

fn failure(result: &ToolResult) -> Option<CallFailure> {
    match (result.is_denied, result.is_error) {
        (true, _) => Some(CallFailure::Denied),
        (false, Some(true)) => Some(CallFailure::Failed),
        (false, _) => None,
    }
}
