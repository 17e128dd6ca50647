//! The lines as readers get them: types of their own, so that the engine can change without the format.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::attempt_view::AttemptView;
use super::case_assertions::CaseAssertionView;
use super::runs_view::{FlipCounts, RunsView, SelfComparisonView};
use super::turn_view::{TurnView, UsageView};
use super::verdict_view::{Assertion, ProblemView};
use super::walks_view::WalksView;
use ananke_base::statistics::StabilityClass;
use ananke_model::schema::generate_since;
use ananke_trace::outcome::{EarlierMessage, JudgedTotals, RunFacts, Status};

/// The version of the format. New fields raise its second number; a change of what a field means raises its first.
pub(super) const VERSION: &str = "1.1";

/// The version of a field that does not name one.
const FIRST: &str = "1.0";

/// The JSON Schema of one line, and of a whole file that is one value.
pub fn schema() -> Value {
    generate_since::<ReportFormatView<'static>>("report", "ananke report", FIRST)
}

/// A JSON report: one line of `--json` and `-o FILE.jsonl`, or the whole of `-o FILE.json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "only the schema names both; each is written where it comes about"
)]
#[schemars(rename = "Written")]
pub(super) enum ReportFormatView<'a> {
    /// One line.
    Line(ReportLine<'a>),
    /// A whole file.
    Report(Box<Report<'a>>),
}

/// A run as one JSON value.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Report<'a> {
    /// The version of the format, as in every result.
    pub(super) version: &'static str,
    /// What the run was made with.
    pub(super) run: RunFactsView<'a>,
    /// The summary of a run.
    pub(super) summary: SummaryLine,
    /// One result per test, in plan order.
    pub(super) results: Vec<ResultLine<'a>>,
}

/// One line of the output: one result per test, in plan order, and a summary at the end.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Line")]
pub(super) enum ReportLine<'a> {
    /// The result of one test.
    #[schemars(extend("x-since" = "1.0"))]
    Result(Box<ResultLine<'a>>),
    /// The summary of the run. If it is missing, the program was killed.
    #[schemars(extend("x-since" = "1.0"))]
    Summary(Box<LastLine<'a>>),
}

/// The last line: the summary, and what the run was made with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LastLine")]
pub(super) struct LastLine<'a> {
    /// What the run was made with.
    pub(super) run: RunFactsView<'a>,
    #[serde(flatten)]
    pub(super) summary: SummaryLine,
}

/// What a run was made with. Commit, branch and link are there where the environment of a CI server contains them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub(in crate::report) struct RunFactsView<'a> {
    /// The version of ananke.
    pub(super) ananke: &'static str,
    #[serde(flatten)]
    pub(super) facts: &'a RunFacts,
}

/// A checkpoint of a simulated conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Checkpoint")]
pub(super) struct CheckpointView<'a> {
    /// The id of the checkpoint.
    pub(super) id: &'a str,
    /// What it is about; omitted where the test does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    /// Whether the test fails without it.
    pub(super) required: bool,
    /// Whether a turn reached it.
    pub(super) passed: bool,
    /// The number of that turn, from 1; omitted if none reached it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reached_at_turn: Option<u32>,
    /// Why the last turn did not reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
}

/// The result of one test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Result")]
pub(super) struct ResultLine<'a> {
    /// The version of the format, `MAJOR.MINOR`. A reader that knows 1.0 can read every 1.x.
    pub(super) version: &'static str,
    /// The test's id, `path::name` or its own `id`, with `[case]` for a row: unique in a run and the same in every run.
    pub(super) id: &'a str,
    /// The test's name.
    pub(super) name: &'a str,
    /// What the row is called, its `id` or its number; omitted if the test has no rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) row: Option<&'a str>,
    /// What the test is about; omitted where it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    /// The test's tags; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<&'a [String]>,
    /// The test file, as in the id; omitted of a test that is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<&'a str>,
    /// The line of the test's name in its file, from 1; omitted of a test that is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    /// The name of the target.
    pub(super) target: &'a str,
    /// The name of the agent; omitted if the test could not be set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<&'a str>,
    /// The thread of the conversation; omitted if none was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<&'a str>,
    /// The verdict.
    pub(super) status: Status,
    /// `true` if the test passed, but not on its first attempt; omitted for every other test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flaky: Option<bool>,
    /// The valid quarantine entry for the test: it does not fail the run. Omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quarantined: Option<Quarantined<'a>>,
    /// How many attempts there were. All other fields are those of the last one.
    pub(super) attempts: usize,
    /// The attempts before the last one, in order; omitted if there was only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) earlier_attempts: Option<Vec<AttemptView<'a>>>,
    /// The share of runs that passed, in per cent, from 0 to 100: 100 or 0 for a test that runs once. Omitted for a skipped test
    /// without a complete run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pass_rate: Option<f64>,
    /// How stable the test is, by its pass rate; omitted for a test that runs once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stability: Option<StabilityClass>,
    /// All runs of a test that runs several times; omitted for any other. The fields that are not about runs are those of
    /// one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) runs: Option<RunsView<'a>>,
    /// All walks of a test with a walk; omitted for any other. The fields that are not about walks are those of one of them: of
    /// the one that failed, shrunk, or of the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) walks: Option<WalksView<'a>>,
    /// Both verdicts, if the suite was compared with itself (`--a-a`); omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) self_comparison: Option<SelfComparisonView>,
    /// Other runs, each with the last 16 KiB of its transcript: the first with each reason in `runs.failures`, and the side of a
    /// `self_comparison` that did not pass; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other_runs: Option<Vec<AttemptView<'a>>>,
    /// Why the test was skipped; omitted for every other test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skip_reason: Option<&'a str>,
    /// When the test started, in Unix milliseconds; for a retried test, when its last attempt started.
    pub(super) started: u64,
    /// When the test ended, in Unix milliseconds.
    pub(super) ended: u64,
    /// The agent's time in all turns together, in milliseconds with up to three decimals; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
    /// `true` if all times of the turns are on a virtual clock: the agent's delays are simulated. Omitted for every other test.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) virtual_time: Option<bool>,
    /// How many messages came before the agent's last one: those before the first turn, those of the user, and those of
    /// the agent that are not empty.
    pub(super) messages_count: usize,
    /// The agent's last message; omitted if it said nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<&'a str>,
    /// The conversation history before the first turn, in order: the last 1000 messages; omitted if the test has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) history: Option<&'a [EarlierMessage]>,
    /// The agent's state after the last turn, read like the arguments of a call; omitted if it is empty.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<Box<RawValue>>,
    /// The turns that were sent, in order.
    pub(super) turns: Vec<TurnView<'a>>,
    /// The number of turns that were sent.
    pub(super) total_turns: usize,
    /// The number of turns that were not sent, because the test ended before.
    pub(super) turns_not_run: u32,
    /// The evaluated assertions of a case of a JSONL file, in the order in which they are written, with `passed` and `message`;
    /// omitted for a test in YAML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) assertions: Option<Vec<CaseAssertionView>>,
    /// The checkpoints of a simulated conversation, in the order of the test; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) checkpoints: Option<Vec<CheckpointView<'a>>>,
    /// The evaluated rules of the whole test: first those that failed at its end, then those that passed. Violations in
    /// a turn are listed in the turn.
    pub(super) final_assertions: Vec<Assertion<'a>>,
    /// The rules whose facts the trace does not contain, of a conversation that `ananke verify` read; omitted if there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) not_shown: Option<Vec<Assertion<'a>>>,
    /// The messages of all failed rules, those of the turns first: from `assertions` and `final_assertions`.
    pub(super) assertion_errors: Vec<&'a str>,
    /// Oddities that fail nothing: a hook's secret that is too short to mask, a failed `teardown` command.
    pub(super) warnings: &'a [String],
    /// The names of `known` on the target that made something harmless which was not read; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) silenced: Option<&'a [String]>,
    /// Why the test could not be evaluated completely: the first problem, of the setup or of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The file that the test was recorded to or replayed from; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<&'a str>,
}

/// A quarantine entry.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Quarantined<'a> {
    /// The person or team responsible for fixing the test.
    pub(super) owner: &'a str,
    /// The last day on which the entry is valid, in UTC, as `YYYY-MM-DD`.
    pub(super) expires: String,
    /// Why the test is in quarantine; omitted if the entry has no reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}

/// The summary of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub(in crate::report) struct SummaryLine {
    /// The version of the format, as in every result.
    pub(in crate::report) version: &'static str,
    /// The number of selected tests; more than `total` if the run was aborted.
    pub(in crate::report) selected: usize,
    /// The number of results, whatever their status.
    pub(in crate::report) total: usize,
    /// How many tests passed at their first attempt; in quarantine, at any.
    pub(in crate::report) passed: usize,
    /// The number of tests with a failed rule.
    pub(in crate::report) failed: usize,
    /// The number of tests that could not be evaluated completely.
    pub(in crate::report) error: usize,
    /// The number of tests that timed out.
    pub(in crate::report) timeout: usize,
    /// The number of tests that were not run, on purpose.
    pub(in crate::report) skipped: usize,
    /// The number of tests that are undecided after all runs that they may have; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) undecided: Option<usize>,
    /// The number of traces in which no rule failed and some are not shown; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) not_shown: Option<usize>,
    /// How many tests have two verdicts, if the suite was compared with itself (`--a-a`); omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) flips: Option<FlipCounts>,
    /// The number of tests in quarantine that did not pass: they are counted here, and not by their status.
    pub(in crate::report) quarantined: usize,
    /// How many tests passed on a retry, without those in quarantine. They are counted here alone.
    pub(in crate::report) flaky: usize,
    /// The number of tests whose rules ask judges, which are agents themselves; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) judged: Option<JudgedTotals>,
    /// The number of turns that were sent.
    pub(in crate::report) total_turns: usize,
    /// The tokens of all turns of all attempts, as far as agents reported them; omitted if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) usage: Option<UsageView>,
    /// How many turns of agents these tokens are of, those of all attempts.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) usage_turns: Option<usize>,
    /// How many of these turns reported no tokens, so that the sums in `usage` are partial; omitted if all reported some.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) turns_without_usage: Option<usize>,
    /// When the run started, in Unix milliseconds.
    pub(in crate::report) started: u64,
    /// The wall-clock duration of the run, in milliseconds with up to three decimals; omitted if it was aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) duration_ms: Option<f64>,
    /// The time of all tests whose agents have a virtual clock, in milliseconds: their delays are simulated, so it is no part of
    /// `duration_ms`. Omitted if there was none.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) virtual_ms: Option<f64>,
    /// The resulting exit code (130 if interrupted); omitted if the run was aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) exit_code: Option<u8>,
    /// Changes of snapshots; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) snapshots: Option<SnapshotCounts>,
    /// Warnings of the run itself, by place; omitted if there are none. Those of a test are in its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) warnings: Option<Vec<WarningView>>,
    /// The reason for the exit code, as text.
    pub(in crate::report) reason: String,
}

/// A warning of the run itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Warning")]
pub(in crate::report) struct WarningView {
    /// The kind of problem; `ananke explain` describes it.
    pub(in crate::report) code: &'static str,
    /// What is wrong.
    pub(in crate::report) message: String,
    /// What to do about it.
    pub(in crate::report) help: String,
    /// The file in which it is.
    pub(in crate::report) file: String,
    /// The line in the file, from 1.
    pub(in crate::report) line: u32,
    /// The column in the line, in characters from 1.
    pub(in crate::report) column: u32,
}

/// The number of snapshots by what happened to them.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct SnapshotCounts {
    /// Newly written snapshots.
    pub(in crate::report) written: usize,
    /// Updated snapshots.
    pub(in crate::report) updated: usize,
    /// Unused snapshots that still exist.
    pub(in crate::report) obsolete: usize,
    /// Unused snapshots that were deleted.
    pub(in crate::report) deleted: usize,
}
