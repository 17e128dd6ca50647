//! The time of tokio's timers, which stands still if a test pauses it.

use ananke::context::{At, Clock};
use tokio::time::Instant;

pub(crate) struct TokioClock(Instant);

impl TokioClock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for TokioClock {
    fn now(&self) -> At {
        At::default().plus(self.0.elapsed())
    }

    fn unix_ms(&self, at: At) -> u64 {
        at.0 / 1000
    }
}
