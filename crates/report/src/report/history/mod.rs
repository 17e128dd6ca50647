//! The memory of a project's runs, in `.ananke/history.jsonl` next to the config: one file, which each run appends to.
//!
//! | line | written when | contains |
//! |---|---|---|
//! | `{"began":"RUN", …}` | the run begins | the tests that are to run, and the file in which the run is kept ([`RunBeginning`]) |
//! | `{"run":"RUN","id":"TEST", …}` | a test has ended | its result ([`HistoryEntry`]) |
//! | `{"ended":"RUN"}` | the run came to its end | nothing else; a run that was killed or interrupted has no such line |
//!
//! `history_line` defines the lines, and so is where a new key goes; `history_file` appends to the file and removes what is too
//! old (`trim`). Every reader takes what it needs from the lines, and forgets them: `run_history` takes durations, the changes
//! since the last run and which runs are not kept, `last_verdicts` takes what `--last-failed` runs. A replay has lines, too,
//! because `--last-failed` runs what failed in one, and marks them, because it has no times and shows nothing of the agent.
//!
//! **Invariant:** a history that cannot be written fails no run, and leaves a mark (`history.lost`), so that it is not read as "nothing
//! failed". Two runs at the same time lose no line of each other: each appends whole lines, and the file is only ever
//! replaced while no run goes on. The last 50 runs and the newest line of each test are kept.

mod history_file;
mod history_line;
mod history_report;
mod last_verdicts;
mod run_history;
mod trim;

pub use history_file::HISTORY;
pub use history_line::{HistoryEntry, HistoryReason, MOST_OF_REASON, RunBeginning, RunKind};
pub use history_report::{HistoryReport, run_name};
pub use last_verdicts::{LastVerdicts, Unknown};
pub use run_history::{RunHistory, last_statuses, later_runs_not_kept};
