//! The recording of a run that has one test, kept in memory.

use std::sync::{Arc, Mutex, PoisonError};

use ananke_trace::outcome::Problem;

/// The text of a recording, or why there is none. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryRecording(Arc<Mutex<Option<Result<String, Problem>>>>);

impl MemoryRecording {
    /// The text, once the test has ended; `None` if it was stopped.
    ///
    /// # Errors
    /// If it would contain a secret.
    pub fn take(&self) -> Result<Option<String>, Problem> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .transpose()
    }

    /// The test has ended with this text.
    pub(super) fn set(&self, text: Result<Option<String>, Problem>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text.transpose();
    }
}
