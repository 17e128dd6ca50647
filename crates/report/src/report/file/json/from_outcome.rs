//! From an outcome to its line.

use super::case_assertions::case_assertions;
use super::from_rule::{assertions, filled, not_shown, problem_view};
use super::from_runs;
use super::from_turn::{all_of, attempt, json, listed, turn};
use super::turn_view::UsageView;
use super::view::{
    CheckpointView, LastLine, Quarantined, ReportLine, ResultLine, RunFactsView, SnapshotCounts,
    SummaryLine, VERSION, WarningView,
};
use super::walks_view::WalksView;
use crate::report::run_totals::RunTotals;
use crate::report::snapshot_totals::SnapshotTotals;
use crate::report::words::duration::milliseconds;
use ananke_base::diagnostic::Place;
use ananke_trace::outcome::{self, JudgedTotals, NearName, NearNames, Outcome, RunFacts};
use ananke_trace::trace::{self, AgentTime};

/// The line of `outcome`.
pub(super) fn result(outcome: &Outcome) -> ResultLine<'_> {
    let problem = outcome.first_problem().map(|(_, problem)| problem);
    let is_in_file = !outcome.test.is_without_file;
    ResultLine {
        version: VERSION,
        id: &outcome.test.id,
        name: &outcome.test.name,
        row: outcome.test.row.as_deref(),
        description: outcome.test.description.as_deref(),
        tags: all_of(&outcome.test.tags),
        file: Some(outcome.test.file.as_str()).filter(|_| is_in_file),
        line: Some(outcome.test.line).filter(|_| is_in_file),
        target: &outcome.test.target,
        agent: filled(&outcome.test.agent),
        thread_id: filled(&outcome.transcript.thread_id),
        status: outcome.status(),
        flaky: outcome.is_flaky().then_some(true),
        quarantined: outcome.test.quarantine.as_ref().map(quarantined),
        attempts: outcome.attempt(),
        earlier_attempts: listed((1..).zip(&outcome.earlier_attempts).map(attempt)),
        pass_rate: from_runs::pass_rate(outcome),
        stability: from_runs::stability(outcome),
        runs: from_runs::runs(outcome),
        walks: outcome.walks.as_deref().map(WalksView::from),
        self_comparison: from_runs::self_comparison(outcome),
        other_runs: listed(
            outcome
                .other_runs
                .iter()
                .map(|other| attempt((other.attempt(), other))),
        ),
        skip_reason: outcome.verdict.end.skip_reason(),
        started: outcome.transcript.started_unix_ms,
        ended: outcome.transcript.ended_unix_ms,
        duration_ms: outcome.transcript.duration().map(milliseconds),
        virtual_time: (outcome.transcript.time == AgentTime::Virtual).then_some(true),
        messages_count: outcome.transcript.messages_count,
        response: outcome.transcript.last_message(),
        history: all_of(&outcome.transcript.history),
        state: outcome.transcript.state.as_deref().map(json),
        turns: outcome.transcript.turns.iter().map(turn).collect(),
        total_turns: outcome.transcript.turns.len(),
        turns_not_run: outcome.transcript.turns_not_run,
        assertions: case_assertions(outcome),
        checkpoints: listed(outcome.transcript.checkpoints.iter().map(checkpoint)),
        not_shown: not_shown(outcome.verdict.not_shown()),
        final_assertions: assertions(outcome.verdict.failures(), outcome.passed_rules()),
        assertion_errors: outcome
            .all_failures()
            .map(|(_, failure)| failure.message.as_str())
            .collect(),
        warnings: &outcome.verdict.warnings,
        silenced: all_of(&outcome.verdict.silenced),
        error: problem.map(problem_view),
        recording: outcome.transcript.recording.as_deref(),
    }
}

fn checkpoint(checkpoint: &outcome::CheckpointOutcome) -> CheckpointView<'_> {
    let outcome::CheckpointOutcome {
        id,
        description,
        is_required,
        reached_at,
        missed,
    } = checkpoint;
    CheckpointView {
        id,
        description: description.as_deref(),
        required: *is_required,
        passed: reached_at.is_some(),
        reached_at_turn: *reached_at,
        message: missed.as_deref(),
    }
}

fn quarantined(entry: &outcome::Quarantine) -> Quarantined<'_> {
    let outcome::Quarantine {
        owner,
        expires,
        reason,
        test: _,
        place: _,
    } = entry;
    Quarantined {
        owner,
        expires: expires.to_string(),
        reason: reason.as_deref(),
    }
}

/// What is said of a run as a whole.
pub(in crate::report) fn summary(run: &RunTotals) -> SummaryLine {
    let RunTotals {
        selected,
        started_unix_ms,
        totals,
        total_turns,
        tokens,
        virtual_us,
        snapshots: counted,
        end,
        ..
    } = run;
    let has_tokens = counted_usage(tokens.usage).is_some();
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
        undecided: Some(totals.undecided).filter(|undecided| *undecided > 0),
        not_shown: Some(totals.not_shown).filter(|not_shown| *not_shown > 0),
        flips: from_runs::flips(totals),
        quarantined: totals.quarantined,
        flaky: totals.flaky,
        judged: Some(totals.judged).filter(|judged| *judged != JudgedTotals::default()),
        total_turns: *total_turns,
        usage: counted_usage(tokens.usage),
        usage_turns: has_tokens.then_some(tokens.turns),
        turns_without_usage: Some(tokens.unreported).filter(|count| has_tokens && *count > 0),
        started: *started_unix_ms,
        duration_ms: end.as_ref().map(|end| milliseconds(end.elapsed_us)),
        virtual_ms: Some(milliseconds(*virtual_us)).filter(|_| *virtual_us > 0),
        exit_code: run.exit_code(),
        snapshots: snapshots(counted),
        warnings: end
            .as_ref()
            .and_then(|end| warnings(&end.verdict.near_names)),
        reason: run.reason(),
    }
}

/// The warnings of a run; `None` if there are none.
fn warnings(near_names: &NearNames) -> Option<Vec<WarningView>> {
    (!near_names.found.is_empty()).then(|| near_names.found.iter().map(warning).collect())
}

fn warning(tool: &NearName) -> WarningView {
    let Place { file, line, column } = &tool.place;
    WarningView {
        code: NearName::CODE.as_str(),
        message: tool.message(),
        help: tool.help(),
        file: file.to_string(),
        line: *line,
        column: *column,
    }
}

/// The counts of a run's snapshots; `None` if all are zero.
fn snapshots(snapshots: &SnapshotTotals) -> Option<SnapshotCounts> {
    let SnapshotTotals {
        written,
        updated,
        obsolete,
        deleted,
        ..
    } = *snapshots;
    let counts = SnapshotCounts {
        written,
        updated,
        obsolete,
        deleted,
    };
    (written + updated + obsolete + deleted > 0).then_some(counts)
}

/// The tokens that were counted, where any were.
fn counted_usage(usage: trace::Usage) -> Option<UsageView> {
    let trace::Usage {
        input,
        output,
        total,
    } = usage;
    let [input_tokens, output_tokens, total_tokens] =
        [input, output, total].map(|tokens| Some(tokens.counted).filter(|counted| *counted > 0));
    let usage = UsageView {
        input_tokens,
        output_tokens,
        total_tokens,
    };
    (input_tokens.is_some() || output_tokens.is_some() || total_tokens.is_some()).then_some(usage)
}

/// The line of a test, as in every report.
pub(in crate::report) fn result_line(outcome: &Outcome) -> serde_json::Result<String> {
    serde_json::to_string(&ReportLine::Result(Box::new(result(outcome))))
}

/// The last line of a report.
pub(super) fn last_line(run: &RunTotals) -> serde_json::Result<String> {
    let line = LastLine {
        run: self::run(&run.facts),
        summary: summary(run),
    };
    serde_json::to_string(&ReportLine::Summary(Box::new(line)))
}

/// What a run was made with.
pub(in crate::report) fn run(facts: &RunFacts) -> RunFactsView<'_> {
    RunFactsView {
        ananke: env!("CARGO_PKG_VERSION"),
        facts,
    }
}
