//! A test of a rate that stops as soon as it knows: Wald's sequential probability ratio test ("Sequential tests of
//! statistical hypotheses", Annals of Mathematical Statistics 16, 1945), with his boundaries, truncated at a number of runs.

use serde::{Deserialize, Serialize};

use super::percentage::Percentage;

/// Which two rates are distinguished, how surely, and in how many runs at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequentialTest {
    /// A rate that is good enough: such an agent should pass.
    pub good: Percentage,
    /// A rate that is not: such an agent should fail. Below `good`.
    pub bad: Percentage,
    /// How often either verdict may be wrong; below 50 %.
    pub error: Percentage,
    /// The most runs.
    pub max: u32,
}

/// How a sequential test ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequentialDecision {
    /// The rate is good.
    Pass,
    /// The rate is bad.
    Fail,
    /// As many runs as there may be do not decide it.
    Undecided,
}

impl SequentialTest {
    /// What is not chosen is so.
    pub const DEFAULT: Self = Self {
        good: Percentage::whole(95),
        bad: Percentage::whole(80),
        error: Percentage::whole(5),
        max: 60,
    };

    /// The decision after so many runs of each kind; `None` if another run is needed.
    pub fn decide(&self, passed: u32, failed: u32) -> Option<SequentialDecision> {
        let (ratio, boundary) = (self.log_ratio(passed, failed), self.boundary());
        match () {
            () if ratio >= boundary => Some(SequentialDecision::Pass),
            () if ratio <= -boundary => Some(SequentialDecision::Fail),
            () => (passed + failed >= self.max).then_some(SequentialDecision::Undecided),
        }
    }

    /// How many runs in a row have to pass for it to pass.
    pub fn least_to_pass(&self) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        let runs = (self.boundary() / self.of_pass()).ceil() as u32;
        runs
    }

    /// The logarithm of how many times more probable what was seen is for a good agent than for a bad one.
    fn log_ratio(&self, passed: u32, failed: u32) -> f64 {
        let of_failed = match failed {
            // For a good rate of 100 % one failure is infinitely improbable, and none says nothing.
            0 => 0.0,
            _ => f64::from(failed) * ((1.0 - self.good.as_fraction()) / (1.0 - self.bad.as_fraction())).ln(),
        };
        f64::from(passed) * self.of_pass() + of_failed
    }

    /// What a run that passed adds to the ratio.
    fn of_pass(&self) -> f64 {
        (self.good.as_fraction() / self.bad.as_fraction()).ln()
    }

    /// The ratio at which the test knows; the other way round it is the same, since both errors are equal.
    fn boundary(&self) -> f64 {
        let error = self.error.as_fraction();
        ((1.0 - error) / error).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The average number of runs and the shares that pass, fail and stay undecided, of an agent that passes `rate` of
    /// its runs: by dynamic programming over the number of failures, with the decision that tests are run with.
    fn exactly(test: &SequentialTest, rate: f64) -> (f64, [f64; 3]) {
        let (mut runs, mut ends) = (0.0, [0.0; 3]);
        let mut open = vec![1.0];
        for run in 1..=test.max {
            let mut next = vec![0.0; open.len() + 1];
            for (failed, weight) in open.into_iter().enumerate() {
                next[failed] += weight * rate;
                next[failed + 1] += weight * (1.0 - rate);
            }
            for (failed, weight) in (0..).zip(&mut next) {
                let Some(decision) = test.decide(run - failed, failed) else { continue };
                runs += f64::from(run) * *weight;
                ends[decision as usize] += std::mem::take(weight);
            }
            open = next;
        }
        (runs, ends)
    }

    #[test]
    fn the_figures_of_the_default_are_exact() {
        for (rate, runs, pass, fail) in [
            (1.0, 18.0, 1.0, 0.0),
            (0.5, 6.1, 0.0, 1.0),
            (0.95, 29.5, 0.90, 0.03),
            (0.8, 21.8, 0.04, 0.91),
            (0.0, 3.0, 0.0, 1.0),
        ] {
            let (average, [passes, fails, undecided]) = exactly(&SequentialTest::DEFAULT, rate);
            assert!((average - runs).abs() < 0.05, "{rate}: {average} runs");
            assert!(
                (passes - pass).abs() < 0.005 && (fails - fail).abs() < 0.005,
                "{rate}: {passes} {fails}"
            );
            assert!((passes + fails + undecided - 1.0).abs() < 1e-12, "{rate}");
        }
    }

    #[test]
    fn the_wrong_verdicts_are_as_rare_as_promised() {
        let percent = Percentage::whole;
        for (good, bad, error) in [(95, 80, 5), (99, 90, 1), (60, 40, 10), (100, 50, 5)] {
            let test =
                SequentialTest { good: percent(good), bad: percent(bad), error: percent(error), max: 2000 };
            let (_, [passes, ..]) = exactly(&test, test.bad.as_fraction());
            let (_, [_, fails, undecided]) = exactly(&test, test.good.as_fraction());
            let allowed = test.error.as_fraction() * 1.02;
            assert!(passes <= allowed && fails <= allowed && undecided < 1e-6, "{test:?}: {passes} {fails}");
        }
    }

    #[test]
    fn one_failure_decides_against_a_rate_of_all() {
        let test = SequentialTest { good: Percentage::ALL, ..SequentialTest::DEFAULT };
        assert_eq!(test.decide(9, 1), Some(SequentialDecision::Fail));
        assert_eq!((test.decide(13, 0), test.decide(14, 0)), (None, Some(SequentialDecision::Pass)));
        assert_eq!(test.least_to_pass(), 14);
        assert_eq!(SequentialTest::DEFAULT.least_to_pass(), 18);
        assert_eq!(SequentialTest { max: 5, ..test }.decide(5, 0), Some(SequentialDecision::Undecided));
    }
}
