//! The part of a turn that a report needs, bounded, taken from the trace.

use serde_json::Value;

use ananke_base::context::{At, Clock};
use ananke_base::message::HistoryMessage;
use ananke_base::text::compact_json;
use ananke_trace::outcome::{
    CallFailure, CallOutcome, EarlierMessage, Gap, InputOrigin, LateResult, OpenInterrupt,
    ReportedRunEnd, SaidLine, TimeLimits, Timing, TranscriptLine, TurnEnd, TurnOutcome, bounded,
};
use ananke_trace::trace::{
    self, CustomEvent, Message, MessageKind, Origin, Peer, ReportedItem, ToolCall, ToolResult,
    Trace, TraceItem, TurnRanges, Violation,
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
    // A turn in which nothing was sent was over with the one before it.
    let mut earlier = trace.turns.iter().take(index).rev();
    let mut started = earlier.find_map(|turn| trace.turn_end(turn));
    let mut outcome = TurnOutcome {
        number: u32::try_from(index + 1).unwrap_or(u32::MAX),
        id: None,
        input: String::new(),
        origin: InputOrigin::default(),
        lines: Vec::new(),
        started_unix_ms: None,
        ended_unix_ms: None,
        duration_us: Some(0),
        timing: Timing::default(),
        run_end: None,
        usage: None,
        awaits: None,
        end,
        rules: Vec::new(),
        warnings: Vec::new(),
        raw: None,
    };

    // Everything is bounded on the way from the trace, since an agent may send any amount.
    let mut ended = None;
    if let Some(turn) = trace.turns.get(index) {
        started = trace.turn_start(turn).or(started);
        ended = trace.turn_end(turn);
        outcome.input = bounded(&turn.input.shown);
        outcome.warnings = warnings(turn);
        outcome.lines = lines(trace, turn, &mut outcome.warnings);
        outcome.duration_us = Some(trace.turn_micros(turn));
        outcome.timing = timing(trace, turn, limits);
        outcome.run_end = run_end(trace, turn);
        outcome.usage = trace.turn_usage(turn);
    }
    let started = started.unwrap_or_else(|| clock.now());
    outcome.started_unix_ms = Some(clock.unix_ms(started));
    outcome.ended_unix_ms = Some(clock.unix_ms(ended.unwrap_or(started)));
    outcome
}

/// The messages before the first turn; of very many the last.
pub fn history(messages: &[HistoryMessage]) -> Vec<EarlierMessage> {
    let last = &messages[messages.len().saturating_sub(MAX_LINES)..];
    let lines = last.iter().map(|message| EarlierMessage {
        role: message.role.as_str().into(),
        text: bounded(&message.describe()),
    });
    lines.collect()
}

/// The times for which the agent let its user wait; the first gaps, if there are very many.
fn timing(trace: &Trace, turn: &TurnRanges, limits: TimeLimits) -> Timing {
    let mut gaps = trace.gaps(turn);
    gaps.retain(|gap| gap.micros() > 0);
    gaps.truncate(MAX_LINES);
    let gaps = gaps.iter().map(|gap| Gap {
        from_us: gap.since,
        to_us: gap.until,
    });
    Timing {
        first_text_us: trace.first_text(turn).map(|(micros, _)| micros),
        gaps: Some(gaps.collect()),
        limits,
    }
}

/// The number of messages before the agent's last one: those of the user, and those of the agent that are not empty. All
/// of them if the agent did not answer the last one.
pub(super) fn messages_count(trace: &Trace) -> usize {
    let mut count = 0;
    let mut is_answered = false;
    for item in trace.log() {
        let Some(message) = item.message(trace) else {
            continue;
        };
        let is_of_user = message.role == MessageKind::User && message.origin != Origin::History;
        if message.is_text() || is_of_user {
            count += 1;
            is_answered = message.is_text();
        }
    }
    count - usize::from(is_answered)
}

/// The agent's state, as JSON; `None` if it is empty.
pub(super) fn state(trace: &Trace) -> Option<String> {
    match trace.state.value() {
        Value::Null => None,
        Value::Object(fields) if fields.is_empty() => None,
        state => Some(bounded(&state.to_string())),
    }
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
    let kept = turn.violations.kept().iter();
    let mut warnings: Vec<String> = kept.map(|found| violation(turn, found)).collect();
    let more = turn.violations.more();
    if more > 0 {
        warnings.push(format!(
            "{more} more violations of the protocol are not shown"
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
            let first = interrupts.iter().take(MAX_LINES);
            let open = first.map(|interrupt| OpenInterrupt {
                id: bounded(&interrupt.id),
                reason: interrupt.reason.as_deref().map(bounded),
                message: interrupt.message.as_deref().map(bounded),
                tool: trace.tool_of(interrupt).map(bounded),
            });
            ReportedRunEnd::Interrupted(open.collect())
        }
    })
}

/// The transcript, in the order in which everything began.
fn lines(trace: &Trace, turn: &TurnRanges, warnings: &mut Vec<String>) -> Vec<TranscriptLine> {
    let mut shown: Vec<ShownItem<'_>> = trace
        .items_of(turn)
        .into_iter()
        .filter_map(|item| ShownItem::of(trace, turn, item))
        .collect();
    if shown.len() > MAX_LINES {
        warnings.push(format!(
            "{} more lines of this turn are not shown",
            shown.len() - MAX_LINES
        ));
        // The middle is omitted: the beginning is kept, and the end with the last message.
        shown.drain(MAX_LINES / 2..shown.len() - MAX_LINES / 2);
    }
    shown.iter().map(|item| item.line(trace, turn)).collect()
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
    /// The item, if the report shows it in a line of its own.
    fn of(trace: &'t Trace, turn: &TurnRanges, item: ReportedItem) -> Option<Self> {
        match item {
            ReportedItem::Logged(TraceItem::Message(index)) => {
                let message = &trace.messages[index];
                if !message.is_text() && message.role != MessageKind::Reasoning {
                    return None;
                }
                Some(Self::Message(message))
            }
            ReportedItem::Logged(TraceItem::Call(index)) => {
                let call = &trace.calls[index];
                if call.origin == Origin::History {
                    return None;
                }
                Some(Self::Call(call))
            }
            // A result is in the line of its call. It has a line of its own only if it came in a later turn, and of several the
            // last, since it replaces the others.
            ReportedItem::Logged(item @ TraceItem::Result { call: index, .. }) => {
                let call = &trace.calls[index];
                if call.counted_in == turn.index || trace.last_result(index) != Some(item) {
                    return None;
                }
                Some(Self::Late(call, item.result(trace)?))
            }
            // The input of the turn shows the answers, and the state has a section of its own.
            ReportedItem::Logged(TraceItem::Answer { .. } | TraceItem::State(_)) => None,
            ReportedItem::Custom(index) => Some(Self::Custom(&trace.custom[index])),
        }
    }

    fn line(self, trace: &Trace, turn: &TurnRanges) -> TranscriptLine {
        match self {
            Self::Message(message) => {
                let said = said_line(trace, turn, message);
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

fn said_line(trace: &Trace, turn: &TurnRanges, message: &Message) -> SaidLine {
    let at_us = match message.first_text {
        Some(at) => since_start(trace, turn, at),
        None => event_micros(trace, turn, message.opened),
    };
    // A server says nothing of its own, so a text that is also a result is reported once.
    let mut calls = trace.calls[turn.calls.clone()].iter();
    let repeats_result = trace.peer == Peer::Server
        && calls.any(|call| match call.result() {
            Some(result) => result.text == message.text,
            None => false,
        });
    SaidLine {
        repeats_result,
        event: turn.numbered(message.opened),
        id: bounded(&message.wire_id),
        at_us: Some(at_us),
        text: bounded(&message.text),
    }
}

fn call(trace: &Trace, turn: &TurnRanges, call: &ToolCall) -> CallOutcome {
    let result = call.result();
    CallOutcome {
        event: turn.numbered(call.first_event),
        id: bounded(&call.wire_id),
        name: bounded(&call.name),
        args: bounded(&compact_json(&call.args_text)),
        result: result.map(|result| bounded(&result.text)),
        result_event: turn.numbered(match result {
            Some(result) => result.event,
            None => call.first_event,
        }),
        is_client_side: call.is_client_side,
        hides_result: call.hides_result(),
        started_us: Some(since_start(trace, turn, call.started)),
        duration_us: result.map(|result| result.at.0.saturating_sub(call.started.0)),
        failure: result.and_then(failure),
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
    match trace.turn_start(turn) {
        Some(start) => at.0.saturating_sub(start.0),
        None => 0,
    }
}

fn event_micros(trace: &Trace, turn: &TurnRanges, event: u32) -> u64 {
    match trace.events.get(event as usize) {
        Some(event) => since_start(trace, turn, event.at),
        None => 0,
    }
}

fn failure(result: &ToolResult) -> Option<CallFailure> {
    // A denial is reported as an error too, and says more.
    if result.is_denied {
        Some(CallFailure::Denied)
    } else if result.is_error == Some(true) {
        Some(CallFailure::Failed)
    } else {
        None
    }
}
