//! The document of a run: what its tests came to, as JSON (SPEC 11). It is written of outcomes, and read back to the same
//! outcomes.
//!
//! A JSON report is this document, and so are the outcomes of a kept run. Each field is defined once (`part`), with its
//! description in the schema. `RunTotals` counts a run for its summary.
//!
//! **Invariant:** what any report shows of an outcome is in its document: reports of what is read are, byte for byte, those of
//! what was written. Every line is complete in itself and written whole; only what JSON itself escapes is escaped.

mod attempt_view;
mod case_assertions;
mod cause_view;
mod difference_view;
mod duration;
mod entries;
mod event_numbers;
mod format_version;
mod helpers_view;
mod item_view;
mod json_text;
mod merge;
mod part;
mod pick_totals;
mod raw_view;
mod reader;
mod report_format;
mod result_view;
mod rule_view;
mod run_head;
mod run_totals;
mod runs_view;
mod snapshot_totals;
mod summary_view;
mod turn_view;
mod walks_and_checkpoints;

#[cfg(feature = "html")]
pub(crate) use cause_view::{CauseView, SpecimenView};
pub(crate) use duration::{Dollars, milliseconds};
pub(crate) use format_version::VERSION;
pub use merge::MergedRun;
pub(crate) use part::part;
pub(crate) use pick_totals::{PickTotals, TestPicks};
pub use reader::read_document;
pub(crate) use reader::{read_result, read_summary};
pub use report_format::schema;
pub(crate) use report_format::{last_line, result_line};
pub(crate) use result_view::ResultLine;
pub use rule_view::rule_results;
pub use run_head::RunHead;
pub(crate) use run_totals::RunTotals;
pub(crate) use snapshot_totals::SnapshotTotals;
pub(crate) use summary_view::SummaryLine;
#[cfg(feature = "html")]
pub(crate) use summary_view::WarningView;
