//! A comparison for programs: types of their own, which the schema is generated from.
//!
//! The doc comments are the descriptions of the schema. A field without a value is omitted, never null.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::{
    ChangeKind, ComparedSide, ComparedSum, Comparison, TestChange, TestSummary, ValueChange,
};
use crate::report::{DocumentText, Documented};
use crate::run_document::{Dollars, milliseconds, part};
use ananke_base::text::Usd;
use ananke_model::model::ReportFormat;

part! {
    /// What changed from one run to another, as `ananke compare --json` prints it.
    #[derive(Debug, Serialize, JsonSchema)]
    pub struct ComparisonView<'a> of (compared: &'a Comparison) {
        let counts = ChangeKind::ALL.map(|kind| (kind, compared.count(kind)));
        let agents_time = compared.agents_time;
        let spent = [compared.spent.tokens, compared.spent.cost];
        /// The earlier run, or all earlier ones.
        before!: RunView<'a> = RunView::of(&compared.before, agents_time.before_us, spent.map(ComparedSum::known_before));
        /// The later run, or all later ones.
        after!: RunView<'a> = RunView::of(&compared.after, agents_time.after_us, spent.map(ComparedSum::known_after));
        /// The number of tests for each kind of change, by the words of their `changes`; a test may have several. Kinds
        /// without a test are omitted.
        counts: BTreeMap<ChangeKind, usize> =
            counts.into_iter().filter(|(_, count)| *count > 0).collect();
        /// How many of these are regressions, by the same words: tests that newly fail, tests that were not run and did not fail
        /// before, and the kinds in `--fail-on`. Without any, the exit code is 0.
        regressions: BTreeMap<ChangeKind, usize> = compared.regressions().into_iter().collect();
        /// The tests that changed, in the order of the later report, followed by those that only the earlier one has.
        tests: Vec<ChangeView<'a>> = {
            let changes = compared.changes.iter();
            changes.map(|change| ChangeView::of(change, &compared.also)).collect()
        };
    }
}

part! {
    /// The runs of one side.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "ComparedRun")]
    pub(crate) struct RunView<'a> of (side: &'a ComparedSide, agents_time_us: u64, spent: [Option<u64>; 2]) {
        let elapsed = side.runs.iter().map(|run| run.summary.elapsed_us).collect::<Option<Vec<u64>>>();
        let names = side.runs.iter().map(|run| run.name.as_str()).collect::<Vec<&str>>();
        let first = names.first().copied();
        /// The file of its report, as given; of several the first.
        report: &'a str = first.unwrap_or_default();
        /// The files of all reports; omitted if it is one.
        #[schemars(extend("x-since" = "1.1"))]
        reports?: Vec<&'a str> = Some(names).filter(|names| names.len() > 1);
        /// The number of its tests; of several runs, of those that one of them has.
        tests: usize = side.tests;
        /// Its wall-clock duration, in milliseconds, of several runs together; omitted if one was aborted.
        duration_ms?: f64 = elapsed.map(|elapsed| milliseconds(elapsed.into_iter().sum()));
        /// The agent's time in all tests that passed in both runs, in milliseconds; of several runs their mean.
        agents_time_ms: f64 = milliseconds(agents_time_us);
        /// The tokens of a run of all tests of which they are known in both runs; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        tokens?: u64 = spent[0];
        /// The cost of a run of all tests of which it is known in both runs, in US dollars; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        cost_usd?: Dollars = spent[1].map(|cost| Dollars(Usd(cost)));
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
        /// What fails in the later run; omitted if nothing does.
        #[schemars(extend("x-since" = "1.1"))]
        finding?: FindingView<'a> = change.after.as_ref().filter(|after| after.fails()).map(|after| {
            FindingView::of(after, change.value.as_ref())
        });
    }
}

part! {
    /// What fails in a test.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "CompareFinding")]
    pub(crate) struct FindingView<'a> of (test: &'a TestSummary, value: Option<&'a ValueChange>) {
        /// The file of the rule that failed, or of the test.
        #[schemars(extend("x-since" = "1.1"))]
        file: &'a str = &test.place.0;
        /// The line in it, from 1.
        #[schemars(extend("x-since" = "1.1"))]
        line: u32 = test.place.1;
        /// The value that the rule is about in both runs, of a test that newly fails; omitted if it is about none, or if that is the
        /// same.
        #[schemars(extend("x-since" = "1.1"))]
        value?: ValueView<'a> = value.map(ValueView::of);
    }
}

part! {
    /// A value before and after.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "CompareValue")]
    pub(crate) struct ValueView<'a> of (value: &'a ValueChange) {
        /// Its kind: `value` in a call, in the state or in the answer, `time`, `tokens`, `calls` for their number, `answer`.
        #[schemars(extend("x-since" = "1.1"))]
        of: &'a str = value.of;
        /// The value in the earlier run, shortened, in words; omitted if there was none.
        #[schemars(extend("x-since" = "1.1"))]
        before?: &'a str = value.before.as_deref();
        /// The value in the later run, shortened, in words; omitted if there is none.
        #[schemars(extend("x-since" = "1.1"))]
        after?: &'a str = value.after.as_deref();
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
