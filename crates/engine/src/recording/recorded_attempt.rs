//! The recording of an attempt that is over, for those who keep it.

use super::recorder::Recorder;
use ananke_base::context::CaseKey;
use ananke_trace::outcome::Problem;

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
