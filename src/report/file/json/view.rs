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

/// What programs read: a line that `--json` prints and `-o FILE.jsonl` writes, or the whole of `-o FILE.json`.
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

/// A run in one value.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Report<'a> {
    /// The version of the format, as in every result.
    pub(super) version: &'static str,
    /// The whole run.
    pub(super) summary: SummaryLine,
    /// A result for each test, in the order of the plan.
    pub(super) results: Vec<ResultLine<'a>>,
}

/// One line of the output: a result for each test, in the order of the plan, and a summary as the last.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Line")]
pub(super) enum ReportLine<'a> {
    /// One test that is over.
    #[schemars(extend("x-since" = "1.0"))]
    Result(Box<ResultLine<'a>>),
    /// The whole run. Where it is missing, the program was killed.
    #[schemars(extend("x-since" = "1.0"))]
    Summary(SummaryLine),
}

/// One test that is over.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Result")]
pub(super) struct ResultLine<'a> {
    /// The version of the format, `MAJOR.MINOR`. A reader that knows 1.0 can read every 1.x.
    pub(super) version: &'static str,
    /// The test's id, `path::name` or the `id` that it gives itself, with `[case]` for a row: unique in a run and the same
    /// in every run.
    pub(super) id: &'a str,
    /// The test's name.
    pub(super) name: &'a str,
    /// What the test is about; left out where it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    /// What the test can be selected by; left out where it has no tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<&'a [String]>,
    /// The test file, as in the id.
    pub(super) file: &'a str,
    /// The line of the test's name in its file, counted from 1.
    pub(super) line: u32,
    /// The name of the target.
    pub(super) target: &'a str,
    /// The name of the agent; left out where the test could not be set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<&'a str>,
    /// The thread of the conversation; left out where none was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<&'a str>,
    /// The verdict.
    pub(super) status: StatusView,
    /// `true` where the test passed, but not at its first attempt; left out for every other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flaky: Option<bool>,
    /// The entry of the quarantine that is in force for the test: where it did not pass, it does not fail the run. Left
    /// out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quarantined: Option<Quarantined<'a>>,
    /// The attempts before the one that all other fields tell of, in order; left out where the first was the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) earlier_attempts: Option<Vec<AttemptView<'a>>>,
    /// Why a skipped test was skipped; left out for every other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skip_reason: Option<&'a str>,
    /// When the test started, in Unix milliseconds; of a test that was tried again, when its last attempt did.
    pub(super) started: u64,
    /// When the test was over, in Unix milliseconds.
    pub(super) ended: u64,
    /// The agent's time in all turns together, in milliseconds with up to three decimals.
    pub(super) duration_ms: f64,
    /// How many messages the conversation has: those of the user and those of the agent that are not empty.
    pub(super) messages_count: usize,
    /// The last thing the agent said; left out where it said nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<&'a str>,
    /// What was said before the first turn, in order: the last 1000 messages; left out where the test has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) history: Option<Vec<EarlierMessageView<'a>>>,
    /// The turns that were sent, in order.
    pub(super) turns: Vec<TurnView<'a>>,
    /// How many turns were sent.
    pub(super) total_turns: usize,
    /// How many turns were not sent, because the test was over before.
    pub(super) turns_not_run: u32,
    /// The rules of the test as a whole that were judged: those that it does not keep, found when it was over, then those
    /// that hold. What broke in a turn is in its turn.
    pub(super) final_assertions: Vec<Assertion<'a>>,
    /// What every rule that does not hold has to say, those of the turns first: the messages of their `assertions` and of
    /// `final_assertions`.
    pub(super) assertion_errors: Vec<&'a str>,
    /// Oddities that fail nothing: a secret that a hook gave and that is too short to be masked, a command of `teardown`
    /// that failed.
    pub(super) warnings: &'a [String],
    /// Why the test could not be judged to its end: the first problem, of the set-up or of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The file of the recording that the test was kept in or played from; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<&'a str>,
}

/// A message of before the first turn.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EarlierMessage")]
pub(super) struct EarlierMessageView<'a> {
    /// Who said it: `user`, `assistant`, `system`, `developer` or `tool`.
    pub(super) role: &'a str,
    /// What was said in words, then a line for each call: the tool's name, and its arguments in parentheses.
    pub(super) content: &'a str,
}

/// An entry of the quarantine.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Quarantined<'a> {
    /// Who sees to it that the test passes again.
    pub(super) owner: &'a str,
    /// The last day on which the entry is in force, in UTC, as `YYYY-MM-DD`.
    pub(super) expires: String,
    /// Why the test is there; left out where the entry does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}

/// An attempt at a test after which it was tried again. Its fields mean what those of a result mean.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
pub(super) struct AttemptView<'a> {
    /// Its number, counted from 1.
    pub(super) attempt: usize,
    /// How it ended.
    pub(super) status: StatusView,
    /// The thread of its conversation; left out where none was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<&'a str>,
    /// When it started, in Unix milliseconds.
    pub(super) started: u64,
    /// When it was over, in Unix milliseconds.
    pub(super) ended: u64,
    /// The agent's time in all turns together, in milliseconds with up to three decimals.
    pub(super) duration_ms: f64,
    /// The turns that were sent. Of what was said and called in them, the last 16 KiB are kept.
    pub(super) turns: Vec<TurnView<'a>>,
    /// How many turns were not sent.
    pub(super) turns_not_run: u32,
    /// The rules that the test as a whole did not keep; those that hold are listed of the last attempt alone, also in turns.
    pub(super) final_assertions: Vec<Assertion<'a>>,
    /// Why it could not be judged to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The file of its recording; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<&'a str>,
}

/// One turn that was sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub(super) struct TurnView<'a> {
    /// Its number, counted from 1.
    #[serde(rename = "turn")]
    pub(super) number: u32,
    /// What the test calls the turn; left out where it has no `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    /// How the turn ended.
    pub(super) status: StatusView,
    /// What was sent. Of a file its type and size: `[image image/png, 12 KiB]`.
    pub(super) input: &'a str,
    /// Where the input came from.
    pub(super) input_source: InputSourceView,
    /// What the agent said: its messages joined by newlines. A message over 16 KiB is cut and says so.
    pub(super) output: String,
    /// The tool calls, in the order they began.
    pub(super) tool_calls: Vec<ToolCallView<'a>>,
    /// Results that came in this turn, of calls that began in an earlier one; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) late_results: Option<Vec<LateResultView<'a>>>,
    /// What the agent thought, joined by newlines; left out where it told no thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<String>,
    /// The custom events, in the order they came; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) custom_events: Option<Vec<CustomEventView<'a>>>,
    /// How the agent says that its run ended; of several in one answer an error, else the last end. Left out where none
    /// ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<RunOutcomeView>,
    /// What an interrupted agent waits for; left out where it waits for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interrupts: Option<Vec<InterruptView<'a>>>,
    /// The tokens of the turn; left out where the agent tells none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<UsageView>,
    /// The rules of this turn that were judged: those that do not hold, then those that do.
    pub(super) assertions: Vec<Assertion<'a>>,
    /// What is odd about the wire. A violation of the protocol's rules of sequence begins with the name of the rule:
    /// `text-still-open: …`. Nothing of it fails a turn without `--strict-protocol`.
    pub(super) warnings: &'a [String],
    /// Why the turn could not be judged to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The agent's time, in milliseconds with up to three decimals.
    pub(super) duration_ms: f64,
    /// When the turn was sent, in Unix milliseconds; virtual where the agent is scripted.
    pub(super) started: u64,
    /// When its answer ended, in Unix milliseconds on the same clock.
    pub(super) ended: u64,
}

/// A tool call, counted from its start, with or without a result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToolCall")]
pub(super) struct ToolCallView<'a> {
    /// The tool's name.
    pub(super) name: &'a str,
    /// The arguments as sent: any JSON value. A string with the text where it is no JSON,
    /// over 16 KiB, or nested over 64 deep.
    #[schemars(with = "serde_json::Value")]
    pub(super) args: Box<RawValue>,
    /// The result as sent, read like the arguments; left out where none came.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Box<RawValue>>,
    /// When the call began, in Unix milliseconds on the clock of its turn.
    pub(super) timestamp: u64,
    /// From the call's start to its result, in milliseconds; left out where none came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
    /// How the call went wrong, where the agent or a mock says that it did: `failed`, `denied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<&'static str>,
}

/// The result of a call that began in an earlier turn.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LateResult")]
pub(super) struct LateResultView<'a> {
    /// The tool's name.
    pub(super) name: &'a str,
    /// The turn in which the call began, counted from 1.
    pub(super) called_in: u32,
    /// The result as sent, read like that of a call.
    #[schemars(with = "serde_json::Value")]
    pub(super) result: Box<RawValue>,
    /// When the result came, in Unix milliseconds on the clock of its turn.
    pub(super) timestamp: u64,
    /// How the call went wrong, where the agent says that it did: `failed`, `denied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<&'static str>,
}

/// An event of the application's own.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CustomEvent")]
pub(super) struct CustomEventView<'a> {
    /// The event's name.
    pub(super) name: &'a str,
    /// What it carries, read like the result of a call.
    #[schemars(with = "serde_json::Value")]
    pub(super) value: Box<RawValue>,
}

/// Something the agent waits for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Interrupt")]
pub(super) struct InterruptView<'a> {
    /// The interrupt's id.
    pub(super) id: &'a str,
    /// Why it waits, in a word of the agent's; left out where it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    /// What it asks; left out where it asks nothing in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// The tool whose call waits; left out where it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'a str>,
}

/// Tokens, as the agent tells them. A number is left out where a part of it is not known.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the format")]
#[schemars(rename = "Usage")]
pub(super) struct UsageView {
    /// What the models read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_tokens: Option<u64>,
    /// What the models wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_tokens: Option<u64>,
    /// Both together, as told, else their sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_tokens: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOutcome")]
pub(super) enum RunOutcomeView {
    /// The agent was done.
    Finished,
    /// The agent reported an error.
    Error,
    /// The agent waits for answers.
    Interrupted,
    /// The agent stopped it itself.
    Cancelled,
}

/// A rule, and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Assertion<'a> {
    /// The rule's path in an assert block: `tools.require`, `timing.max_idle_ms`.
    #[serde(rename = "type")]
    pub(super) rule: &'a str,
    /// Whether it holds. Rules that were not judged are not listed: those that owe something at the end of a turn or test
    /// which was cut short, and scripts that were not asked since another rule does not hold.
    pub(super) passed: bool,
    /// The finding, on one line; left out where the rule holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// What the rule wants, in words; left out where the message says it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<&'a str>,
    /// What was seen instead: the nearest calls or texts; left out where the rule holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<&'a [String]>,
    /// Of a snapshot, or of a sequence: how what was captured differs from it, line by line as `diff -u` writes it. Long
    /// differences are cut and say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<String>,
    /// What to do about it; left out where that follows from the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'a str>,
    /// The level that wrote the rule.
    pub(super) level: LevelView,
    /// The file in which the rule is written.
    pub(super) file: &'a str,
    /// The line of the rule, counted from 1.
    pub(super) line: u32,
}

/// Why something could not be judged to its end.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct ProblemView<'a> {
    /// Which part could not do its work: `agent`, `protocol`, `setup`, `timeout`, `capture`. Later versions may add words.
    pub(super) kind: &'a str,
    /// What went wrong.
    pub(super) message: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'a str>,
}

/// The whole run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub(in crate::report) struct SummaryLine {
    /// The version of the format, as in every result.
    pub(in crate::report) version: &'static str,
    /// How many tests were selected; more than `total` where the run was cut short.
    pub(in crate::report) selected: usize,
    /// How many tests are over, whatever their status: the number of results.
    pub(in crate::report) total: usize,
    /// How many tests passed.
    pub(in crate::report) passed: usize,
    /// How many tests have a rule that does not hold.
    pub(in crate::report) failed: usize,
    /// How many tests could not be judged to their end.
    pub(in crate::report) error: usize,
    /// How many tests took too long.
    pub(in crate::report) timeout: usize,
    /// How many tests were not run, on purpose.
    pub(in crate::report) skipped: usize,
    /// How many tests did not pass and are in quarantine: they are counted here, and not by their status.
    pub(in crate::report) quarantined: usize,
    /// How many of the tests that passed did so, outside of the quarantine, only when they were tried again.
    pub(in crate::report) flaky: usize,
    /// How many turns were sent.
    pub(in crate::report) total_turns: usize,
    /// When the run started, in Unix milliseconds.
    pub(in crate::report) started: u64,
    /// How long the run took on the wall clock, in milliseconds with up to three decimals; left out where it was cut
    /// short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) duration_ms: Option<f64>,
    /// The exit code that the tests lead to, 130 where somebody interrupted the run; left out where the run was cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) exit_code: Option<u8>,
    /// What became of the snapshots; left out where there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) snapshots: Option<SnapshotCounts>,
    /// Why it is that exit code, for people.
    pub(in crate::report) reason: String,
}

/// How many snapshots were written, and how many there are that no rule refers to.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct SnapshotCounts {
    /// Those that were not there before.
    pub(in crate::report) written: usize,
    /// Those that said something else before.
    pub(in crate::report) updated: usize,
    /// Those that no rule refers to, and that are still there.
    pub(in crate::report) obsolete: usize,
    /// Those that no rule referred to, and that were deleted.
    pub(in crate::report) deleted: usize,
}

/// A verdict.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Status")]
pub(super) enum StatusView {
    /// Every rule holds.
    Passed,
    /// A rule does not hold.
    Failed,
    /// The agent, the wire or the set-up could not do its work.
    Error,
    /// A time-out was reached.
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

/// Who wrote a rule.
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
