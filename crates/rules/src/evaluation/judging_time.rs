//! The time that the rules of a test may compute (SPEC 14): patterns and schemas can take for ever. The time of scripts and
//! judges is none of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ananke_base::context::At;
use ananke_base::context::interruption::{COMPUTING_TIME, Interrupted, real_time, within};
use ananke_base::text::duration;
use ananke_trace::outcome::{ErrorKind, Problem};

/// The time that the rules of one test have, all of them together. Clones share it.
#[derive(Clone, Debug)]
pub struct JudgingTime(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Microseconds.
    allowed: AtomicU64,
    /// Microseconds.
    used: AtomicU64,
    /// Since when rules compute; 0 if none does.
    since: AtomicU64,
}

impl Default for JudgingTime {
    fn default() -> Self {
        Self(Arc::new(Shared {
            allowed: AtomicU64::new(micros(COMPUTING_TIME)),
            used: AtomicU64::new(0),
            since: AtomicU64::new(0),
        }))
    }
}

impl JudgingTime {
    /// An attempt begins, whose rules may take `allowed`.
    pub fn begin(&self, allowed: Duration) {
        self.0.allowed.store(micros(allowed), Ordering::Relaxed);
        self.0.used.store(0, Ordering::Relaxed);
    }

    /// Computes; `None` if there is no time left, before or after that. What was given up is in no state that can be relied on.
    pub(crate) fn judge<T>(&self, compute: impl FnOnce() -> T) -> Option<T> {
        let Shared { used, since, .. } = &*self.0;
        if self.is_over() {
            return None;
        }
        let begun = real_time();
        since.store(begun.0.max(1), Ordering::Relaxed);
        let computed = within(self.left(), compute);
        since.store(0, Ordering::Relaxed);
        let took = match computed {
            Ok(_) => micros(real_time().since(begun)),
            Err(Interrupted) => u64::MAX / 2,
        };
        used.fetch_add(took, Ordering::Relaxed);
        computed.ok().filter(|_| !self.is_over())
    }

    /// The time that rules have computed by now without a pause; `None` if none computes.
    pub fn computes(&self) -> Option<Duration> {
        let since = self.0.since.load(Ordering::Relaxed);
        (since != 0).then(|| real_time().since(At(since)))
    }

    /// A test that the time was over `grace` ago, and rules still compute: nothing interrupts them.
    pub fn is_overdue(&self, grace: Duration) -> bool {
        self.computes()
            .is_some_and(|computes| computes > self.left() + grace)
    }

    /// The problem of a test whose rules took too long, as the rule `slow` did, if it is known.
    pub fn problem(&self, slow: Option<&str>) -> Problem {
        let allowed = Duration::from_micros(self.0.allowed.load(Ordering::Relaxed));
        let slow = slow.map(|rule| format!(": {rule}")).unwrap_or_default();
        Problem {
            kind: ErrorKind::Judging,
            message: format!(
                "judging took longer than {}{slow}",
                duration::chosen(allowed)
            ),
            help: Some(
                "a schema or a pattern has too many ways to match: simplify it, or give judging more time with \
                 `limits: { evaluation_ms: … }` in the config"
                    .to_owned(),
            ),
        }
    }

    /// A test that no time is left.
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    fn left(&self) -> Duration {
        let [allowed, used] = [&self.0.allowed, &self.0.used].map(|of| of.load(Ordering::Relaxed));
        Duration::from_micros(allowed.saturating_sub(used))
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::context::interruption::step;

    #[test]
    fn all_rules_together_have_one_time() {
        let time = JudgingTime::default();
        assert_eq!(time.judge(|| 5), Some(5));
        assert!(!time.is_over() && time.computes().is_none());
        time.begin(Duration::from_millis(20));
        let shared = time.clone();
        let forever = || -> u32 {
            loop {
                step();
                assert!(shared.computes().is_some());
            }
        };
        assert_eq!(time.judge(forever), None);
        assert_eq!(time.judge(|| 5), None, "nothing is left of it");
        let problem = time.problem(Some("the test rule `tools.schema` (a.test.yaml:4)"));
        assert_eq!(
            problem.message,
            "judging took longer than 20 ms: the test rule `tools.schema` (a.test.yaml:4)"
        );
        time.begin(COMPUTING_TIME);
        assert_eq!(time.judge(|| 5), Some(5), "a new attempt has its own");
    }
}
