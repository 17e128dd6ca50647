//! Locks for tests that use the same fixed thread of the same endpoint: their conversations must not overlap.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// An endpoint and a thread.
type Thread = (String, String);

/// One lock per endpoint and fixed thread.
#[derive(Debug, Default)]
pub(super) struct ThreadLocks(Mutex<HashMap<Thread, Arc<tokio::sync::Mutex<()>>>>);

impl ThreadLocks {
    /// Waits until no other test uses `thread` of `endpoint`, and locks it until the guard is dropped.
    pub(super) async fn lock(&self, endpoint: &str, thread: &str) -> OwnedMutexGuard<()> {
        let talking = {
            let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(threads.entry((endpoint.to_owned(), thread.to_owned())).or_default())
        };
        talking.lock_owned().await
    }
}
