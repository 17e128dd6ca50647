//! Reports each request to a listener when it is over.

use std::future::pending;
use std::sync::Arc;

use tokio::time::Instant;

use super::request_entry::{RequestEnd, RequestEntry};

/// Gets an entry of each request when it is over.
pub trait RequestListener: Send + Sync {
    /// A request is over.
    fn request(&self, entry: &RequestEntry);
}

/// The entry of a request that is being answered. If it is dropped before, the client has gone away.
pub(super) struct LogEntry {
    entry: RequestEntry,
    listener: Arc<dyn RequestListener>,
    began: Instant,
}

impl LogEntry {
    pub(super) fn new(entry: RequestEntry, listener: Arc<dyn RequestListener>) -> Self {
        Self {
            entry,
            listener,
            began: Instant::now(),
        }
    }

    /// The moment at which the request was received.
    pub(super) fn began(&self) -> Instant {
        self.began
    }

    /// An event was sent.
    pub(super) fn sent(&mut self) {
        self.entry.events += 1;
    }

    /// The response ended like this.
    pub(super) fn ends(&mut self, end: RequestEnd) {
        self.entry.end = end;
    }

    /// Waits until the client goes away.
    pub(super) async fn stall(self) {
        pending::<()>().await;
    }
}

impl Drop for LogEntry {
    fn drop(&mut self) {
        self.entry.took_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.listener.request(&self.entry);
    }
}
