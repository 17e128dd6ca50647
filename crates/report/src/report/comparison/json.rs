//! A comparison for programs: types of their own, which the schema is generated from.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::{ChangeKind, ComparedRun, Comparison, TestChange, TestSummary};
use crate::report::{DocumentText, Documented};
use crate::run_document::{milliseconds, part};
use ananke_model::model::ReportFormat;

part! {
    /// What changed from one run to another, as `ananke compare --json` prints it.
    #[derive(Debug, Serialize, JsonSchema)]
    pub struct ComparisonView<'a> of (compared: &'a Comparison) {
        let counts = ChangeKind::ALL.map(|kind| (kind, compared.count(kind)));
        let agents_time = compared.agents_time;
        /// The earlier run.
        before!: RunView<'a> = RunView::of(&compared.before, agents_time.before_us);
        /// The later run.
        after!: RunView<'a> = RunView::of(&compared.after, agents_time.after_us);
        /// The number of tests for each kind of change, by the words of their `changes`; a test may have several. Kinds
        /// without a test are omitted.
        counts: BTreeMap<ChangeKind, usize> =
            counts.into_iter().filter(|(_, count)| *count > 0).collect();
        /// How many of these are regressions, by the same words: tests that newly fail, and the kinds in `--fail-on`.
        /// Without any, the exit code is 0.
        regressions: BTreeMap<ChangeKind, usize> = compared.regressions().into_iter().collect();
        /// The tests that changed, in the order of the later report, followed by those that only the earlier one has.
        tests: Vec<ChangeView<'a>> = {
            let changes = compared.changes.iter();
            changes.map(|change| ChangeView::of(change, &compared.also)).collect()
        };
    }
}

part! {
    /// One of the two runs.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "ComparedRun")]
    pub(crate) struct RunView<'a> of (side: &'a ComparedRun, agents_time_us: u64) {
        /// The file of its report, as given.
        report: &'a str = &side.name;
        /// The number of its tests.
        tests: usize = side.summary.total;
        /// Its wall-clock duration, in milliseconds; omitted if it was aborted.
        duration_ms?: f64 = side.summary.elapsed_us.map(milliseconds);
        /// The agent's time in all tests that passed in both runs, in milliseconds.
        agents_time_ms: f64 = milliseconds(agents_time_us);
    }
}

part! {
    /// A test that changed.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Change")]
    pub(crate) struct ChangeView<'a> of (change: &'a TestChange, also: &[ChangeKind]) {
        /// The test's id.
        id: &'a str = change.id();
        /// How it changed, the most important change first.
        changes: &'a [ChangeKind] = &change.kinds;
        /// Whether one of the changes is a regression.
        is_regression: bool = is_regression(change, also);
        /// The test in the earlier run; omitted if it did not exist.
        before?: &'a TestSummary = change.before.as_ref();
        /// The test in the later run; omitted if it no longer exists.
        after?: &'a TestSummary = change.after.as_ref();
    }
}

part! {
    /// How many tests changed, whatever the kind of the change.
    #[derive(Debug, Serialize, JsonSchema)]
    pub struct ComparisonCounts of (compared: &Comparison) {
        let changes = compared.changes.iter();
        /// The number of tests that changed.
        #[schemars(extend("x-since" = "1.1"))]
        changed: usize = compared.changes.len();
        /// The number of tests with a regression.
        #[schemars(extend("x-since" = "1.1"))]
        regressed: usize = changes.filter(|change| is_regression(change, &compared.also)).count();
    }
}

fn is_regression(change: &TestChange, also: &[ChangeKind]) -> bool {
    change.regressions(also).next().is_some()
}

impl Documented for Comparison {
    const NAME: &'static str = "compare";
    const SINCE: &'static str = "1.0";
    const FORMATS: &'static [ReportFormat] = &[
        ReportFormat::Markdown,
        ReportFormat::Html,
        ReportFormat::Json,
    ];
    type Counts = ComparisonCounts;
    type Body<'b> = ComparisonView<'b>;

    fn counts(&self) -> ComparisonCounts {
        ComparisonCounts::of(self)
    }

    fn body(&self) -> ComparisonView<'_> {
        ComparisonView::of(self)
    }

    fn write(&self, text: &mut DocumentText) {
        self.write_text(text);
    }

    fn file(&self, format: ReportFormat) -> io::Result<Vec<u8>> {
        match format {
            ReportFormat::Markdown => Ok(self.markdown().into_bytes()),
            #[cfg(feature = "html")]
            ReportFormat::Html => Ok(self.html().into_bytes()),
            _ => Err(Self::not_a_format(format)),
        }
    }
}
