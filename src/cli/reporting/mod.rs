//! The reports of a run, chosen by its options, and what the project remembers of its runs.
//!
//! `reporters` makes those that are asked for. The earlier run that a run is compared with is the `baseline`; what `kept_runs`
//! remembers of earlier ones chooses the tests of `--last-failed` (`last_failed`), and walks that failed are frozen (`failed_walks`).
//!
//! **Invariant:** what is reported or remembered changes no verdict.

mod baseline;
mod custom_reporter;
pub(crate) mod failed_walks;
pub(crate) mod kept_runs;
pub(crate) mod last_failed;
mod reporters;
mod reserved_report;
mod run_facts;

pub(crate) use baseline::{baseline, baseline_report};
pub(crate) use custom_reporter::{CustomReporter, custom_reporter};
pub(crate) use failed_walks::FailedWalks;
pub(crate) use kept_runs::{HOW_TO_KEEP, kept_count};
pub(crate) use reporters::{
    LiveDisplay, Reporters, file_options, file_reports, note_earlier_reports, reporters,
    usual_durations,
};
pub(crate) use reserved_report::ReservedReport;
pub(crate) use run_facts::{command_facts, run_facts};
