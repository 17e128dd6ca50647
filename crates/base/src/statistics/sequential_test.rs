//! A test of a rate that stops as soon as it knows: Wald's sequential probability ratio test ("Sequential tests of
//! statistical hypotheses", Annals of Mathematical Statistics 16, 1945), with his boundaries, truncated at a number of runs.

use serde::{Deserialize, Serialize};

use super::Percentage;

/// The two rates that are distinguished, the certainty, and the most runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequentialTest {
    /// A rate that is good enough: such an agent should pass.
    pub good: Percentage,
    /// A rate that is not: such an agent should fail. Below `good`.
    pub bad: Percentage,
    /// The probability that either verdict may be wrong; below 50 %.
    pub error: Percentage,
    /// The most runs.
    pub max: u32,
}

/// The end of a sequential test.
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
    /// The default parameters, for those that are not chosen.
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

    /// The number of runs in a row that have to pass for it to pass.
    pub fn least_to_pass(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast saturates"
        )]
        let runs = (self.boundary() / self.of_pass()).ceil() as u32;
        runs
    }

    /// The logarithm of how many times more probable what was seen is for a good agent than for a bad one.
    fn log_ratio(&self, passed: u32, failed: u32) -> f64 {
        let of_failed = match failed {
            // For a good rate of 100 % one failure is infinitely improbable, and none says nothing.
            0 => 0.0,
            _ => {
                f64::from(failed)
                    * ((1.0 - self.good.as_fraction()) / (1.0 - self.bad.as_fraction())).ln()
            }
        };
        f64::from(passed) * self.of_pass() + of_failed
    }

    /// The amount that a run that passed adds to the ratio.
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

    #[test]
    fn one_failure_decides_against_a_rate_of_all() {
        let test = SequentialTest {
            good: Percentage::ALL,
            ..SequentialTest::DEFAULT
        };
        assert_eq!(test.decide(9, 1), Some(SequentialDecision::Fail));
        assert_eq!(
            (test.decide(13, 0), test.decide(14, 0)),
            (None, Some(SequentialDecision::Pass))
        );
        assert_eq!(test.least_to_pass(), 14);
        assert_eq!(SequentialTest::DEFAULT.least_to_pass(), 18);
        assert_eq!(
            SequentialTest { max: 5, ..test }.decide(5, 0),
            Some(SequentialDecision::Undecided)
        );
    }
}
