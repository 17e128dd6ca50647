//! The recordings of attempts: where they are kept while a run goes, and where they come from when its answers are
//! evaluated again.

use std::fmt::Debug;
use std::sync::Arc;

use super::kept_recording::KeptRecording;
use super::recorder::Recorder;
use ananke_base::context::CaseKey;
use ananke_trace::outcome::Problem;

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

/// The recording of an attempt that is over. Clones share it.
#[derive(Clone)]
pub struct RecordedAttempt {
    recorder: Recorder,
    ended_unix_ms: u64,
}

impl RecordedAttempt {
    pub(super) fn new(recorder: Recorder, ended_unix_ms: u64) -> Self {
        Self {
            recorder,
            ended_unix_ms,
        }
    }

    /// The key of the attempt.
    pub fn key(&self) -> &CaseKey {
        self.recorder.key()
    }

    /// The number of bytes that were received.
    pub fn received(&self) -> u64 {
        self.recorder.received()
    }

    /// The text of the recording, secrets masked.
    ///
    /// # Errors
    /// If it would contain a secret, or is too large.
    pub fn text(&self) -> Result<String, Problem> {
        self.recorder.text(self.ended_unix_ms)
    }
}
