//! A comparison for programs: types of their own, which the schema is generated from.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::compare::{ChangeKind, ComparedRun, Comparison, TestChange, TestSummary};
use crate::report::words::duration::milliseconds;
use ananke_base::text::escape;
use ananke_model::schema::generate_since;

/// The version of the format. New fields raise its second number; a change of what a field means raises its first.
const VERSION: &str = "1.0";

/// The JSON Schema of what `compare --json` prints.
pub fn schema() -> Value {
    generate_since::<ComparisonView<'static>>("comparison", "ananke comparison", VERSION)
}

/// What changed from one run to another, as `ananke compare --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "View")]
struct ComparisonView<'a> {
    /// The version of the format, `MAJOR.MINOR`. A reader that knows 1.0 can read every 1.x.
    version: &'static str,
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
#[schemars(rename = "Run")]
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

impl Comparison {
    /// What changed, as one line of JSON.
    ///
    /// # Errors
    /// None that a comparison can bring about.
    pub fn json(&self) -> serde_json::Result<String> {
        let counts = ChangeKind::ALL
            .into_iter()
            .map(|kind| (kind, self.count(kind)));
        let view = ComparisonView {
            version: VERSION,
            before: run(&self.before, self.agents_time.before_us),
            after: run(&self.after, self.agents_time.after_us),
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            regressions: self.regressions().into_iter().collect(),
            tests: self
                .changes
                .iter()
                .map(|change| self.change(change))
                .collect(),
        };
        let json = serde_json::to_string(&view)?;
        Ok(escape::json(&json).into_owned())
    }

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
