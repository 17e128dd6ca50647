//! The result of a test as readers get it: a type of its own, so that the engine can change without the format.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::attempt_view::{AttemptView, SharedFacts, attempts, outcomes};
use super::case_assertions::{CaseAssertionView, case_assertions};
use super::duration::{Dollars, Milliseconds};
use super::helpers_view::HelpersView;
use super::json_text::{json, other_text, sent_text};
use super::part::{all_of, counted, filled, listed, present};
use super::rule_view::{Assertion, ErrorText, ProblemView, assertions};
use super::runs_view::{RunsOf, SelfComparisonView, rounded};
use super::turn_view::{TurnView, UsageView, partial, partial_cost};
use super::walks_and_checkpoints::{CheckpointView, WalksView};
use super::{format_version::FormatVersion, part};
use ananke_base::{context::Day, diagnostic::Place, statistics::StabilityClass};
use ananke_model::variables::TestAbout;
use ananke_trace::outcome::coverage::Picks;
use ananke_trace::outcome::{
    EarlierMessage, Outcome, Quarantine, SkipCause, SnapshotWritten, Stability, Status,
    StatusChange, TestIdentity,
};
use ananke_trace::trace::{AgentTime, Cost, Peer};

part! {
    /// The result of one test.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Result")]
    pub(crate) struct ResultLine<'a> of (outcome: &'a Outcome) {
        let test = &outcome.test;
        let transcript = &outcome.transcript;
        let verdict = &outcome.verdict;
        let spent = outcome.spent().1;
        let cost = spent.cost().unwrap_or(Cost::UNKNOWN);
        let stability = outcome.stability.as_deref();
        let is_in_file = !test.is_without_file;
        let state = transcript.state.as_deref().map(|text| (json(text), text));
        let other_state = state.as_ref().and_then(|(value, text)| other_text(value, text));
        /// The version of the format, `MAJOR.MINOR`. A reader that knows 1.0 can read every 1.x.
        version: FormatVersion = FormatVersion::default();
        /// The test's id, `path::name` or its own `id`, with `[case]` for a row: unique in a run and the same in every run.
        id!: Cow<'a, str> = Cow::Borrowed(&test.id);
        /// The test's name.
        name: Cow<'a, str> = Cow::Borrowed(&test.name);
        /// What the row is called, its `id` or its number; omitted if the test has no rows.
        row?: Cow<'a, str> = test.row.as_deref().map(Cow::Borrowed);
        /// What the test is about; omitted where it does not say.
        description?: Cow<'a, str> = test.about.description.as_deref().map(Cow::Borrowed);
        /// The test's tags; omitted if it has none.
        tags?: Cow<'a, [String]> = all_of(&test.about.tags);
        /// The test file, as in the id; omitted of a test that is in no file.
        file?: Cow<'a, str> = is_in_file.then(|| Cow::Borrowed(&*test.file));
        /// The line of the test's name in its file, from 1; omitted of a test that is in no file.
        line?: u32 = is_in_file.then_some(test.line);
        /// The origin of a test that is in no file; omitted of any other.
        #[schemars(extend("x-since" = "1.1"))]
        source?: SourceView<'a> = test.is_without_file.then(|| SourceView::of(test));
        /// The test file from the config's directory, if that is not `file`; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        path?: Cow<'a, str> = (test.path != test.file && !test.is_without_file).then(|| Cow::Borrowed(&*test.path));
        /// The name of the target.
        target: Cow<'a, str> = Cow::Borrowed(&test.target);
        /// `true` if that is the target that the config names; omitted of any other.
        #[schemars(extend("x-since" = "1.1"))]
        is_default_target?: bool = test.is_default_target.then_some(true);
        /// The name of the agent; omitted if the test could not be set up.
        agent?: Cow<'a, str> = filled(&test.agent);
        /// The thread of the conversation; omitted if none was opened.
        thread_id?: Cow<'a, str> = filled(&transcript.thread_id);
        /// The verdict.
        status!: Status = outcome.status();
        /// The change against an earlier run, which is the baseline if there is one, and else the last run in the history. Omitted
        /// if the test passes as before or is skipped, or if no earlier run is known.
        #[schemars(extend("x-since" = "1.1"))]
        change?: StatusChange = outcome.change;
        /// `true` if the test passed, but not on its first attempt; omitted for every other test.
        #[serde(skip_deserializing)]
        flaky?: bool = outcome.is_flaky().then_some(true);
        /// The valid quarantine entry for the test: it does not fail the run. Omitted if there is none.
        quarantined?: Quarantined<'a> = test.quarantine.as_ref().map(Quarantined::of);
        /// How many attempts there were. All other fields are those of the last one.
        #[serde(skip_deserializing)]
        attempts: usize = outcome.attempt();
        /// The attempts before the last one, in order; omitted if there was only one.
        earlier_attempts?: Vec<AttemptView<'a>> = attempts(&outcome.earlier_attempts);
        /// Which of its runs the fields are about, from 1; 0 if it did not run. Omitted of the first.
        #[schemars(extend("x-since" = "1.1"))]
        run?: u32 = Some(outcome.run).filter(|run| *run != 1);
        /// The share of runs that passed, in per cent, from 0 to 100: 100 or 0 for a test that runs once, and 100 for one that is
        /// skipped on purpose, with `runs` 0. Omitted for a test without a complete run that is skipped for another reason.
        #[serde(skip_deserializing)]
        pass_rate?: f64 = outcome.pass_rate().map(rounded);
        /// How stable the test is, by its pass rate; omitted for a test that runs once.
        #[serde(skip_deserializing)]
        stability?: StabilityClass = stability.map(Stability::class);
        /// All runs of a test that runs several times; the fields that are not about runs are those of one of them. 0 for a test
        /// that is skipped on purpose; omitted for any other.
        runs?: RunsOf<'a> = RunsOf::of(outcome);
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
        skip_reason?: Cow<'a, str> = verdict.end().skip_reason().map(Cow::Borrowed);
        /// The cause of that; omitted for every other test.
        #[schemars(extend("x-since" = "1.1"))]
        skip_cause?: SkipCause = verdict.end().skip_cause();
        /// When the test started, in Unix milliseconds; for a retried test, when its last attempt started.
        started: u64 = transcript.started_unix_ms;
        /// When the test ended, in Unix milliseconds.
        ended: u64 = transcript.ended_unix_ms;
        /// The agent's time in all turns together, in milliseconds with up to three decimals; omitted if a trace does not show it.
        duration_ms?: Milliseconds = transcript.duration().map(Milliseconds);
        /// The tokens of all turns of all its runs and attempts; omitted if agents reported none.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        usage?: UsageView = UsageView::known(spent.usage, |tokens| tokens.whole().and_then(counted));
        /// The known tokens, if a part of them is unknown; omitted if there is nothing.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        partial_usage?: UsageView = UsageView::known(spent.usage, partial);
        /// The cost of these tokens in US dollars; omitted if it is not known, or not all of it.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        cost_usd?: Dollars = cost.whole().map(Dollars);
        /// The known cost, if a part of it is unknown; omitted if there is nothing.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        partial_cost_usd?: Dollars = partial_cost(cost);
        /// The tokens and the cost of the agents that were asked for the test, which are no part of those above; omitted if none was.
        #[schemars(extend("x-since" = "1.2"))]
        helpers?: HelpersView = HelpersView::known(&outcome.helpers);
        /// The tools that its model was offered and picked; omitted if it was not offered the tools of a server.
        #[schemars(extend("x-since" = "1.2"))]
        picks?: Cow<'a, Picks> = outcome.picks.as_deref().map(Cow::Borrowed);
        /// `true` if all times of the turns are on a virtual clock: the agent's delays are simulated. Omitted for every other test.
        #[schemars(extend("x-since" = "1.1"))]
        virtual_time?: bool = (transcript.time == AgentTime::Virtual).then_some(true);
        /// `true` if the test calls the tools of a server itself; omitted of a test of an agent.
        #[schemars(extend("x-since" = "1.1"))]
        is_server?: bool = (transcript.peer == Peer::Server).then_some(true);
        /// `true` if the agent completed an answer neither to this test nor to any before; omitted for every other test.
        #[schemars(extend("x-since" = "1.1"))]
        is_unanswered?: bool = transcript.is_unanswered.then_some(true);
        /// How many messages came before the agent's last one: those before the first turn, those of the user, and those of
        /// the agent that are not empty.
        messages_count: usize = transcript.messages_count;
        /// The agent's last message; omitted if it said nothing.
        #[serde(skip_deserializing)]
        response?: Cow<'a, str> = transcript.last_message().map(Cow::Borrowed);
        /// The conversation history before the first turn, in order: the last 1000 messages; omitted if the test has none.
        history?: Cow<'a, [EarlierMessage]> = all_of(&transcript.history);
        /// The agent's state after the last turn, read like the arguments of a call; omitted if it is empty.
        #[schemars(with = "Option<serde_json::Value>")]
        #[serde(default, deserialize_with = "present")]
        state?: Box<RawValue> = state.map(|(value, _)| value);
        /// The text of the state, if it is another than that of the value; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        state_text?: Cow<'a, str> = other_state;
        /// The turns that were sent, in order.
        turns: Vec<TurnView<'a>> = transcript.turns.iter().map(TurnView::of).collect();
        /// The number of turns that were sent.
        #[serde(skip_deserializing)]
        total_turns: usize = transcript.sent_turns().count();
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
        #[serde(skip_deserializing)]
        assertion_errors: Vec<&'a str> =
            outcome.all_failures().map(|(_, failure)| &*failure.message).collect();
        /// Oddities that fail nothing: a hook's secret that is too short to mask, a failed `teardown` command.
        warnings: Cow<'a, [String]> = Cow::Borrowed(&verdict.warnings);
        /// The names of `known` on the target that made something harmless which was not read; omitted if there are none.
        silenced?: Cow<'a, [String]> = all_of(&verdict.silenced);
        /// How many rules were not evaluated because no judge was to be asked; omitted if none.
        #[schemars(extend("x-since" = "1.1"))]
        judges_not_asked?: u32 = counted(verdict.judges_not_asked);
        /// How many warnings, here and in the turns, fail a run with `--deny-warnings`; omitted if none.
        #[schemars(extend("x-since" = "1.1"))]
        denied_warnings?: u32 = counted(verdict.denied_warnings);
        /// The snapshots that the test wrote; omitted if it wrote none.
        #[schemars(extend("x-since" = "1.1"))]
        snapshots?: Vec<SnapshotView<'a>> = listed(verdict.snapshots.iter().map(SnapshotView::of));
        /// Why the test could not be evaluated completely: the first problem, of the setup or of a turn.
        error?: ErrorText<'a> = outcome.first_problem().map(|(_, problem)| ErrorText::of(problem));
        /// What else is known of the `error`; omitted without one.
        #[schemars(extend("x-since" = "1.1"))]
        problem?: ProblemView<'a> =
            outcome.first_problem().map(|(turn, problem)| ProblemView::of(problem, turn));
        /// The file that the test was recorded to or replayed from; omitted if there is none.
        recording?: Cow<'a, str> = transcript.recording.as_deref().map(Cow::Borrowed);
    }
}

part! {
    /// A quarantine entry.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct Quarantined<'a> of (entry: &'a Quarantine) {
        /// The person or team responsible for fixing the test.
        owner: Cow<'a, str> = Cow::Borrowed(&entry.owner);
        /// The last day on which the entry is valid, in UTC, as `YYYY-MM-DD`.
        #[schemars(with = "String")]
        expires!: Day = entry.expires;
        /// Why the test is in quarantine; omitted if the entry has no reason.
        reason?: Cow<'a, str> = entry.reason.as_deref().map(Cow::Borrowed);
        /// The tests of the entry: an id, or a pattern for ids.
        #[schemars(extend("x-since" = "1.1"))]
        test: Cow<'a, str> = Cow::Borrowed(&entry.test);
        /// The file of the entry.
        #[schemars(extend("x-since" = "1.1"))]
        file: Cow<'a, str> = Cow::Borrowed(&entry.place.file);
        /// The line of the entry, from 1.
        #[schemars(extend("x-since" = "1.1"))]
        line: u32 = entry.place.line;
        /// Its column, from 1.
        #[schemars(extend("x-since" = "1.1"))]
        column: u32 = entry.place.column;
    }
}

part! {
    /// The origin of a test that is in no file: a message, standard input, or what a program generated.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Source")]
    pub(crate) struct SourceView<'a> of (test: &'a TestIdentity) {
        /// What it is called in messages.
        name: Cow<'a, str> = Cow::Borrowed(&test.file);
        /// The line of the test in it, from 1.
        line: u32 = test.line;
    }
}

part! {
    /// A snapshot that a test wrote.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Snapshot")]
    pub(crate) struct SnapshotView<'a> of (written: &'a SnapshotWritten) {
        /// The file of the snapshot.
        file: Cow<'a, str> = Cow::Borrowed(&written.file);
        /// `true` if there was none before; omitted otherwise.
        new?: bool = written.is_new.then_some(true);
    }
}

impl From<ResultLine<'_>> for Outcome {
    fn from(read: ResultLine<'_>) -> Self {
        let shared = SharedFacts {
            peer: if read.is_server.unwrap_or_default() {
                Peer::Server
            } else {
                Peer::Agent
            },
            time: if read.virtual_time.unwrap_or_default() {
                AgentTime::Virtual
            } else {
                AgentTime::Wall
            },
            test: identity(&read),
            version: read.version,
        };
        let attempt = AttemptView {
            attempt: 1,
            run: read.run,
            status: read.status,
            earlier_attempts: read.earlier_attempts,
            runs: read.runs.and_then(RunsOf::several),
            walks: read.walks,
            skip_reason: read.skip_reason,
            skip_cause: read.skip_cause,
            thread_id: read.thread_id,
            started: read.started,
            ended: read.ended,
            duration_ms: read.duration_ms,
            turns: read.turns,
            turns_not_run: read.turns_not_run,
            final_assertions: read.final_assertions,
            not_shown: read.not_shown,
            checkpoints: read.checkpoints,
            warnings: Some(read.warnings),
            silenced: read.silenced,
            error: read.error,
            problem: read.problem,
            recording: read.recording,
        };
        let mut outcome = attempt.outcome(&shared);
        outcome.verdict.judges_not_asked = read.judges_not_asked.unwrap_or_default();
        outcome.verdict.denied_warnings = read.denied_warnings.unwrap_or_default();
        let snapshots = read.snapshots.into_iter().flatten();
        outcome.verdict.snapshots = snapshots.map(Into::into).collect();
        let transcript = &mut outcome.transcript;
        transcript.history = read.history.unwrap_or_default().into_owned();
        transcript.messages_count = read.messages_count;
        transcript.is_unanswered = read.is_unanswered.unwrap_or_default();
        transcript.state = read.state.map(|state| sent_text(&state, read.state_text));
        outcome.change = read.change;
        *outcome.helpers = read.helpers.map(Into::into).unwrap_or_default();
        outcome.picks = read.picks.map(|picks| Box::new(picks.into_owned()));
        outcome.other_runs = outcomes(read.other_runs, &shared);
        outcome.self_comparison = read.self_comparison.map(|both| Box::new(both.into()));
        outcome
    }
}

fn identity(read: &ResultLine<'_>) -> TestIdentity {
    let text = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let file = read
        .source
        .as_ref()
        .map_or(read.file.as_deref(), |source| Some(&source.name));
    let file = file.unwrap_or_default().to_owned();
    TestIdentity {
        id: read.id.to_string(),
        name: read.name.to_string(),
        row: text(&read.row),
        about: TestAbout {
            description: text(&read.description),
            tags: read.tags.as_deref().unwrap_or_default().to_vec(),
        },
        path: text(&read.path).unwrap_or_else(|| {
            let is_case = read.source.is_some() && read.assertions.is_some();
            if is_case {
                format!("{file}.jsonl")
            } else {
                file.clone()
            }
        }),
        file,
        is_without_file: read.source.is_some(),
        is_default_target: read.is_default_target.unwrap_or_default(),
        line: read
            .source
            .as_ref()
            .map(|source| source.line)
            .or(read.line)
            .unwrap_or_default(),
        target: read.target.to_string(),
        agent: text(&read.agent).unwrap_or_default(),
        quarantine: read.quarantined.as_ref().map(Quarantined::entry),
    }
}

impl Quarantined<'_> {
    /// The entry.
    pub(crate) fn entry(&self) -> Quarantine {
        Quarantine {
            test: self.test.to_string(),
            owner: self.owner.to_string(),
            expires: self.expires,
            reason: self.reason.as_deref().map(str::to_owned),
            place: Place {
                file: self.file.as_ref().into(),
                line: self.line,
                column: self.column,
            },
        }
    }
}

impl From<SnapshotView<'_>> for SnapshotWritten {
    fn from(read: SnapshotView<'_>) -> Self {
        Self {
            file: read.file.into(),
            is_new: read.new.unwrap_or_default(),
        }
    }
}
