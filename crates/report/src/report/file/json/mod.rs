//! The reports that programs read: a line of JSON per test, or one value.
//!
//! The lines are types of their own (`view`, `turn_view`, `verdict_view`, `case_assertions`), which the schema is generated from. **Invariant:** every line is complete in
//! itself and written whole; only what JSON itself escapes is escaped.

mod attempt_view;
mod case_assertions;
mod collected_report;
mod from_outcome;
mod from_rule;
mod from_runs;
mod from_turn;
mod json_lines_report;
mod json_report;
mod runs_view;
mod turn_view;
mod verdict_view;
mod view;
mod walks_view;

pub use collected_report::{CollectedReport, CollectedValue};
#[cfg(feature = "html")]
pub(in crate::report) use from_outcome::summary;
pub(in crate::report) use from_outcome::{result_line, run as run_facts};
pub use from_rule::rule_results;
pub use json_lines_report::JsonLinesReport;
pub use json_report::JsonReport;
pub(in crate::report) use view::RunFactsView;
pub use view::schema;
#[cfg(feature = "html")]
pub(in crate::report) use view::{JudgedCounts, SummaryLine, WarningView};
