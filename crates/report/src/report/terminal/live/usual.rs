//! The usual durations of the tests of a run, and the estimate for the rest of it.

use std::collections::HashMap;
use std::time::Duration;

/// The usual durations of a run's tests, by id; those are missing of which nothing is known, and those that are over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsualDurations(HashMap<String, Duration>);

impl UsualDurations {
    /// The usual duration of a test.
    pub(super) fn of(&self, id: &str) -> Option<Duration> {
        self.0.get(id).copied()
    }

    /// Forgets a test that is over.
    pub(super) fn end(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// The time that `open` tests will take, `parallel` at once. Those that have `begun` come with their usual duration, if it is
    /// known, and since how long they run. One that is not known is taken to last as long as the others; `None` if that
    /// is half of them.
    pub(super) fn left(
        &self,
        open: usize,
        begun: impl Iterator<Item = (Option<Duration>, Duration)>,
        parallel: usize,
    ) -> Option<Duration> {
        let known = self.0.len();
        if known * 2 <= open {
            return None;
        }
        let of_known: Duration = self.0.values().sum();
        let mean = of_known / count(known.max(1));
        let mut all = of_known + mean.saturating_mul(count(open.saturating_sub(known)));
        let mut longest = Duration::ZERO;
        for (usual, ran) in begun {
            let usual = usual.unwrap_or(mean);
            let left = usual.saturating_sub(ran);
            all = all.saturating_sub(usual.min(ran));
            longest = longest.max(left);
        }
        Some((all / count(parallel.max(1))).max(longest))
    }
}

fn count(tests: usize) -> u32 {
    u32::try_from(tests).unwrap_or(u32::MAX)
}

impl FromIterator<(String, Duration)> for UsualDurations {
    fn from_iter<Known: IntoIterator<Item = (String, Duration)>>(known: Known) -> Self {
        Self(known.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn usual(seconds: &[(&str, u32)]) -> UsualDurations {
        let known = seconds
            .iter()
            .map(|(id, time)| ((*id).to_owned(), SECOND * *time));
        known.collect()
    }

    /// The estimate for the rest if the tests that run have done so for 4 s.
    fn left(usual: &UsualDurations, open: usize, running: &[&str], parallel: usize) -> Option<u64> {
        let begun = running.iter().map(|id| (usual.of(id), SECOND * 4));
        usual.left(open, begun, parallel).map(|left| left.as_secs())
    }

    #[test]
    fn the_rest_of_a_run_takes_as_long_as_its_tests_usually_do() {
        let mut known = usual(&[("a", 10), ("b", 20), ("c", 30)]);
        assert_eq!(left(&known, 3, &["a"], 1), Some(6 + 20 + 30));
        assert_eq!(left(&known, 3, &["a", "b"], 2), Some((6 + 16 + 30) / 2));
        // The run lasts as long as the longest of its tests at least, and one that is late takes no more time.
        assert_eq!(left(&known, 3, &["a", "b", "c"], 3), Some(26));
        assert_eq!(left(&usual(&[("a", 3)]), 1, &["a"], 1), Some(0));
        // What never ran is taken to last as long as the others.
        assert_eq!(
            left(&known, 5, &["a", "new"], 1),
            Some(6 + 20 + 30 + 16 + 20)
        );
        known.end("a");
        assert_eq!(left(&known, 2, &["b"], 1), Some(16 + 30));
    }

    #[test]
    fn without_a_history_nothing_is_estimated() {
        assert_eq!(left(&UsualDurations::default(), 3, &["a"], 1), None);
        assert_eq!(left(&UsualDurations::default(), 0, &[], 1), None);
        assert_eq!(left(&usual(&[("a", 10)]), 2, &["a"], 1), None);
        assert_eq!(left(&usual(&[("a", 10)]), 1, &["a"], 1), Some(6));
    }
}
