//! The pace at which the requests of one attempt may be sent: waiting for a limit of the target is no time of the
//! attempt.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::rate_limit::RateLimit;
use super::watchdog::Watchdog;
use ananke_agents::Pacer;
use ananke_recording::Recorder;

/// Lets the requests of one attempt to one agent through as its limit allows.
pub(crate) struct RequestPace {
    limit: Option<Arc<RateLimit>>,
    watchdog: Arc<Watchdog>,
    recorder: Option<Recorder>,
    /// The time for which the requests of the attempt have waited, whatever the agent.
    waited_micros: Arc<AtomicU64>,
}

impl RequestPace {
    pub(crate) fn new(watchdog: Arc<Watchdog>, recorder: Option<Recorder>) -> Self {
        Self {
            limit: None,
            watchdog,
            recorder,
            waited_micros: Arc::default(),
        }
    }

    /// The pace of the same attempt for requests to an agent with this limit.
    pub(crate) fn with_limit(&self, limit: Option<Arc<RateLimit>>) -> Self {
        Self {
            limit,
            watchdog: Arc::clone(&self.watchdog),
            recorder: self.recorder.clone(),
            waited_micros: Arc::clone(&self.waited_micros),
        }
    }

    /// Waits for something that is no time of the attempt.
    pub(crate) async fn hold(&self, waiting: impl Future<Output = ()>) {
        let waited = self.watchdog.pause(waiting).await;
        // A recording notes the time, so that a replay of it has the same moments.
        if let Some(recorder) = &self.recorder {
            recorder.wait(waited);
        }
        let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        self.waited_micros.fetch_add(micros, Ordering::Relaxed);
    }
}

impl fmt::Debug for RequestPace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RequestPace")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl Pacer for RequestPace {
    fn request(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(limit) = &self.limit {
                self.hold(limit.request()).await;
            }
        })
    }

    fn waited(&self) -> Duration {
        Duration::from_micros(self.waited_micros.load(Ordering::Relaxed))
    }
}
