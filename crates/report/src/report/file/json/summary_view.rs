//! The summary of a run as readers get it.

use schemars::JsonSchema;
use serde::Serialize;

use super::omitted::{counted, listed};
use super::result_view::VERSION;
use super::runs_view::FlipCounts;
use super::turn_view::UsageView;
use crate::report::part::part;
use crate::report::run_totals::RunTotals;
use crate::report::snapshot_totals::SnapshotTotals;
use crate::report::words::duration::milliseconds;
use ananke_trace::outcome::{JudgedTotals, NearName, RunFacts};

part! {
    /// The summary of a run.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Summary")]
    pub(in crate::report) struct SummaryLine of (run: &RunTotals) {
        let totals = &run.totals;
        let used = UsageView::known(run.tokens.usage, |tokens| counted(tokens.counted));
        let has_tokens = used.is_some();
        /// The version of the format, as in every result.
        version: &'static str = VERSION;
        /// The number of selected tests; more than `total` if the run was aborted.
        selected: usize = run.selected;
        /// The number of results, whatever their status.
        total: usize = totals.tests();
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
        flips?: FlipCounts = (totals.compared > 0).then(|| FlipCounts::of(totals));
        /// The number of tests in quarantine that did not pass: they are counted here, and not by their status.
        quarantined: usize = totals.quarantined;
        /// How many tests passed on a retry, without those in quarantine. They are counted here alone.
        flaky: usize = totals.flaky;
        /// The number of tests whose rules ask judges, which are agents themselves; omitted if there are none.
        judged?: JudgedTotals = counted(totals.judged);
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
        /// When the run started, in Unix milliseconds.
        started: u64 = run.started_unix_ms;
        /// The wall-clock duration of the run, in milliseconds with up to three decimals; omitted if it was aborted.
        duration_ms?: f64 = run.end.as_ref().map(|end| milliseconds(end.elapsed_us));
        /// The time of all tests whose agents have a virtual clock, in milliseconds: their delays are simulated, so it is no part of
        /// `duration_ms`. Omitted if there was none.
        #[schemars(extend("x-since" = "1.1"))]
        virtual_ms?: f64 = counted(run.virtual_us).map(milliseconds);
        /// The resulting exit code (130 if interrupted); omitted if the run was aborted.
        exit_code?: u8 = run.exit_code();
        /// Changes of snapshots; omitted if there are none.
        snapshots?: SnapshotCounts = run.snapshots.has_any().then(|| SnapshotCounts::of(&run.snapshots));
        /// Warnings of the run itself, by place; omitted if there are none. Those of a test are in its result.
        warnings?: Vec<WarningView> = run.end.as_ref().and_then(|end| listed(end.verdict.near_names.found.iter().map(WarningView::of)));
        /// The reason for the exit code, as text.
        reason: String = run.reason();
    }
}

part! {
    /// A warning of the run itself.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Warning")]
    pub(in crate::report) struct WarningView of (tool: &NearName) {
        /// The kind of problem; `ananke explain` describes it.
        code: &'static str = NearName::CODE.as_str();
        /// What is wrong.
        message: String = tool.message();
        /// What to do about it.
        help: String = tool.help();
        /// The file in which it is.
        file: String = tool.place.file.to_string();
        /// The line in the file, from 1.
        line: u32 = tool.place.line;
        /// The column in the line, in characters from 1.
        column: u32 = tool.place.column;
    }
}

part! {
    /// The number of snapshots by what happened to them.
    #[derive(Debug, Serialize, JsonSchema)]
    pub(in crate::report) struct SnapshotCounts of (snapshots: &SnapshotTotals) {
        /// Newly written snapshots.
        written: usize = snapshots.written;
        /// Updated snapshots.
        updated: usize = snapshots.updated;
        /// Unused snapshots that still exist.
        obsolete: usize = snapshots.obsolete;
        /// Unused snapshots that were deleted.
        deleted: usize = snapshots.deleted;
    }
}

part! {
    /// What a run was made with. Commit, branch and link are there where the environment of a CI server contains them.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Run")]
    pub(in crate::report) struct RunFactsView<'a> of (made_with: &'a RunFacts) {
        /// The version of ananke.
        ananke: &'static str = env!("CARGO_PKG_VERSION");
        #[serde(flatten)]
        facts: &'a RunFacts = made_with;
    }
}
