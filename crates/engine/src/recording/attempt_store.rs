//! The recordings of attempts: where they are kept while a run goes, and where they come from when its answers are
//! evaluated again.

use std::fmt::Debug;
use std::sync::Arc;

use super::kept_recording::KeptRecording;
use super::recorded_attempt::RecordedAttempt;

/// Keeps what was received in each attempt at a test of a run.
pub trait AttemptStore: Debug + Send + Sync {
    /// The most bytes of one attempt that are kept.
    fn most_bytes(&self) -> u64;

    /// Takes an attempt that is over. Nothing waits for it.
    fn add(&self, attempt: RecordedAttempt);
}

/// The answers that agents gave in earlier runs.
pub trait EarlierAnswers: Debug + Send + Sync {
    /// The recording of the last attempt of the run `run`, counted from 1, of the test `id`.
    ///
    /// # Errors
    /// The reason that there is none, as a sentence.
    fn recording(&self, id: &str, run: u32) -> Result<Arc<KeptRecording>, String>;
}
