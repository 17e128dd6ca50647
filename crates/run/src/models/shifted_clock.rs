//! A clock that is ahead of another one by the time that scripted models took.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ananke_base::context::{At, Clock};

/// A clock that can be advanced. A scripted model answers at once, and the time that it is said to take passes here.
pub(super) struct ShiftedClock {
    clock: Arc<dyn Clock>,
    ahead_us: AtomicU64,
}

impl ShiftedClock {
    /// A clock that shows what `clock` does.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            ahead_us: AtomicU64::new(0),
        }
    }

    /// Advances it alone, because nothing sleeps for an answer of a script.
    pub(super) fn advance(&self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.ahead_us.fetch_add(us, Ordering::Relaxed);
    }

    /// A moment of the other clock, as this one shows it.
    pub(super) fn shifted(&self, at: At) -> At {
        at.plus(Duration::from_micros(self.ahead_us.load(Ordering::Relaxed)))
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> At {
        self.shifted(self.clock.now())
    }

    fn unix_ms(&self, at: At) -> u64 {
        self.clock.unix_ms(at)
    }
}
