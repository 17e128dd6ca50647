//! The reports that programs read: a line of JSON per test, or one value. Both are the document of the run.

mod collected_report;
mod json_lines_report;
mod json_report;

pub use collected_report::{CollectedReport, CollectedValue};
pub use json_lines_report::JsonLinesReport;
pub use json_report::JsonReport;
