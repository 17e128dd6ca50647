//! The results of a project's tests in its last runs, in `.ananke/history.jsonl` next to the config: one line per test and
//! run.
//!
//! **Invariant:** a history that cannot be written fails no run; a line that cannot be read is skipped. At most
//! 50 runs and 8 MiB are kept, the newest.

mod history_entry;
mod history_report;
mod run_history;

pub use history_entry::{HistoryEntry, HistoryReason, MOST_OF_REASON};
pub use history_report::{HistoryReport, run_name};
pub use run_history::{HISTORY, RunHistory, last_statuses};
