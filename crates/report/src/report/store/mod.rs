//! The kept runs of a project (SPEC 12): what each run received and what came of its tests, in `.ananke/runs/` next to the
//! config, one file per run.
//!
//! Flows in: the events of a run, and the recordings of its attempts as they end. Flows out: the outcome of any of its
//! tests, and the answers of its agent, without reading the rest of the file. **Invariant:** a run is never held up and
//! never fails because it is kept; everything is masked before it is written; a file is only appended to, and one that
//! ends in the middle is read as far as it goes.

mod earlier_runs;
mod kept_run;
mod numbered_files;
mod record;
mod run_files;
mod run_writer;
mod store_report;

pub use earlier_runs::EarlierRuns;
pub use kept_run::{KeptRun, KeptRunError};
pub use record::{KeptTest, RunHeading};
pub use run_files::{RUNS, kept_runs};
pub use store_report::{RunStore, StoreReport, not_kept};
