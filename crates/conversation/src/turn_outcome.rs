//! The part of a turn that a report needs, bounded, taken from the trace.

use serde_json::Value;

use super::model_line::model_line;
use ananke_base::context::{At, Clock};
use ananke_base::message::HistoryMessage;
use ananke_base::text::compact_json;
use ananke_trace::outcome::{
    CallFailure, CallOutcome, EarlierMessage, Gap, InputOrigin, LateResult, OpenInterrupt,
    ReportedRunEnd, SaidLine, TimeLimits, Timing, TranscriptLine, TurnEnd, TurnOutcome, bounded,
};
use ananke_trace::trace::{
    self, CustomEvent, LoggedModelCall, Message, MessageKind, Origin, Peer, ReportedItem, ToolCall,
    ToolResult, Trace, TraceItem, TurnRanges, Violation,
};

/// The most lines of one turn that a report gets.
const MAX_LINES: usize = 1000;

/// The outcome of the turn `index`, counted from 0, as far as the trace has it: the caller adds the id, the origin of the input
/// and the results of rules. `limits` applied to the turn, and `end` is how it ended; the times in the trace are of `clock`.
pub(super) fn turn_outcome(
    trace: &Trace,
    index: usize,
    clock: &dyn Clock,
    limits: TimeLimits,
    end: TurnEnd,
) -> TurnOutcome {
    // A turn in which nothing was sent has no times of its own: it gets the end of the last turn before it that has one.
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
        cost_gaps: Vec::new(),
        awaits: None,
        end,
        rules: Vec::new(),
        warnings: Vec::new(),
        raw: None,
    };

    // Texts and lists are bounded here, since an agent may send any amount. A turn without an exchange has 0 microseconds.
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
        outcome.cost_gaps = trace.cost_gaps(turn);
    }
    // In a conversation in which nothing was sent yet, the turn began and ended now.
    let started = started.unwrap_or_else(|| clock.now());
    outcome.started_unix_ms = Some(clock.unix_ms(started));
    outcome.ended_unix_ms = Some(clock.unix_ms(ended.unwrap_or(started)));
    outcome
}

/// The messages before the first turn; if there are very many, the last ones.
pub fn history(messages: &[HistoryMessage]) -> Vec<EarlierMessage> {
    let last = &messages[messages.len().saturating_sub(MAX_LINES)..];
    let lines = last.iter().map(|message| EarlierMessage {
        role: message.role.as_str().into(),
        text: bounded(&message.describe()),
    });
    lines.collect()
}

/// The times for which the agent let its user wait: until its first text, and in the gaps between its calls.
fn timing(trace: &Trace, turn: &TurnRanges, limits: TimeLimits) -> Timing {
    let mut gaps = trace.gaps(turn);
    // Calls that overlap, or follow each other at once, have an empty gap between them. A report needs none of these.
    gaps.retain(|gap| gap.micros() > 0);
    // An agent may make any number of calls, so only the first gaps are reported.
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

/// The number of messages that came before the agent's last answer: those of the user, and those of the agent with a text. If
/// the conversation ends with a message of the user, all are counted. The caller adds those of the history.
pub(super) fn messages_count(trace: &Trace) -> usize {
    let mut count = 0;
    let mut ends_with_answer = false;
    for item in trace.log() {
        let Some(message) = item.message(trace) else {
            continue;
        };
        // `is_text` is true for messages of the agent that are new and not empty.
        let is_of_agent = message.is_text();
        let is_of_user = message.role == MessageKind::User && message.origin != Origin::History;
        if is_of_agent || is_of_user {
            count += 1;
            ends_with_answer = is_of_agent;
        }
    }
    // The answer at the end is not before itself.
    count - usize::from(ends_with_answer)
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

/// The end of the turn's last run, as the agent reported it; `None` if no run ended.
fn run_end(trace: &Trace, turn: &TurnRanges) -> Option<ReportedRunEnd> {
    let exchanges = trace.exchanges.get(turn.exchanges.clone())?;
    Some(match exchanges.last()?.run_end.as_ref()? {
        // An end that the protocol does not have is no error, so it is reported like a run that finished.
        trace::RunEnd::Finished | trace::RunEnd::Unknown(_) => ReportedRunEnd::Finished,
        error @ trace::RunEnd::Error { .. } => ReportedRunEnd::Error(bounded(&error.to_string())),
        trace::RunEnd::Cancelled => ReportedRunEnd::Cancelled,
        trace::RunEnd::Interrupted(interrupts) => {
            // All texts and the list are bounded, since an agent may send any amount.
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

/// The transcript of a turn, in the order in which everything began. If lines are omitted, `warnings` gets a warning.
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
        // The middle is omitted, since readers need the beginning of the turn and its last message.
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
    Model(&'t LoggedModelCall),
}

impl<'t> ShownItem<'t> {
    /// The item of the trace, if the report shows it in a line of its own.
    fn of(trace: &'t Trace, turn: &TurnRanges, item: ReportedItem) -> Option<Self> {
        match item {
            // Texts and reasoning of the agent are shown. Messages of the user are not: the input of the turn has them.
            ReportedItem::Logged(TraceItem::Message(index)) => {
                let message = &trace.messages[index];
                if !message.is_text() && message.role != MessageKind::Reasoning {
                    return None;
                }
                Some(Self::Message(message))
            }
            ReportedItem::Logged(TraceItem::Call(index)) => {
                // A call of the history, or of a thread that is replayed, was not made in this turn.
                let call = &trace.calls[index];
                if call.origin == Origin::History {
                    return None;
                }
                Some(Self::Call(call))
            }
            // A result is in the line of its call, unless it came in a later turn than the call. Then it has a line of its own.
            // If the call got several results, only the last one has such a line, since it replaces the others.
            ReportedItem::Logged(item @ TraceItem::Result { call: index, .. }) => {
                let call = &trace.calls[index];
                if call.counted_in == turn.index || trace.last_result(index) != Some(item) {
                    return None;
                }
                Some(Self::Late(call, item.result(trace)?))
            }
            // Answers to interrupts are in the input of the turn, and the report has a section for the state.
            ReportedItem::Logged(TraceItem::Answer { .. } | TraceItem::State(_)) => None,
            ReportedItem::Logged(TraceItem::ModelCall(index)) => {
                Some(Self::Model(&trace.model_calls[index]))
            }
            ReportedItem::Custom(index) => Some(Self::Custom(&trace.custom[index])),
        }
    }

    /// The line of the report. Its texts are bounded, and its times are since the start of the turn.
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
            Self::Call(call) => TranscriptLine::Calls(call_outcome(trace, turn, call)),
            Self::Late(call, result) => {
                TranscriptLine::Answered(late_result(trace, turn, call, result))
            }
            Self::Model(logged) => TranscriptLine::Asks(model_line(trace, turn, logged)),
            Self::Custom(custom) => TranscriptLine::Custom {
                event: turn.numbered(custom.event),
                at_us: Some(event_micros(trace, turn, custom.event)),
                name: bounded(&custom.name),
                value: bounded(&custom.value.to_string()),
            },
        }
    }
}

/// The line of a message or of reasoning. Its moment is that of the first text; a message without a text has that of the event
/// that opened it.
fn said_line(trace: &Trace, turn: &TurnRanges, message: &Message) -> SaidLine {
    let at_us = match message.first_text {
        Some(at) => since_start(trace, turn, at),
        None => event_micros(trace, turn, message.opened),
    };
    // A server only answers the calls of the test. A text that is the same as a result is marked, so that reports show it once.
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

/// The line of a call with its last result. Its texts are bounded, and its times are since the start of the turn.
fn call_outcome(trace: &Trace, turn: &TurnRanges, call: &ToolCall) -> CallOutcome {
    let result = call.result();
    CallOutcome {
        event: turn.numbered(call.first_event),
        id: bounded(&call.wire_id),
        name: bounded(&call.name),
        args: bounded(&compact_json(&call.args_text)),
        result: result.map(|result| bounded(&result.text)),
        // A call without a result has no other event than that of the call.
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

/// The line of a result that came in a later turn than its call.
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
        // The trace counts turns from 0, and reports from 1.
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
