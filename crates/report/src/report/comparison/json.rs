//! A comparison for programs: types of their own, which the schema is generated from.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::{ChangeKind, ComparedRun, Comparison, TestChange, TestSummary};
use crate::report::document::{DocumentText, Documented};
use crate::report::words::duration::milliseconds;
use ananke_model::model::ReportFormat;

/// What changed from one run to another, as `ananke compare --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparisonView<'a> {
    /// The earlier run.
    before: RunView<'a>,
    /// The later run.
    after: RunView<'a>,
    /// The number of tests for each kind of change, by the words of their `changes`; a test may have several. Kinds
    /// without a test are omitted.
    counts: BTreeMap<ChangeKind, usize>,
    /// How many of these are regressions, by the same words: tests that newly fail, and the kinds in `--fail-on`.
    /// Without any, the exit code is 0.
    regressions: BTreeMap<ChangeKind, usize>,
    /// The tests that changed, in the order of the later report, followed by those that only the earlier one has.
    tests: Vec<ChangeView<'a>>,
}

/// One of the two runs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedRun")]
struct RunView<'a> {
    /// The file of its report, as given.
    report: &'a str,
    /// The number of its tests.
    tests: usize,
    /// Its wall-clock duration, in milliseconds; omitted if it was aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    /// The agent's time in all tests that passed in both runs, in milliseconds.
    agents_time_ms: f64,
}

/// A test that changed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
struct ChangeView<'a> {
    /// The test's id.
    id: &'a str,
    /// How it changed, the most important change first.
    changes: &'a [ChangeKind],
    /// Whether one of the changes is a regression.
    is_regression: bool,
    /// The test in the earlier run; omitted if it did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a TestSummary>,
    /// The test in the later run; omitted if it no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a TestSummary>,
}

/// How many tests changed, whatever the kind of the change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparisonCounts {
    /// The number of tests that changed.
    #[schemars(extend("x-since" = "1.1"))]
    changed: usize,
    /// The number of tests with a regression.
    #[schemars(extend("x-since" = "1.1"))]
    regressed: usize,
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
        let is_regression = |change: &&TestChange| change.regressions(&self.also).next().is_some();
        ComparisonCounts {
            changed: self.changes.len(),
            regressed: self.changes.iter().filter(is_regression).count(),
        }
    }

    fn body(&self) -> ComparisonView<'_> {
        let counts = ChangeKind::ALL
            .into_iter()
            .map(|kind| (kind, self.count(kind)));
        ComparisonView {
            before: run(&self.before, self.agents_time.before_us),
            after: run(&self.after, self.agents_time.after_us),
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            regressions: self.regressions().into_iter().collect(),
            tests: self
                .changes
                .iter()
                .map(|change| self.change(change))
                .collect(),
        }
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

impl Comparison {
    fn change<'c>(&'c self, change: &'c TestChange) -> ChangeView<'c> {
        ChangeView {
            id: change.id(),
            changes: &change.kinds,
            is_regression: change.regressions(&self.also).next().is_some(),
            before: change.before.as_ref(),
            after: change.after.as_ref(),
        }
    }
}

fn run(side: &ComparedRun, agents_time_us: u64) -> RunView<'_> {
    RunView {
        report: &side.name,
        tests: side.summary.total,
        duration_ms: side.summary.elapsed_us.map(milliseconds),
        agents_time_ms: milliseconds(agents_time_us),
    }
}
