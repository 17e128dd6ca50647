//! The summary of a run as readers get it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cause_view::CauseView;
use super::duration::{Dollars, Milliseconds};
use super::format_version::FormatVersion;
use super::helpers_view::HelpersView;
use super::part::{all_of, counted, listed};
use super::pick_totals::{NeverPicked, TestPicksView};
use super::result_view::Quarantined;
use super::runs_view::FlipCounts;
use super::turn_view::UsageView;
use super::{RunTotals, SnapshotTotals, part};
use ananke_base::diagnostic::Place;
use ananke_trace::outcome::{
    ChangeTotals, JudgedTotals, Lost, NearName, NearNames, RunClose, Verdict,
};

part! {
    /// The summary of a run.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Summary")]
    pub(crate) struct SummaryLine<'a> of (run: &'a RunTotals) {
        let verdict = run.end.as_ref().map(|end| &end.verdict);
        let totals = &run.totals;
        let used = UsageView::known(run.tokens.usage, |tokens| counted(tokens.counted));
        let has_tokens = used.is_some();
        /// The version of the format, as in every result.
        version: FormatVersion = FormatVersion::default();
        /// The number of selected tests; more than `total` if the run was aborted.
        selected: usize = run.selected;
        /// The number of results, whatever their status.
        total!: usize = totals.tests();
        /// How many tests passed at their first attempt; in quarantine, at any.
        passed: usize = totals.passed - totals.flaky;
        /// The number of tests with a failed rule.
        failed: usize = totals.failed;
        /// The number of tests that could not be evaluated completely.
        error: usize = totals.error;
        /// The number of tests that timed out.
        timeout: usize = totals.timeout;
        /// The number of tests that were not run, on purpose.
        skipped: usize = totals.skipped;
        /// The number of tests that are undecided after all runs that they may have; omitted if there are none.
        undecided?: usize = counted(totals.undecided);
        /// The number of traces in which no rule failed and some are not shown; omitted if there are none.
        not_shown?: usize = counted(totals.not_shown);
        /// How many tests have two verdicts, if the suite was compared with itself (`--a-a`); omitted otherwise.
        #[serde(skip_deserializing)]
        flips?: FlipCounts = (totals.compared > 0).then(|| FlipCounts::of(totals));
        /// The number of tests in quarantine that did not pass: they are counted here, and not by their status.
        quarantined: usize = totals.quarantined;
        /// How many tests passed on a retry, without those in quarantine. They are counted here alone.
        flaky: usize = totals.flaky;
        /// The number of tests whose rules ask judges, which are agents themselves; omitted if there are none.
        judged?: JudgedTotals = counted(totals.judged);
        /// The number of tests by their `change`; omitted if no test has one.
        #[schemars(extend("x-since" = "1.1"))]
        changes?: ChangeTotals = counted(totals.changes);
        /// The number of turns that were sent.
        total_turns: usize = run.total_turns;
        /// The tokens of all turns of all attempts, as far as agents reported them; omitted if none did.
        usage?: UsageView = used;
        /// How many turns of agents these tokens are of, those of all attempts.
        #[schemars(extend("x-since" = "1.1"))]
        usage_turns?: usize = has_tokens.then_some(run.tokens.turns);
        /// How many of these turns reported no tokens, so that the sums in `usage` are partial; omitted if all reported some.
        #[schemars(extend("x-since" = "1.1"))]
        turns_without_usage?: usize = counted(run.tokens.unreported).filter(|_| has_tokens);
        /// The cost of the tokens in US dollars, as far as it is known; omitted if nothing of it is.
        #[schemars(extend("x-since" = "1.2"))]
        cost_usd?: Dollars = run.tokens.cost().map(|cost| Dollars(cost.known));
        /// The number of turns whose cost is not known, so that `cost_usd` is partial; omitted if there are none, and without `prices`.
        #[schemars(extend("x-since" = "1.2"))]
        turns_without_cost?: usize = counted(run.tokens.uncosted).filter(|_| run.has_prices());
        /// The reasons why their cost is not known: at most ten reasons; omitted if there are none.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        cost_not_shown?: Vec<&'a str> = listed(run.cost_gaps.iter().map(String::as_str));
        /// The tokens and the cost of all agents that were asked in addition to those under test; omitted if none was.
        #[schemars(extend("x-since" = "1.2"))]
        helpers?: HelpersView = HelpersView::known(&run.helpers);
        /// When the run started, in Unix milliseconds.
        started: u64 = run.started_unix_ms;
        /// The wall-clock duration of the run, in milliseconds with up to three decimals; omitted if it was aborted.
        duration_ms?: Milliseconds = run.end.as_ref().map(|end| Milliseconds(end.elapsed_us));
        /// The time of all tests whose agents have a virtual clock, in milliseconds: their delays are simulated, so it is no part of
        /// `duration_ms`. Omitted if there was none.
        #[schemars(extend("x-since" = "1.1"))]
        virtual_ms?: Milliseconds = counted(run.virtual_us).map(Milliseconds);
        /// The resulting exit code (130 if interrupted); omitted if the run was aborted.
        exit_code?: i64 = run.exit_code().map(i64::from);
        /// `true` if the run was interrupted; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        interrupted?: bool = run.end.as_ref().and_then(|end| counted(end.interrupted));
        /// `true` if a test that passed only on a retry fails the run; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        flaky_fails?: bool = verdict.and_then(|verdict| counted(verdict.flaky_fails));
        /// `true` if warnings fail the run; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        warnings_fail?: bool = verdict.and_then(|verdict| counted(verdict.warnings_fail));
        /// What tests could not run without; omitted if nothing was lost.
        #[schemars(extend("x-since" = "1.1"))]
        lost?: Lost = verdict.and_then(|verdict| verdict.lost);
        /// The expired entries of the quarantine, each of which fails the run; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        expired?: Vec<Quarantined<'a>> =
            verdict.and_then(|verdict| listed(verdict.expired.iter().map(Quarantined::of)));
        /// The ids of tests that failed last time and are in no file any more, each of which fails a run of `--last-failed`; omitted
        /// if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        gone?: Cow<'a, [String]> = verdict.and_then(|verdict| all_of(&verdict.gone));
        /// Changes of snapshots; omitted if there are none.
        snapshots?: SnapshotCounts<'a> =
            run.snapshots.has_any().then(|| SnapshotCounts::of(&run.snapshots));
        /// Warnings of the run itself, by place; omitted if there are none. Those of a test are in its result.
        warnings?: Vec<WarningView<'a>> =
            run.end.as_ref().and_then(|end| {
                listed(end.verdict.near_names.found.iter().map(WarningView::of))
            });
        /// What the tests failed of that fail the run, the cause of the most tests first; omitted if none did.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        causes?: Vec<CauseView<'a>> =
            listed(run.causes.largest_first().into_iter().map(CauseView::of));
        /// The tools that models picked, of tests with tools of a server (`from` in `client_tools`), at most 1000; omitted if there are none.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        picks?: Vec<TestPicksView> = listed(run.picks.tests.iter().map(TestPicksView::of));
        /// The tools that these tests offered, and that no model picked; omitted if there are none.
        #[schemars(extend("x-since" = "1.2"))]
        #[serde(skip_deserializing)]
        never_picked?: Vec<NeverPicked> = listed(run.picks.never_picked().map(NeverPicked::of));
        /// The reason for the exit code, as text.
        #[serde(skip_deserializing)]
        reason: String = run.reason();
    }
}

part! {
    /// A warning of the run itself.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Warning")]
    pub(crate) struct WarningView<'a> of (tool: &'a NearName) {
        /// The kind of problem; `ananke explain` describes it.
        #[serde(skip_deserializing)]
        code: &'static str = NearName::CODE.as_str();
        /// What is wrong.
        #[serde(skip_deserializing)]
        message: String = tool.message();
        /// What to do about it.
        #[serde(skip_deserializing)]
        help: String = tool.help();
        /// The name that no agent called, or of an argument that no call had.
        #[schemars(extend("x-since" = "1.1"))]
        name: Cow<'a, str> = Cow::Borrowed(&tool.name);
        /// The tool, if the name is that of an argument; omitted otherwise.
        #[schemars(extend("x-since" = "1.2"))]
        tool?: Cow<'a, str> = tool.tool.as_deref().map(Cow::Borrowed);
        /// The rule that has it.
        #[schemars(extend("x-since" = "1.1"))]
        rule: Cow<'a, str> = Cow::Borrowed(&tool.rule);
        /// The name that was probably meant.
        #[schemars(extend("x-since" = "1.1"))]
        nearest: Cow<'a, str> = Cow::Borrowed(&tool.nearest);
        /// The file in which it is.
        file: Cow<'a, str> = Cow::Borrowed(&tool.place.file);
        /// The line in the file, from 1.
        line: u32 = tool.place.line;
        /// The column in the line, in characters from 1.
        column: u32 = tool.place.column;
    }
}

part! {
    /// The number of snapshots by what happened to them.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct SnapshotCounts<'a> of (snapshots: &'a SnapshotTotals) {
        /// Newly written snapshots.
        written: usize = snapshots.written;
        /// Updated snapshots.
        updated: usize = snapshots.updated;
        /// Unused snapshots that still exist.
        obsolete: usize = snapshots.obsolete;
        /// Unused snapshots that were deleted.
        deleted: usize = snapshots.deleted;
        /// The first of the unused snapshots that still exist; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        obsolete_files?: Cow<'a, [String]> = all_of(&snapshots.listed);
    }
}

impl SummaryLine<'_> {
    /// The end of the run; `None` if it did not come to one. The counts of its verdict are those of its tests.
    pub(crate) fn close(&self) -> Option<RunClose> {
        let warnings = self.warnings.iter().flatten();
        Some(RunClose {
            verdict: Verdict {
                flaky_fails: self.flaky_fails.unwrap_or_default(),
                lost: self.lost,
                expired: self
                    .expired
                    .iter()
                    .flatten()
                    .map(Quarantined::entry)
                    .collect(),
                gone: self.gone.as_deref().unwrap_or_default().to_vec(),
                near_names: NearNames {
                    found: warnings.map(WarningView::near_name).collect(),
                    note: None,
                },
                warnings_fail: self.warnings_fail.unwrap_or_default(),
                ..Verdict::default()
            },
            elapsed_us: self.duration_ms?.0,
            interrupted: self.interrupted.unwrap_or_default(),
        })
    }
}

impl WarningView<'_> {
    fn near_name(&self) -> NearName {
        NearName {
            place: Place {
                file: self.file.as_ref().into(),
                line: self.line,
                column: self.column,
            },
            name: self.name.to_string(),
            tool: self.tool.as_deref().map(str::to_owned),
            rule: self.rule.to_string().into(),
            nearest: self.nearest.to_string(),
        }
    }
}

impl SnapshotCounts<'_> {
    /// The snapshots that no rule refers to: how many are left and deleted, and the first of those left.
    pub(crate) fn obsolete(&self) -> (usize, usize, Vec<String>) {
        let listed = self.obsolete_files.as_deref().unwrap_or_default();
        (self.obsolete, self.deleted, listed.to_vec())
    }
}
