//! From an outcome to its line.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::turn_view::{
    CallItem, CallStatusView, CustomItem, InputSourceView, InterruptView, ItemView, ResultItem,
    RunOutcomeView, SaidView, ToolCallView, TurnView, UsageView,
};
use super::verdict_view::{Assertion, JudgeAnswerView, JudgeView, LevelView, ProblemView, StatusView};
use super::view::{
    AttemptView, EarlierMessageView, JudgedCounts, LastLine, Quarantined, ReportLine, ResultLine,
    RunFactsView, SnapshotCounts, SummaryLine, VERSION, WarningView,
};
use crate::diagnostic::{Place, SourceFile};
use crate::outcome::{
    self, CallFailure, CallOutcome, Failure, Gap, JudgeAnswer, JudgedTotals, LateResult, Measured,
    MeasuredUnit, Outcome, PassedRule, Problem, ReportedRunEnd, Ruling, RunFacts, SaidLine, TranscriptLine,
    TurnOutcome, UncalledTool, UncalledTools,
};
use crate::report::run_totals::RunTotals;
use crate::report::snapshot_totals::SnapshotTotals;
use crate::report::words::duration::milliseconds;
use crate::source::parse;
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
        row: outcome.test.row.as_deref(),
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
        attempts: outcome.attempt(),
        earlier_attempts: listed((1..).zip(&outcome.earlier_attempts).map(attempt)),
        skip_reason: outcome.verdict.end.skip_reason(),
        started: outcome.transcript.started_unix_ms,
        ended: outcome.transcript.ended_unix_ms,
        duration_ms: milliseconds(outcome.transcript.duration_us),
        messages_count: outcome.transcript.messages_count,
        response: said,
        history: listed(outcome.transcript.history.iter().map(earlier)),
        state: outcome.transcript.state.as_deref().map(json),
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
    let RunTotals { selected, started_unix_ms, totals, total_turns, usage, snapshots: counted, end, .. } =
        run;
    SummaryLine {
        version: VERSION,
        selected: *selected,
        total: totals.tests(),
        // A flaky test is counted once.
        passed: totals.passed - totals.flaky,
        failed: totals.failed,
        error: totals.error,
        timeout: totals.timeout,
        skipped: totals.skipped,
        quarantined: totals.quarantined,
        flaky: totals.flaky,
        judged: judged(totals.judged),
        total_turns: *total_turns,
        usage: counted_usage(*usage),
        started: *started_unix_ms,
        duration_ms: end.as_ref().map(|end| milliseconds(end.elapsed_us)),
        exit_code: run.exit_code(),
        snapshots: snapshots(counted),
        warnings: end.as_ref().and_then(|end| warnings(&end.verdict.uncalled)),
        reason: run.reason(),
    }
}

/// The warnings of a run; `None` if there are none.
fn warnings(uncalled: &UncalledTools) -> Option<Vec<WarningView>> {
    (!uncalled.found.is_empty()).then(|| uncalled.found.iter().map(warning).collect())
}

fn warning(tool: &UncalledTool) -> WarningView {
    let Place { file, line, column } = &tool.place;
    WarningView {
        code: UncalledTool::CODE.as_str(),
        message: tool.message(),
        help: tool.help(),
        file: file.to_string(),
        line: *line,
        column: *column,
    }
}

/// The counts of judged tests; `None` if all are zero.
fn judged(judged: JudgedTotals) -> Option<JudgedCounts> {
    let JudgedTotals { passed, failed, error, not_asked } = judged;
    let counts = JudgedCounts { passed, failed, error, not_asked };
    (judged != JudgedTotals::default()).then_some(counts)
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
    let longest = turn.timing.gaps.iter().map(|Gap { from_us, to_us }| to_us.saturating_sub(*from_us)).max();
    TurnView {
        number: turn.number,
        id: turn.id.as_deref(),
        status: turn.status().into(),
        input: &turn.input,
        input_source: InputSourceView::Static,
        output: said.join("\n"),
        items: items(turn),
        tool_calls: calls.collect(),
        first_text_ms: turn.timing.first_text_us.map(milliseconds),
        idle_ms: milliseconds(longest.unwrap_or_default()),
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
        TranscriptLine::Says(said) => filled(&said.text),
        _ => None,
    }
}

fn interrupts(end: &ReportedRunEnd) -> Option<Vec<InterruptView<'_>>> {
    let ReportedRunEnd::Interrupted(interrupts) = end else { return None };
    listed(interrupts.iter().map(interrupt))
}

/// A list that is omitted if it is empty.
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

/// The tokens that were counted, where any were.
fn counted_usage(usage: trace::Usage) -> Option<UsageView> {
    let trace::Usage { input, output, total } = usage;
    let [input_tokens, output_tokens, total_tokens] =
        [input, output, total].map(|tokens| Some(tokens.counted).filter(|counted| *counted > 0));
    let usage = UsageView { input_tokens, output_tokens, total_tokens };
    (input_tokens.is_some() || output_tokens.is_some() || total_tokens.is_some()).then_some(usage)
}

/// What the agent did in a turn, in the order of the events.
fn items(turn: &TurnOutcome) -> Vec<ItemView<'_>> {
    let mut items: Vec<(u32, ItemView<'_>)> = Vec::with_capacity(turn.lines.len());
    for line in &turn.lines {
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
        TranscriptLine::Calls(CallOutcome { event, id, name, args, started_us, .. }) => {
            ItemView::Call(CallItem {
                id,
                event: *event,
                at: at(turn, *started_us),
                name,
                args: arguments(args),
            })
        }
        TranscriptLine::Answered(late) => {
            let LateResult { event, id, name, called_in, result, arrived_us, failure } = late;
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
        TranscriptLine::Custom { event, at_us, name, value } => {
            ItemView::Custom(CustomItem { event: *event, at: at(turn, *at_us), name, value: json(value) })
        }
    }
}

fn said<'a>(said: &'a SaidLine, turn: &TurnOutcome) -> SaidView<'a> {
    let SaidLine { event, id, at_us, text } = said;
    SaidView { id: filled(id), event: *event, at: at(turn, *at_us), text }
}

fn result_item<'a>(call: &'a CallOutcome, turn: &TurnOutcome) -> Option<ItemView<'a>> {
    Some(ItemView::Result(ResultItem {
        id: &call.id,
        event: call.result_event,
        at: finished(call, turn)?,
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
        status: call.result.as_ref().map_or(CallStatusView::Pending, |_| answered(call.failure)),
        is_error: is_error(call.failure),
        is_mocked: call.is_client_side.then_some(true),
        started: at(turn, call.started_us),
        finished,
        timestamp: finished,
        duration_ms: call.duration_us.map(milliseconds),
    }
}

/// The moment so many microseconds after the start of the turn, in Unix milliseconds.
fn at(turn: &TurnOutcome, us: u64) -> u64 {
    turn.started_unix_ms.saturating_add(us / 1000)
}

fn finished(call: &CallOutcome, turn: &TurnOutcome) -> Option<u64> {
    Some(at(turn, call.started_us.saturating_add(call.duration_us?)))
}

/// The status of a call that has a result.
fn answered(failure: Option<CallFailure>) -> CallStatusView {
    if failure == Some(CallFailure::Denied) { CallStatusView::Denied } else { CallStatusView::Executed }
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

/// The evaluated rules: first those that failed.
fn assertions<'a>(failures: &'a [Failure], held: &'a [PassedRule]) -> Vec<Assertion<'a>> {
    failures.iter().map(broken).chain(held.iter().map(kept)).collect()
}

fn broken(failure: &Failure) -> Assertion<'_> {
    let held = kept_by(&failure.rule, &failure.written, failure.measured.as_ref());
    Assertion {
        passed: false,
        message: Some(&failure.message),
        expected: filled(&failure.expected),
        seen: Some(&failure.seen),
        difference: failure.difference.as_ref().map(ToString::to_string),
        judge: failure.ruling.as_ref().map(judge),
        help: failure.help.as_deref(),
        level: failure.level.into(),
        file: &failure.place.file,
        line: failure.place.line,
        ..held
    }
}

fn kept(held: &PassedRule) -> Assertion<'_> {
    Assertion {
        expected: filled(&held.wanted),
        judge: held.ruling.as_ref().map(judge),
        level: held.level.into(),
        file: &held.place.file,
        line: held.place.line,
        ..kept_by(&held.rule, &held.written, held.measured.as_ref())
    }
}

/// A rule that passes, as it is written, with what was measured.
fn kept_by<'a>(rule: &'a str, written: &str, measured: Option<&Measured>) -> Assertion<'a> {
    let value = yaml(written);
    Assertion {
        rule,
        passed: true,
        path: value.get("path").and_then(Value::as_str).map(str::to_owned),
        value,
        actual: measured.and_then(actual),
        limit: measured.map(|measured| measured.limit),
        unit: measured.map(|measured| measured.unit.as_str()),
        message: None,
        expected: None,
        seen: None,
        difference: None,
        judge: None,
        help: None,
        level: LevelView::Test,
        file: "",
        line: 0,
    }
}

/// What a judge decided.
fn judge(ruling: &Ruling) -> JudgeView<'_> {
    let Ruling { judge, lane, threshold, quorum, is_negated, answers } = ruling;
    JudgeView {
        agent: judge,
        lane,
        threshold: threshold.as_ref(),
        quorum: *quorum,
        not: is_negated.then_some(true),
        answers: answers.iter().map(judge_answer).collect(),
    }
}

fn judge_answer(answer: &JudgeAnswer) -> JudgeAnswerView<'_> {
    let JudgeAnswer { passed, score, reason, suggestions } = answer;
    JudgeAnswerView { passed: *passed, score: score.as_ref(), reason: filled(reason), suggestions }
}

fn actual(measured: &Measured) -> Option<Number> {
    match measured.unit {
        MeasuredUnit::Milliseconds => Number::from_f64(milliseconds(measured.actual)),
        MeasuredUnit::Tokens | MeasuredUnit::Calls => Some(measured.actual.into()),
    }
}

/// A part of a YAML file as a value; its text if it cannot be read by itself.
fn yaml(text: &str) -> Value {
    let source = Arc::new(SourceFile::new("", "", text));
    parse(&source).map_or_else(|_| Value::from(text), |node| node.to_json())
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
    serde_json::to_string(&ReportLine::Result(Box::new(result(outcome))))
}

/// The last line of a report.
pub(super) fn last_line(run: &RunTotals) -> serde_json::Result<String> {
    let line = LastLine { run: self::run(&run.facts), summary: summary(run) };
    serde_json::to_string(&ReportLine::Summary(Box::new(line)))
}

/// What a run was made with.
pub(super) fn run(facts: &RunFacts) -> RunFactsView<'_> {
    let RunFacts { command, config, target, target_description, host, commit, branch, job_url, parallel: _ } =
        facts;
    RunFactsView {
        ananke: env!("CARGO_PKG_VERSION"),
        command,
        config: config.as_deref(),
        target: target.as_deref(),
        target_description: target_description.as_deref(),
        host: host.as_deref(),
        commit: commit.as_deref(),
        branch: branch.as_deref(),
        ci_url: job_url.as_deref(),
    }
}
