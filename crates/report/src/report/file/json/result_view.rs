//! The result of a test as readers get it: a type of its own, so that the engine can change without the format.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::attempt_view::AttemptView;
use super::case_assertions::{CaseAssertionView, case_assertions};
use super::json_text::json;
use super::omitted::{all_of, filled, listed};
use super::rule_view::{Assertion, ProblemView, assertions};
use super::runs_view::{RunsView, SelfComparisonView, rounded};
use super::turn_view::TurnView;
use super::walks_view::WalksView;
use crate::report::part::part;
use crate::report::words::duration::milliseconds;
use ananke_base::statistics::StabilityClass;
use ananke_trace::outcome::{
    CheckpointOutcome, EarlierMessage, Outcome, Quarantine, Stability, Status,
};
use ananke_trace::trace::AgentTime;

/// The version of the format. New fields raise its second number; a change of what a field means raises its first.
pub(super) const VERSION: &str = "1.1";

part! {
    /// The result of one test.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Result")]
    pub(super) struct ResultLine<'a> of (outcome: &'a Outcome) {
        let test = &outcome.test;
        let transcript = &outcome.transcript;
        let verdict = &outcome.verdict;
        let stability = outcome.stability.as_deref();
        let is_in_file = !test.is_without_file;
        /// The version of the format, `MAJOR.MINOR`. A reader that knows 1.0 can read every 1.x.
        version: &'static str = VERSION;
        /// The test's id, `path::name` or its own `id`, with `[case]` for a row: unique in a run and the same in every run.
        id: &'a str = &test.id;
        /// The test's name.
        name: &'a str = &test.name;
        /// What the row is called, its `id` or its number; omitted if the test has no rows.
        row?: &'a str = test.row.as_deref();
        /// What the test is about; omitted where it does not say.
        description?: &'a str = test.about.description.as_deref();
        /// The test's tags; omitted if it has none.
        tags?: &'a [String] = all_of(&test.about.tags);
        /// The test file, as in the id; omitted of a test that is in no file.
        file?: &'a str = is_in_file.then_some(&*test.file);
        /// The line of the test's name in its file, from 1; omitted of a test that is in no file.
        line?: u32 = is_in_file.then_some(test.line);
        /// The name of the target.
        target: &'a str = &test.target;
        /// The name of the agent; omitted if the test could not be set up.
        agent?: &'a str = filled(&test.agent);
        /// The thread of the conversation; omitted if none was opened.
        thread_id?: &'a str = filled(&transcript.thread_id);
        /// The verdict.
        status: Status = outcome.status();
        /// `true` if the test passed, but not on its first attempt; omitted for every other test.
        flaky?: bool = outcome.is_flaky().then_some(true);
        /// The valid quarantine entry for the test: it does not fail the run. Omitted if there is none.
        quarantined?: Quarantined<'a> = test.quarantine.as_ref().map(Quarantined::of);
        /// How many attempts there were. All other fields are those of the last one.
        attempts: usize = outcome.attempt();
        /// The attempts before the last one, in order; omitted if there was only one.
        earlier_attempts?: Vec<AttemptView<'a>> = {
            let earlier = (1..).zip(&outcome.earlier_attempts);
            listed(earlier.map(|(number, earlier)| AttemptView::of(number, earlier)))
        };
        /// The share of runs that passed, in per cent, from 0 to 100: 100 or 0 for a test that runs once. Omitted for a skipped test
        /// without a complete run.
        pass_rate?: f64 = outcome.pass_rate().map(rounded);
        /// How stable the test is, by its pass rate; omitted for a test that runs once.
        stability?: StabilityClass = stability.map(Stability::class);
        /// All runs of a test that runs several times; omitted for any other. The fields that are not about runs are those of
        /// one of them.
        runs?: RunsView<'a> = stability.map(|stability| RunsView::of(outcome, stability));
        /// All walks of a test with a walk; omitted for any other. The fields that are not about walks are those of one of them: of
        /// the one that failed, shrunk, or of the last.
        walks?: WalksView<'a> = outcome.walks.as_deref().map(WalksView::of);
        /// Both verdicts, if the suite was compared with itself (`--a-a`); omitted otherwise.
        self_comparison?: SelfComparisonView =
            outcome.self_comparison.as_deref().map(SelfComparisonView::of);
        /// Other runs, each with the last 16 KiB of its transcript: the first with each reason in `runs.failures`, and the side of a
        /// `self_comparison` that did not pass; omitted if there are none.
        other_runs?: Vec<AttemptView<'a>> = {
            let others = outcome.other_runs.iter();
            listed(others.map(|other| AttemptView::of(other.attempt(), other)))
        };
        /// Why the test was skipped; omitted for every other test.
        skip_reason?: &'a str = verdict.end.skip_reason();
        /// When the test started, in Unix milliseconds; for a retried test, when its last attempt started.
        started: u64 = transcript.started_unix_ms;
        /// When the test ended, in Unix milliseconds.
        ended: u64 = transcript.ended_unix_ms;
        /// The agent's time in all turns together, in milliseconds with up to three decimals; omitted if a trace does not show it.
        duration_ms?: f64 = transcript.duration().map(milliseconds);
        /// `true` if all times of the turns are on a virtual clock: the agent's delays are simulated. Omitted for every other test.
        #[schemars(extend("x-since" = "1.1"))]
        virtual_time?: bool = (transcript.time == AgentTime::Virtual).then_some(true);
        /// How many messages came before the agent's last one: those before the first turn, those of the user, and those of
        /// the agent that are not empty.
        messages_count: usize = transcript.messages_count;
        /// The agent's last message; omitted if it said nothing.
        response?: &'a str = transcript.last_message();
        /// The conversation history before the first turn, in order: the last 1000 messages; omitted if the test has none.
        history?: &'a [EarlierMessage] = all_of(&transcript.history);
        /// The agent's state after the last turn, read like the arguments of a call; omitted if it is empty.
        #[schemars(with = "Option<serde_json::Value>")]
        state?: Box<RawValue> = transcript.state.as_deref().map(json);
        /// The turns that were sent, in order.
        turns: Vec<TurnView<'a>> = transcript.turns.iter().map(TurnView::of).collect();
        /// The number of turns that were sent.
        total_turns: usize = transcript.turns.len();
        /// The number of turns that were not sent, because the test ended before.
        turns_not_run: u32 = transcript.turns_not_run;
        /// The evaluated assertions of a case of a JSONL file, in the order in which they are written, with `passed` and `message`;
        /// omitted for a test in YAML.
        assertions?: Vec<CaseAssertionView> = case_assertions(outcome);
        /// The checkpoints of a simulated conversation, in the order of the test; omitted if it has none.
        checkpoints?: Vec<CheckpointView<'a>> =
            listed(transcript.checkpoints.iter().map(CheckpointView::of));
        /// The evaluated rules of the whole test: first those that failed at its end, then those that passed. Violations in
        /// a turn are listed in the turn.
        final_assertions: Vec<Assertion<'a>> =
            assertions(verdict.failures(), outcome.passed_rules());
        /// The rules whose facts the trace does not contain, of a conversation that `ananke verify` read; omitted if there are
        /// none.
        not_shown?: Vec<Assertion<'a>> = listed(verdict.not_shown().map(Assertion::of));
        /// The messages of all failed rules, those of the turns first: from `assertions` and `final_assertions`.
        assertion_errors: Vec<&'a str> =
            outcome.all_failures().map(|(_, failure)| &*failure.message).collect();
        /// Oddities that fail nothing: a hook's secret that is too short to mask, a failed `teardown` command.
        warnings: &'a [String] = &verdict.warnings;
        /// The names of `known` on the target that made something harmless which was not read; omitted if there are none.
        silenced?: &'a [String] = all_of(&verdict.silenced);
        /// Why the test could not be evaluated completely: the first problem, of the setup or of a turn.
        error?: ProblemView<'a> =
            outcome.first_problem().map(|(_, problem)| ProblemView::of(problem));
        /// The file that the test was recorded to or replayed from; omitted if there is none.
        recording?: &'a str = transcript.recording.as_deref();
    }
}

part! {
    /// A checkpoint of a simulated conversation.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Checkpoint")]
    pub(super) struct CheckpointView<'a> of (checkpoint: &'a CheckpointOutcome) {
        /// The id of the checkpoint.
        id: &'a str = &checkpoint.id;
        /// What it is about; omitted where the test does not say.
        description?: &'a str = checkpoint.description.as_deref();
        /// Whether the test fails without it.
        required: bool = checkpoint.is_required;
        /// Whether a turn reached it.
        passed: bool = checkpoint.reached_at.is_some();
        /// The number of that turn, from 1; omitted if none reached it.
        reached_at_turn?: u32 = checkpoint.reached_at;
        /// Why the last turn did not reach it.
        message?: &'a str = checkpoint.missed.as_deref();
    }
}

part! {
    /// A quarantine entry.
    #[derive(Debug, Serialize, JsonSchema)]
    pub(super) struct Quarantined<'a> of (entry: &'a Quarantine) {
        /// The person or team responsible for fixing the test.
        owner: &'a str = &entry.owner;
        /// The last day on which the entry is valid, in UTC, as `YYYY-MM-DD`.
        expires: String = entry.expires.to_string();
        /// Why the test is in quarantine; omitted if the entry has no reason.
        reason?: &'a str = entry.reason.as_deref();
    }
}
