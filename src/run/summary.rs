//! What a report needs of a turn, bounded, taken from the trace.

use crate::context::Clock;
use crate::outcome::{CallOutcome, Failure, Line, Problem, Status, TurnOutcome};
use crate::trace::{Message, Origin, Role, ToolCall, Trace, Turn, Violation};

/// The longest text of an agent that a report gets, in bytes.
const MAX_TEXT: usize = 16 << 10;

/// The most messages and calls of one turn that a report gets.
const MAX_LINES: usize = 1000;

/// The outcome of the turn `index`, counted from 0; `clock` stamped what the trace holds.
pub(super) fn turn(
    trace: &Trace,
    index: usize,
    clock: &dyn Clock,
    problem: Option<(Status, Problem)>,
    failures: Vec<Failure>,
) -> TurnOutcome {
    let (status, problem) = match problem {
        Some((status, problem)) => (status, Some(problem)),
        None if failures.is_empty() => (Status::Passed, None),
        None => (Status::Failed, None),
    };
    let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
    let turn = trace.turns.get(index);
    let mut warnings = turn.map(warnings).unwrap_or_default();
    let lines = turn.map(|turn| lines(trace, turn, &mut warnings)).unwrap_or_default();
    let started = turn.and_then(|turn| trace.turn_start(turn)).unwrap_or_else(|| clock.now());
    let ended = turn.and_then(|turn| trace.turn_end(turn)).unwrap_or(started);
    TurnOutcome {
        number,
        input: turn.map(|turn| bounded(&turn.input.shown)).unwrap_or_default(),
        lines,
        started_unix_ms: clock.unix_ms(started),
        ended_unix_ms: clock.unix_ms(ended),
        duration_us: turn.map_or(0, |turn| trace.turn_micros(turn)),
        status,
        failures,
        problem,
        warnings,
    }
}

/// How many messages the conversation has: those of the user and those of the agent that are not empty.
pub(super) fn messages_count(trace: &Trace) -> usize {
    let of_user = |message: &Message| message.role == Role::User && message.origin != Origin::History;
    trace.messages.iter().filter(|message| message.is_text() || of_user(message)).count()
}

/// A violation with its answer, where the turn has several: the numbers of events begin anew in each.
pub(super) fn violation(turn: &Turn, violation: &Violation) -> String {
    match turn.exchanges.len() {
        1 => violation.to_string(),
        _ => format!("answer {}: {violation}", violation.exchange - turn.exchanges.start + 1),
    }
}

/// What is odd about a turn: first how its events break the order of the protocol.
fn warnings(turn: &Turn) -> Vec<String> {
    let mut warnings: Vec<String> =
        turn.violations.kept().iter().map(|found| violation(turn, found)).collect();
    if turn.violations.more() > 0 {
        warnings.push(format!("{} more violations of the protocol are not shown", turn.violations.more()));
    }
    warnings.extend_from_slice(&turn.warnings);
    warnings
}

/// Messages and calls in the order they began.
fn lines(trace: &Trace, turn: &Turn, warnings: &mut Vec<String>) -> Vec<Line> {
    let messages = trace.messages[turn.messages.clone()].iter();
    let shown = messages.filter(|message| message.is_text() && message.role == Role::Assistant);
    let mut lines: Vec<Shown<'_>> = shown.map(Shown::Message).collect();
    let calls = trace.calls[turn.calls.clone()].iter().filter(|call| call.origin != Origin::History);
    lines.extend(calls.map(Shown::Call));
    lines.sort_by_key(Shown::event);
    if lines.len() > MAX_LINES {
        warnings
            .push(format!("{} more messages and calls of this turn are not shown", lines.len() - MAX_LINES));
        // The beginning, and the end with the agent's last words.
        lines.drain(MAX_LINES / 2..lines.len() - MAX_LINES / 2);
    }
    lines.into_iter().map(|line| line.line(trace, turn)).collect()
}

/// Something that a line may tell.
#[derive(Clone, Copy)]
enum Shown<'t> {
    Message(&'t Message),
    Call(&'t ToolCall),
}

impl Shown<'_> {
    fn event(&self) -> u32 {
        match self {
            Self::Message(message) => message.opened,
            Self::Call(call) => call.first_event,
        }
    }

    fn line(self, trace: &Trace, turn: &Turn) -> Line {
        match self {
            Self::Message(message) => Line::Says { event: message.opened, text: bounded(&message.text) },
            Self::Call(call) => Line::Calls(self::call(trace, turn, call)),
        }
    }
}

fn call(trace: &Trace, turn: &Turn, call: &ToolCall) -> CallOutcome {
    let started_us = trace.turn_start(turn).map_or(0, |start| call.started.0.saturating_sub(start.0));
    CallOutcome {
        event: call.first_event,
        name: bounded(&call.name),
        args: bounded(&call.args_text),
        result: call.result().map(|result| bounded(&result.text)),
        is_clients: call.is_clients,
        started_us,
        duration_us: call.result().map(|result| result.at.0.saturating_sub(call.started.0)),
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let mut end = MAX_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… ({} more bytes)", &text[..end], text.len() - end)
}
