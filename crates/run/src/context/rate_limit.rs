//! A limit of requests over time, for all tests of a run.

use std::collections::VecDeque;
use std::sync::Mutex;

use tokio::time::{Instant, sleep_until};

use ananke_agents::Rate;
use ananke_base::context::lock;

/// Lets at most so many requests through in any span of its time, in the order in which they ask.
#[derive(Debug)]
pub(crate) struct RateLimit {
    rate: Rate,
    /// The moments at which the last requests were sent, or will be: no more than the limit counts.
    sent: Mutex<VecDeque<Instant>>,
}

impl RateLimit {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            sent: Mutex::default(),
        }
    }

    /// Waits until the next request may be sent. A request that is given up while it waits counts as sent.
    pub(super) async fn request(&self) {
        let at = self.next(Instant::now());
        sleep_until(at).await;
    }

    /// The moment at which a request may be sent that is asked for at `now`.
    fn next(&self, now: Instant) -> Instant {
        let mut sent = lock(&self.sent);
        let mut at = now;
        // A full span has room again when its first request is so long ago.
        if sent.len() >= self.rate.requests
            && let Some(first) = sent.pop_front()
            && let Some(free) = first.checked_add(self.rate.per)
        {
            at = at.max(free);
        }
        sent.push_back(at);
        at
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use ananke_base::diagnostic::Span;

    #[tokio::test(start_paused = true)]
    async fn no_span_of_the_time_has_more_requests() {
        let rate = Rate {
            requests: 3,
            per: Duration::from_secs(10),
            place: Span::default(),
        };
        let limit = RateLimit::new(rate);
        let start = Instant::now();
        let mut sent = Vec::new();
        for pause in [0, 4, 0, 0, 0, 0, 0, 60, 0, 0, 0] {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            limit.request().await;
            sent.push(start.elapsed().as_secs());
        }
        assert_eq!(sent, [0, 4, 4, 10, 14, 14, 20, 80, 80, 80, 90]);
        assert!(
            sent.windows(4).all(|span| span[3] - span[0] >= 10),
            "{sent:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_wait_together_go_in_their_order() {
        let rate = Rate {
            requests: 1,
            per: Duration::from_secs(1),
            place: Span::default(),
        };
        let (limit, start) = (RateLimit::new(rate), Instant::now());
        let ask = async || {
            limit.request().await;
            start.elapsed().as_secs()
        };
        assert_eq!(tokio::join!(ask(), ask(), ask()), (0, 1, 2));
    }
}
