//! The reports that programs read: a line of JSON per test, or one value.
//!
//! The lines are types of their own (`…_view`, `case_assertions`), which the schema is generated from: each field is defined once (`part`). **Invariant:** every line is complete in
//! itself and written whole; only what JSON itself escapes is escaped.

mod attempt_view;
mod case_assertions;
mod collected_report;
mod item_view;
mod json_lines_report;
mod json_report;
mod json_text;
mod omitted;
mod raw_view;
mod report_format;
mod result_view;
mod rule_view;
mod runs_view;
mod summary_view;
mod turn_view;
mod walks_view;

pub use collected_report::{CollectedReport, CollectedValue};
pub use json_lines_report::JsonLinesReport;
pub use json_report::JsonReport;
pub(in crate::report) use report_format::result_line;
pub use report_format::schema;
pub use rule_view::rule_results;
pub(in crate::report) use summary_view::RunFactsView;
#[cfg(feature = "html")]
pub(in crate::report) use summary_view::{SummaryLine, WarningView};
