//! The recordings of a project, looked at without a run.
//!
//! Flows in: the files below the directory of recordings, with the models and the tests of the project. Flows out: the problems of these files
//! (`checked_recordings`). **Invariant:** a stale recording is not found here, since only the agent shows what it asks.

mod checked_recordings;

pub use checked_recordings::{CheckedRecordings, RecordedProject};
