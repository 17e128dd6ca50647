//! Average, extremes and standard deviation of durations, in memory of constant size.

use serde::{Deserialize, Serialize};

/// The statistics of a number of durations; all sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurationStatistics {
    count: u64,
    sum_us: u128,
    sum_of_squares: u128,
    /// The shortest one, in microseconds.
    pub least_us: u64,
    /// The longest one, in microseconds.
    pub most_us: u64,
}

impl DurationStatistics {
    /// `count` durations between `least` and `most` with this average and this standard deviation of the sample, all in
    /// microseconds.
    pub fn of_summary(
        count: u64,
        (least_us, most_us): (u64, u64),
        average_us: u64,
        deviation_us: u64,
    ) -> Self {
        let number = u128::from(count);
        let sum_us = number.saturating_mul(average_us.into());
        let spread = u128::from(deviation_us)
            .saturating_mul(deviation_us.into())
            .saturating_mul(number.saturating_mul(number.saturating_sub(1)));
        let square = sum_us.saturating_mul(sum_us).saturating_add(spread);
        Self {
            count,
            sum_us,
            sum_of_squares: square.div_ceil(number.max(1)),
            least_us,
            most_us,
        }
    }

    /// Adds a duration of `us` microseconds.
    pub fn add(&mut self, us: u64) {
        self.least_us = if self.count == 0 {
            us
        } else {
            self.least_us.min(us)
        };
        self.most_us = self.most_us.max(us);
        self.count += 1;
        let us = u128::from(us);
        self.sum_us = self.sum_us.saturating_add(us);
        self.sum_of_squares = self.sum_of_squares.saturating_add(us * us);
    }

    /// The average, in microseconds.
    pub fn average_us(&self) -> u64 {
        let count = u128::from(self.count.max(1));
        u64::try_from((self.sum_us + count / 2) / count).unwrap_or(u64::MAX)
    }

    /// The standard deviation of the sample (its divisor is one less than the number), in microseconds; 0 of a single
    /// duration.
    pub fn deviation_us(&self) -> u64 {
        if self.count < 2 {
            return 0;
        }
        let count = u128::from(self.count);
        let spread = count
            .saturating_mul(self.sum_of_squares)
            .saturating_sub(self.sum_us.saturating_mul(self.sum_us));
        #[expect(
            clippy::cast_precision_loss,
            reason = "far more digits than a clock has"
        )]
        let variance = spread as f64 / (count * (count - 1)) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a root is not negative"
        )]
        let deviation = variance.sqrt().round() as u64;
        deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: &[u64]) -> DurationStatistics {
        let mut statistics = DurationStatistics::default();
        for us in durations {
            statistics.add(*us);
        }
        statistics
    }

    #[test]
    fn the_statistics_of_a_few_durations_are_those_of_a_table() {
        let statistics = of(&[2, 4, 4, 4, 5, 5, 7, 9].map(|ms| ms * 1000));
        assert_eq!((statistics.least_us, statistics.most_us), (2000, 9000));
        // The squares of the differences from 5 ms add up to 32 ms²: the root of 32 / 7 is 2.138 ms.
        assert_eq!(
            (statistics.average_us(), statistics.deviation_us()),
            (5000, 2138)
        );
    }

    #[test]
    fn a_summary_says_what_the_durations_said() {
        for durations in [&[1, 2][..], &[7, 7, 7], &[2000, 4000, 9001, 1], &[5], &[]] {
            let exact = of(durations);
            let count = durations.len() as u64;
            let range = (exact.least_us, exact.most_us);
            let summary = DurationStatistics::of_summary(
                count,
                range,
                exact.average_us(),
                exact.deviation_us(),
            );
            assert_eq!(summary.average_us(), exact.average_us(), "{durations:?}");
            assert_eq!(
                summary.deviation_us(),
                exact.deviation_us(),
                "{durations:?}"
            );
        }
    }

    #[test]
    fn none_one_and_equal_ones_do_not_deviate() {
        for durations in [&[][..], &[7], &[7; 1000]] {
            assert_eq!(of(durations).deviation_us(), 0);
        }
        assert_eq!((of(&[]).average_us(), of(&[]).least_us), (0, 0));
        assert_eq!(of(&[7, 8]).average_us(), 8);
    }

    #[test]
    fn long_durations_lose_nothing() {
        let day = 86_400_000_000;
        assert_eq!(of(&[day, day + 2, day + 4]).deviation_us(), 2);
    }
}
