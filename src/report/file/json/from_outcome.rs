//! From an outcome to its line.

use serde_json::Value;
use serde_json::value::RawValue;

use super::view::{
    self, Assertion, AttemptView, CustomEventView, EarlierMessageView, InputSourceView, InterruptView,
    LateResultView, LevelView, ProblemView, Quarantined, ResultLine, RunOutcomeView, SnapshotCounts,
    StatusView, SummaryLine, ToolCallView, TurnView, UsageView, VERSION,
};
use crate::outcome::{
    self, CallFailure, CallOutcome, Failure, Outcome, PassedRule, Problem, ReportedRunEnd, TranscriptLine,
    TurnOutcome,
};
use crate::report::run_totals::RunTotals;
use crate::report::snapshot_totals::SnapshotTotals;
use crate::report::words::duration::milliseconds;
use crate::text::compact_json;
use crate::trace::{self, Tokens};

/// The line of `outcome`.
pub(super) fn result(outcome: &Outcome) -> ResultLine<'_> {
    let said =
        outcome.transcript.turns.iter().rev().flat_map(|turn| turn.lines.iter().rev()).find_map(text_of);
    let problem = outcome.first_problem().map(|(_, problem)| problem);
    ResultLine {
        version: VERSION,
        id: &outcome.test.id,
        name: &outcome.test.name,
        description: outcome.test.description.as_deref(),
        tags: Some(outcome.test.tags.as_slice()).filter(|tags| !tags.is_empty()),
        file: &outcome.test.file,
        line: outcome.test.line,
        target: &outcome.test.target,
        agent: filled(&outcome.test.agent),
        thread_id: filled(&outcome.transcript.thread_id),
        status: outcome.status().into(),
        flaky: outcome.is_flaky().then_some(true),
        quarantined: outcome.test.quarantine.as_ref().map(quarantined),
        earlier_attempts: listed((1..).zip(&outcome.earlier_attempts).map(attempt)),
        skip_reason: outcome.verdict.end.skip_reason(),
        started: outcome.transcript.started_unix_ms,
        ended: outcome.transcript.ended_unix_ms,
        duration_ms: milliseconds(outcome.transcript.duration_us),
        messages_count: outcome.transcript.messages_count,
        response: said,
        history: listed(outcome.transcript.history.iter().map(earlier)),
        turns: outcome.transcript.turns.iter().map(turn).collect(),
        total_turns: outcome.transcript.turns.len(),
        turns_not_run: outcome.transcript.turns_not_run,
        final_assertions: assertions(outcome.verdict.end.failures(), &outcome.verdict.held),
        assertion_errors: outcome.all_failures().map(|(_, failure)| failure.message.as_str()).collect(),
        warnings: &outcome.verdict.warnings,
        error: problem.map(problem_view),
        recording: outcome.transcript.recording.as_deref(),
    }
}

fn earlier(message: &outcome::EarlierMessage) -> EarlierMessageView<'_> {
    EarlierMessageView { role: &message.role, content: &message.text }
}

fn quarantined(entry: &outcome::Quarantine) -> Quarantined<'_> {
    let outcome::Quarantine { owner, expires, reason, test: _, place: _ } = entry;
    Quarantined { owner, expires: expires.to_string(), reason: reason.as_deref() }
}

fn attempt((number, outcome): (usize, &Outcome)) -> AttemptView<'_> {
    AttemptView {
        attempt: number,
        status: outcome.status().into(),
        thread_id: filled(&outcome.transcript.thread_id),
        started: outcome.transcript.started_unix_ms,
        ended: outcome.transcript.ended_unix_ms,
        duration_ms: milliseconds(outcome.transcript.duration_us),
        turns: outcome.transcript.turns.iter().map(turn).collect(),
        turns_not_run: outcome.transcript.turns_not_run,
        final_assertions: assertions(outcome.verdict.end.failures(), &outcome.verdict.held),
        error: outcome.first_problem().map(|(_, problem)| problem_view(problem)),
        recording: outcome.transcript.recording.as_deref(),
    }
}

/// What is said of a run as a whole.
pub(in crate::report) fn summary(run: &RunTotals) -> SummaryLine {
    let RunTotals { selected, started_unix_ms, totals, total_turns, snapshots: counted, end } = run;
    SummaryLine {
        version: VERSION,
        selected: *selected,
        total: totals.tests(),
        passed: totals.passed,
        failed: totals.failed,
        error: totals.error,
        timeout: totals.timeout,
        skipped: totals.skipped,
        quarantined: totals.quarantined,
        flaky: totals.flaky,
        total_turns: *total_turns,
        started: *started_unix_ms,
        duration_ms: end.as_ref().map(|end| milliseconds(end.elapsed_us)),
        exit_code: run.exit_code(),
        snapshots: snapshots(counted),
        reason: run.reason(),
    }
}

/// The counts of a run's snapshots; `None` if all are zero.
fn snapshots(snapshots: &SnapshotTotals) -> Option<SnapshotCounts> {
    let SnapshotTotals { written, updated, obsolete, deleted, .. } = *snapshots;
    let counts = SnapshotCounts { written, updated, obsolete, deleted };
    (written + updated + obsolete + deleted > 0).then_some(counts)
}

fn turn(turn: &TurnOutcome) -> TurnView<'_> {
    let said: Vec<&str> = turn.lines.iter().filter_map(text_of).collect();
    let calls = turn.lines.iter().filter_map(|line| match line {
        TranscriptLine::Calls(call) => Some(tool_call(call, turn)),
        _ => None,
    });
    let late_results = turn.lines.iter().filter_map(|line| match line {
        TranscriptLine::Answered(late) => Some(late_result(late, turn)),
        _ => None,
    });
    let thoughts: Vec<&str> = turn.lines.iter().filter_map(thoughts_of).collect();
    let custom_events = turn.lines.iter().filter_map(|line| match line {
        TranscriptLine::Custom { event: _, name, value } => {
            Some(CustomEventView { name, value: json(value) })
        }
        _ => None,
    });
    TurnView {
        number: turn.number,
        id: turn.id.as_deref(),
        status: turn.status().into(),
        input: &turn.input,
        input_source: InputSourceView::Static,
        output: said.join("\n"),
        tool_calls: calls.collect(),
        late_results: listed(late_results),
        reasoning: Some(thoughts.join("\n")).filter(|thoughts| !thoughts.is_empty()),
        custom_events: listed(custom_events),
        outcome: turn.run_end.as_ref().map(RunOutcomeView::from),
        interrupts: turn.run_end.as_ref().and_then(interrupts),
        usage: turn.usage.and_then(usage),
        assertions: assertions(turn.failures(), &turn.held),
        warnings: &turn.warnings,
        error: turn.problem().map(problem_view),
        duration_ms: milliseconds(turn.duration_us),
        started: turn.started_unix_ms,
        ended: turn.ended_unix_ms,
    }
}

fn text_of(line: &TranscriptLine) -> Option<&str> {
    match line {
        TranscriptLine::Says { event: _, text } => filled(text),
        _ => None,
    }
}

fn thoughts_of(line: &TranscriptLine) -> Option<&str> {
    match line {
        TranscriptLine::Thinks { event: _, text } => filled(text),
        _ => None,
    }
}

fn interrupts(end: &ReportedRunEnd) -> Option<Vec<InterruptView<'_>>> {
    let ReportedRunEnd::Interrupted(interrupts) = end else { return None };
    listed(interrupts.iter().map(interrupt))
}

/// A list that is left out where it is empty.
fn listed<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    Some(items.collect()).filter(|items: &Vec<T>| !items.is_empty())
}

fn interrupt(open: &outcome::OpenInterrupt) -> InterruptView<'_> {
    let outcome::OpenInterrupt { id, reason, message, tool } = open;
    InterruptView { id, reason: reason.as_deref(), message: message.as_deref(), tool: tool.as_deref() }
}

/// What is known of the tokens, where anything is.
fn usage(usage: trace::Usage) -> Option<UsageView> {
    let trace::Usage { input, output, total } = usage;
    let tokens = [input, output, total].map(Tokens::whole);
    let [input_tokens, output_tokens, total_tokens] = tokens;
    tokens.iter().any(Option::is_some).then_some(UsageView { input_tokens, output_tokens, total_tokens })
}

fn late_result<'a>(late: &'a outcome::LateResult, turn: &TurnOutcome) -> LateResultView<'a> {
    LateResultView {
        name: &late.name,
        called_in: late.called_in,
        result: json(&late.result),
        timestamp: turn.started_unix_ms.saturating_add(late.arrived_us / 1000),
        failure: late.failure.map(CallFailure::as_str),
    }
}

fn tool_call<'a>(call: &'a CallOutcome, turn: &TurnOutcome) -> ToolCallView<'a> {
    // No arguments are an empty object, as in the rules.
    let args = if call.args.trim().is_empty() { "{}" } else { &call.args };
    ToolCallView {
        name: &call.name,
        args: json(args),
        result: call.result.as_deref().map(json),
        timestamp: turn.started_unix_ms.saturating_add(call.started_us / 1000),
        duration_ms: call.duration_us.map(milliseconds),
        failure: call.failure.map(CallFailure::as_str),
    }
}

/// The deepest value that is written as JSON; with the line around it, it is within the limits of every reader.
const DEEPEST: usize = 64;

/// `text` as the value it is, its numbers digit by digit as they were sent; else as a string.
fn json(text: &str) -> Box<RawValue> {
    // What a reader could not make a value of (half a surrogate pair, a number out of range) would cost it the line.
    let readable = serde_json::from_str::<Value>(text).is_ok_and(|value| depth(&value) <= DEEPEST);
    let value = readable.then(|| RawValue::from_string(compact_json(text).into_owned()).ok()).flatten();
    value.or_else(|| serde_json::value::to_raw_value(text).ok()).unwrap_or_default()
}

fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.values().map(depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}

/// What was judged: first what does not hold.
fn assertions<'a>(failures: &'a [Failure], held: &'a [PassedRule]) -> Vec<Assertion<'a>> {
    failures.iter().map(broken).chain(held.iter().map(kept)).collect()
}

fn broken(failure: &Failure) -> Assertion<'_> {
    Assertion {
        rule: &failure.rule,
        passed: false,
        message: Some(&failure.message),
        value: filled(&failure.expected),
        seen: Some(&failure.seen),
        difference: failure.difference.as_ref().map(ToString::to_string),
        help: failure.help.as_deref(),
        level: failure.level.into(),
        file: &failure.place.file,
        line: failure.place.line,
    }
}

fn kept(held: &PassedRule) -> Assertion<'_> {
    Assertion {
        rule: &held.rule,
        passed: true,
        message: None,
        value: filled(&held.wanted),
        seen: None,
        difference: None,
        help: None,
        level: held.level.into(),
        file: &held.place.file,
        line: held.place.line,
    }
}

impl From<outcome::Level> for LevelView {
    fn from(level: outcome::Level) -> Self {
        match level {
            outcome::Level::Target => Self::Target,
            outcome::Level::Test => Self::Test,
            outcome::Level::Turn => Self::Turn,
        }
    }
}

fn problem_view(problem: &Problem) -> ProblemView<'_> {
    ProblemView { kind: problem.kind.as_str(), message: &problem.message, help: problem.help.as_deref() }
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

impl From<outcome::Status> for StatusView {
    fn from(status: outcome::Status) -> Self {
        match status {
            outcome::Status::Passed => Self::Passed,
            outcome::Status::Failed => Self::Failed,
            outcome::Status::Error => Self::Error,
            outcome::Status::Timeout => Self::Timeout,
            outcome::Status::Skipped => Self::Skipped,
        }
    }
}

fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The line of a test, as in every report.
pub(in crate::report) fn result_line(outcome: &Outcome) -> serde_json::Result<String> {
    serde_json::to_string(&view::ReportLine::Result(Box::new(result(outcome))))
}
