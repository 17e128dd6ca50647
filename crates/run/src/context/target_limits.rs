//! The limits of targets that all tests of a run share: one for each place in the config where one is written.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::rate_limit::RateLimit;
use ananke_agents::{Concurrency, Rate};
use ananke_base::context::lock;

/// The limits of targets that tests have asked for so far.
#[derive(Debug, Default)]
pub(crate) struct TargetLimits {
    rates: Mutex<HashMap<Rate, Arc<RateLimit>>>,
    slots: Mutex<HashMap<Concurrency, Arc<Semaphore>>>,
}

impl TargetLimits {
    /// The limit of this rate.
    pub(crate) fn rate(&self, rate: Rate) -> Arc<RateLimit> {
        shared(&self.rates, rate, || RateLimit::new(rate))
    }

    /// Waits until fewer tests talk to the agent than may, and counts this one until the permit is dropped.
    pub(crate) async fn slot(&self, concurrency: Concurrency) -> Option<OwnedSemaphorePermit> {
        let slots = shared(&self.slots, concurrency, || {
            Semaphore::new(concurrency.tests)
        });
        slots.acquire_owned().await.ok()
    }
}

fn shared<K: Hash + Eq, T>(
    all: &Mutex<HashMap<K, Arc<T>>>,
    key: K,
    new: impl FnOnce() -> T,
) -> Arc<T> {
    let mut all = lock(all);
    Arc::clone(all.entry(key).or_insert_with(|| Arc::new(new())))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use ananke_base::diagnostic::Span;

    #[tokio::test(start_paused = true)]
    async fn a_limit_is_shared_by_those_who_have_it_from_one_place() {
        let limits = TargetLimits::default();
        let at = |start| Concurrency {
            tests: 1,
            place: Span {
                start,
                ..Span::default()
            },
        };
        let first = limits.slot(at(1)).await;
        let patience = Duration::from_secs(1);
        assert!(timeout(patience, limits.slot(at(1))).await.is_err());
        assert!(timeout(patience, limits.slot(at(2))).await.is_ok());
        drop(first);
        assert!(timeout(patience, limits.slot(at(1))).await.is_ok());
    }
}
