//! The lines as readers get them: types of their own, so that the engine can change without the format.
//!
//! The doc comments are the descriptions of the schema. A field without a value is left out, never null.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema::generate_since;

/// The version of the format. New fields raise its second number; a change of what a field means raises its first.
pub(super) const VERSION: &str = "1.0";

/// The JSON Schema of one line, and of a whole file that is one value.
pub fn schema() -> Value {
    generate_since::<ReportFormatView<'static>>("ananke report", VERSION)
}

/// A JSON report: one line of `--json` and `-o FILE.jsonl`, or the whole of `-o FILE.json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema names both; each is written where it comes about")]
#[schemars(rename = "Written")]
pub(super) enum ReportFormatView<'a> {
    /// One line.
    Line(ReportLine<'a>),
    /// A whole file.
    Report(Report<'a>),
}

/// A run as one JSON value.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Report<'a> {
    /// The version of the format, as in every result.
    pub(super) version: &'static str,
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
    Summary(SummaryLine),
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
    /// What the test is about; omitted if it has no description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    /// The test's tags; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<&'a [String]>,
    /// The test file, as in the id.
    pub(super) file: &'a str,
    /// The line of the test's name in its file, from 1.
    pub(super) line: u32,
    /// The name of the target.
    pub(super) target: &'a str,
    /// The name of the agent; omitted if the test could not be set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<&'a str>,
    /// The thread of the conversation; omitted if none was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<&'a str>,
    /// The verdict.
    pub(super) status: StatusView,
    /// `true` if the test passed, but not on its first attempt; omitted for every other test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flaky: Option<bool>,
    /// The valid quarantine entry for the test: it does not fail the run. Omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quarantined: Option<Quarantined<'a>>,
    /// The attempts before the one that all other fields describe, in order; omitted if there was only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) earlier_attempts: Option<Vec<AttemptView<'a>>>,
    /// Why the test was skipped; omitted for every other test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skip_reason: Option<&'a str>,
    /// When the test started, in Unix milliseconds; for a retried test, when its last attempt started.
    pub(super) started: u64,
    /// When the test ended, in Unix milliseconds.
    pub(super) ended: u64,
    /// The agent's time in all turns together, in milliseconds with up to three decimals.
    pub(super) duration_ms: f64,
    /// The number of messages in the conversation: those of the user and the non-empty ones of the agent.
    pub(super) messages_count: usize,
    /// The agent's last message; omitted if it said nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<&'a str>,
    /// The conversation history before the first turn, in order: the last 1000 messages; omitted if the test has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) history: Option<Vec<EarlierMessageView<'a>>>,
    /// The turns that were sent, in order.
    pub(super) turns: Vec<TurnView<'a>>,
    /// The number of turns that were sent.
    pub(super) total_turns: usize,
    /// The number of turns that were not sent, because the test ended before.
    pub(super) turns_not_run: u32,
    /// The evaluated rules of the whole test: first those that failed at its end, then those that passed. Violations in
    /// a turn are listed in the turn.
    pub(super) final_assertions: Vec<Assertion<'a>>,
    /// The messages of all failed rules, those of the turns first: from `assertions` and `final_assertions`.
    pub(super) assertion_errors: Vec<&'a str>,
    /// Oddities that fail nothing: a hook's secret that is too short to mask, a failed `teardown` command.
    pub(super) warnings: &'a [String],
    /// Why the test could not be evaluated completely: the first problem, of the setup or of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The file that the test was recorded to or replayed from; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<&'a str>,
}

/// A message of the conversation history.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EarlierMessage")]
pub(super) struct EarlierMessageView<'a> {
    /// The sender: `user`, `assistant`, `system`, `developer` or `tool`.
    pub(super) role: &'a str,
    /// The text, followed by one line per call: the tool's name, and its arguments in parentheses.
    pub(super) content: &'a str,
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

/// An attempt that was followed by a retry. Its fields mean what those of a result mean.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
pub(super) struct AttemptView<'a> {
    /// Its number, from 1.
    pub(super) attempt: usize,
    /// Its status.
    pub(super) status: StatusView,
    /// The thread of its conversation; omitted if none was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<&'a str>,
    /// When it started, in Unix milliseconds.
    pub(super) started: u64,
    /// When it ended, in Unix milliseconds.
    pub(super) ended: u64,
    /// The agent's time in all turns together, in milliseconds with up to three decimals.
    pub(super) duration_ms: f64,
    /// The turns that were sent, with the last 16 KiB of their transcript.
    pub(super) turns: Vec<TurnView<'a>>,
    /// The number of turns that were not sent.
    pub(super) turns_not_run: u32,
    /// The failed rules of the whole test. Passed rules are listed only for the last attempt, also in turns.
    pub(super) final_assertions: Vec<Assertion<'a>>,
    /// Why it could not be evaluated completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The file of its recording; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<&'a str>,
}

/// One turn that was sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub(super) struct TurnView<'a> {
    /// Its number, from 1.
    #[serde(rename = "turn")]
    pub(super) number: u32,
    /// The `id` of the turn; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    /// The status of the turn.
    pub(super) status: StatusView,
    /// What was sent; for a file its type and size: `[image image/png, 12 KiB]`.
    pub(super) input: &'a str,
    /// Where the input came from.
    pub(super) input_source: InputSourceView,
    /// What the agent said: its messages joined by newlines. A message over 16 KiB is truncated, with a note.
    pub(super) output: String,
    /// The tool calls, in the order in which they started.
    pub(super) tool_calls: Vec<ToolCallView<'a>>,
    /// Results that arrived in this turn for calls of earlier turns; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) late_results: Option<Vec<LateResultView<'a>>>,
    /// The agent's reasoning, joined by newlines; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<String>,
    /// The custom events, in the order in which they arrived; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) custom_events: Option<Vec<CustomEventView<'a>>>,
    /// How the run ended; for several runs in one response an error, otherwise the last end. Omitted if none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<RunOutcomeView>,
    /// The open interrupts; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interrupts: Option<Vec<InterruptView<'a>>>,
    /// The tokens of the turn; omitted if the agent reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<UsageView>,
    /// The evaluated rules of this turn: first those that failed, then those that passed.
    pub(super) assertions: Vec<Assertion<'a>>,
    /// Oddities of the protocol. A violation of the protocol's rules of order starts with the name of the rule:
    /// `text-still-open: …`. They do not fail a turn without `--strict-protocol`.
    pub(super) warnings: &'a [String],
    /// Why the turn could not be evaluated completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The agent's time, in milliseconds with up to three decimals.
    pub(super) duration_ms: f64,
    /// When the turn was sent, in Unix milliseconds; virtual for a scripted agent.
    pub(super) started: u64,
    /// When its response ended, in Unix milliseconds on the same clock.
    pub(super) ended: u64,
}

/// A tool call, counted from its start, with or without a result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToolCall")]
pub(super) struct ToolCallView<'a> {
    /// The tool's name.
    pub(super) name: &'a str,
    /// The arguments as sent: any JSON value, or a string with the text if it is not JSON, over 16 KiB, or nested over
    /// 64 levels deep.
    #[schemars(with = "serde_json::Value")]
    pub(super) args: Box<RawValue>,
    /// The result as sent, in the same form as the arguments; omitted if there is none.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Box<RawValue>>,
    /// When the call started, in Unix milliseconds on the clock of its turn.
    pub(super) timestamp: u64,
    /// From the call's start to its result, in milliseconds; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
    /// How the call went wrong, if the agent or a mock reports it: `failed`, `denied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<&'static str>,
}

/// The result of a call that started in an earlier turn.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LateResult")]
pub(super) struct LateResultView<'a> {
    /// The tool's name.
    pub(super) name: &'a str,
    /// The turn in which the call started, from 1.
    pub(super) called_in: u32,
    /// The result as sent, in the same form as that of a call.
    #[schemars(with = "serde_json::Value")]
    pub(super) result: Box<RawValue>,
    /// When the result arrived, in Unix milliseconds on the clock of its turn.
    pub(super) timestamp: u64,
    /// How the call went wrong, if the agent reports it: `failed`, `denied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<&'static str>,
}

/// A custom event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CustomEvent")]
pub(super) struct CustomEventView<'a> {
    /// The event's name.
    pub(super) name: &'a str,
    /// Its value, in the same form as the result of a call.
    #[schemars(with = "serde_json::Value")]
    pub(super) value: Box<RawValue>,
}

/// An open interrupt.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Interrupt")]
pub(super) struct InterruptView<'a> {
    /// The interrupt's id.
    pub(super) id: &'a str,
    /// The agent's reason; omitted if it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    /// The agent's question; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// The tool whose call is pending; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'a str>,
}

/// Tokens, as reported by the agent. A number is omitted if a part of it is unknown.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the format")]
#[schemars(rename = "Usage")]
pub(super) struct UsageView {
    /// Tokens that the models read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_tokens: Option<u64>,
    /// Tokens that the models wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_tokens: Option<u64>,
    /// Both together, as reported, otherwise their sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_tokens: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOutcome")]
pub(super) enum RunOutcomeView {
    /// The run finished.
    Finished,
    /// The agent reported an error.
    Error,
    /// The agent waits for answers.
    Interrupted,
    /// The agent cancelled it.
    Cancelled,
}

/// A rule and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Assertion<'a> {
    /// The rule's path in an assert block: `tools.require`, `timing.max_idle_ms`.
    #[serde(rename = "type")]
    pub(super) rule: &'a str,
    /// Whether it passed. Rules that were never evaluated are not listed: requirements of an aborted turn or test, and
    /// scripts that were not run because another rule failed.
    pub(super) passed: bool,
    /// The finding, on one line; omitted if the rule passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// What the rule expects, in words; omitted if the message says it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<&'a str>,
    /// What was seen instead: the closest calls or texts; omitted if the rule passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<&'a [String]>,
    /// For a snapshot or a sequence: the differences, line by line as `diff -u` writes them. Long differences are
    /// truncated, with a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<String>,
    /// What to do about it; omitted if that follows from the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'a str>,
    /// The level that the rule is defined on.
    pub(super) level: LevelView,
    /// The file that contains the rule.
    pub(super) file: &'a str,
    /// The line of the rule, from 1.
    pub(super) line: u32,
}

/// Why something could not be evaluated completely.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct ProblemView<'a> {
    /// Which part failed: `agent`, `protocol`, `setup`, `timeout`, `capture`. Later versions may add words.
    pub(super) kind: &'a str,
    /// What went wrong.
    pub(super) message: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'a str>,
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
    /// The number of tests that passed.
    pub(in crate::report) passed: usize,
    /// The number of tests with a failed rule.
    pub(in crate::report) failed: usize,
    /// The number of tests that could not be evaluated completely.
    pub(in crate::report) error: usize,
    /// The number of tests that timed out.
    pub(in crate::report) timeout: usize,
    /// The number of tests that were not run, on purpose.
    pub(in crate::report) skipped: usize,
    /// The number of tests in quarantine that did not pass: they are counted here, and not by their status.
    pub(in crate::report) quarantined: usize,
    /// The number of tests outside the quarantine that passed only on a retry.
    pub(in crate::report) flaky: usize,
    /// The number of turns that were sent.
    pub(in crate::report) total_turns: usize,
    /// When the run started, in Unix milliseconds.
    pub(in crate::report) started: u64,
    /// The wall-clock duration of the run, in milliseconds with up to three decimals; omitted if it was aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) duration_ms: Option<f64>,
    /// The resulting exit code (130 if interrupted); omitted if the run was aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) exit_code: Option<u8>,
    /// Changes of snapshots; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) snapshots: Option<SnapshotCounts>,
    /// The reason for the exit code, as text.
    pub(in crate::report) reason: String,
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

/// A verdict.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Status")]
pub(super) enum StatusView {
    /// Every rule passed.
    Passed,
    /// A rule failed.
    Failed,
    /// The agent, the connection or the setup failed.
    Error,
    /// A timeout was reached.
    Timeout,
    /// Not run, on purpose.
    Skipped,
}

/// Where an input came from.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InputSource")]
pub(super) enum InputSourceView {
    /// From the test file.
    Static,
}

/// The level that a rule is defined on.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Level")]
pub(super) enum LevelView {
    /// The target of the config.
    Target,
    /// The test.
    Test,
    /// A turn.
    Turn,
}
