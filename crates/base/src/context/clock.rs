//! Time as the engine sees it: a monotonic count of microseconds, and its Unix time for reports.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A moment: microseconds since the origin of the clock that gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At(pub u64);

impl At {
    /// The time from `earlier` to this moment; zero where `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// This moment moved forward by `duration`.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_add(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)),
        )
    }
}

/// A monotonic clock that can also say what a moment is in Unix time.
pub trait Clock: Send + Sync {
    /// The moment now.
    fn now(&self) -> At;
    /// `at` in milliseconds since the Unix epoch.
    fn unix_ms(&self, at: At) -> u64;
}

/// The clock of the machine.
#[derive(Debug)]
pub struct SystemClock {
    origin: Instant,
    origin_unix_ms: u64,
}

impl SystemClock {
    /// A clock whose origin is now.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the machine's clocks"
    )]
    pub fn start() -> Self {
        let unix = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            origin: Instant::now(),
            origin_unix_ms: u64::try_from(unix.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> At {
        At::default().plus(self.origin.elapsed())
    }

    fn unix_ms(&self, at: At) -> u64 {
        self.origin_unix_ms + at.0 / 1000
    }
}

/// A clock that moves only when it is advanced: the clock of a scripted agent, of a replay and of tests.
#[derive(Debug, Default)]
pub struct ManualClock {
    micros: AtomicU64,
    origin_unix_ms: u64,
}

impl ManualClock {
    /// A clock at its origin, which is `origin_unix_ms` in Unix time.
    pub fn new(origin_unix_ms: u64) -> Self {
        Self {
            micros: AtomicU64::new(0),
            origin_unix_ms,
        }
    }

    /// Moves the clock forward.
    pub fn advance(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> At {
        At(self.micros.load(Ordering::SeqCst))
    }

    fn unix_ms(&self, at: At) -> u64 {
        self.origin_unix_ms + at.0 / 1000
    }
}
