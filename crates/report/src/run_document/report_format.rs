//! The two forms of a JSON report, a value and lines, and their schema.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{ResultLine, RunTotals, SummaryLine, format_version::FormatVersion, part};
use ananke_model::schema::generate_written;
use ananke_trace::outcome::{Outcome, RunFacts};

/// The version of a field that does not name one.
const FIRST: &str = "1.0";

/// The JSON Schema of one line, and of a whole file that is one value.
pub fn schema() -> Value {
    generate_written::<ReportFormatView<'static>>("report", "ananke report", FIRST)
}

/// A JSON report: one line of `--json` and `-o FILE.jsonl`, or the whole of `-o FILE.json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "only the schema names both; each is written where it comes about"
)]
#[schemars(rename = "Written")]
pub(crate) enum ReportFormatView<'a> {
    /// One line.
    Line(ReportLine<'a>),
    /// A whole file.
    Report(Box<Report<'a>>),
}

/// A run as one JSON value.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Report<'a> {
    /// The version of the format, as in every result.
    version: FormatVersion,
    /// What the run was made with.
    run: &'a RunFacts,
    /// The summary of a run.
    summary: SummaryLine<'a>,
    /// One result per test, in plan order.
    results: Vec<ResultLine<'a>>,
}

/// One line of the output: one result per test, in plan order, and a summary at the end.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Line")]
pub(crate) enum ReportLine<'a> {
    /// The result of one test.
    #[schemars(extend("x-since" = "1.0"))]
    Result(Box<ResultLine<'a>>),
    /// The summary of the run. If it is missing, the program was killed.
    #[schemars(extend("x-since" = "1.0"))]
    Summary(Box<LastLine<'a>>),
}

part! {
    /// The last line: the summary, and what the run was made with.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "LastLine")]
    pub(crate) struct LastLine<'a> of (totals: &'a RunTotals) {
        /// What the run was made with.
        run!: &'a RunFacts = &totals.facts;
        #[serde(flatten)]
        summary: SummaryLine<'a> = SummaryLine::of(totals);
    }
}

/// The line of a test, as in every report.
pub(crate) fn result_line(outcome: &Outcome) -> serde_json::Result<String> {
    serde_json::to_string(&ReportLine::Result(Box::new(ResultLine::of(outcome))))
}

/// The last line of a report.
pub(crate) fn last_line(run: &RunTotals) -> serde_json::Result<String> {
    serde_json::to_string(&ReportLine::Summary(Box::new(LastLine::of(run))))
}
