//! Conversations that must not overlap: tests that talk to one endpoint on one fixed thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// An endpoint and a thread.
type Place = (String, String);

/// Who talks on which fixed thread.
#[derive(Debug, Default)]
pub(super) struct Threads(Mutex<HashMap<Place, Arc<tokio::sync::Mutex<()>>>>);

impl Threads {
    /// Waits until nobody else talks to `endpoint` on `thread`; the thread is taken as long as the answer lives.
    pub(super) async fn take(&self, endpoint: &str, thread: &str) -> OwnedMutexGuard<()> {
        let talking = {
            let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(threads.entry((endpoint.to_owned(), thread.to_owned())).or_default())
        };
        talking.lock_owned().await
    }
}
