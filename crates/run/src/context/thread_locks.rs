//! Locks for tests that use the same fixed thread of the same endpoint, or the same process: their conversations must not
//! overlap.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::OwnedMutexGuard;

use ananke_base::context::lock;

/// An endpoint and a thread; the address of a process has one, without a name.
type Thread = (String, String);

/// One lock per endpoint and fixed thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadLocks(Mutex<HashMap<Thread, Arc<tokio::sync::Mutex<()>>>>);

impl ThreadLocks {
    /// Waits until no other test uses `thread` of `endpoint`, and locks it until the guard is dropped.
    pub(crate) async fn lock(&self, endpoint: &str, thread: &str) -> OwnedMutexGuard<()> {
        let thread = (endpoint.to_owned(), thread.to_owned());
        // The map is unlocked before the wait, or one busy thread would hold up the tests of all others.
        let talking = Arc::clone(lock(&self.0).entry(thread).or_default());
        talking.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_thread_of_one_endpoint_is_used_by_one_test_at_a_time() {
        let locks = ThreadLocks::default();
        let patience = Duration::from_secs(1);
        let held = locks.lock("http://a", "t").await;
        for (endpoint, thread, is_free) in [
            ("http://a", "t", false),
            ("http://b", "t", true),
            ("http://a", "u", true),
        ] {
            let locked = timeout(patience, locks.lock(endpoint, thread)).await;
            assert_eq!(locked.is_ok(), is_free, "{endpoint} {thread}");
        }
        let release = async {
            sleep(patience).await;
            drop(held);
        };
        let (_again, ()) = tokio::join!(locks.lock("http://a", "t"), release);
    }
}
