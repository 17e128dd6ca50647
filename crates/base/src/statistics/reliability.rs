//! The results of several tries at a test: pass@k, that at least one of them passes, and pass^k, that all of them do.

use super::{Interval, exact_interval};

/// The numbers of tries that are estimated, as far as there were as many runs.
const TRIES: [u32; 7] = [2, 3, 5, 10, 20, 50, 100];

/// The estimated results of `tries` tries; every number is from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityEstimate {
    /// The number of tries, k.
    pub tries: u32,
    /// pass@k: the probability that at least one of them passes.
    pub any: f64,
    /// The interval of pass@k with a confidence of 95 %.
    pub any_interval: Interval,
    /// pass^k: the probability that all of them pass.
    pub all: f64,
    /// The interval of pass^k with a confidence of 95 %.
    pub all_interval: Interval,
}

/// The estimates for a test of which `passed` of `runs` runs passed.
///
/// Without bias: the share of all choices of k runs of which one passed (Chen et al., "Evaluating large language models
/// trained on code", 2021), or all did (Yao et al., "τ-bench", 2024). The intervals follow from that of the rate.
pub fn reliability(passed: u32, runs: u32) -> Vec<ReliabilityEstimate> {
    let Interval { low, high } = exact_interval(passed, runs);
    let tries = TRIES.into_iter().take_while(|tries| *tries <= runs);
    let estimate = |tries: u32| {
        let all = |rate: f64| rate.powf(f64::from(tries));
        let any = |rate: f64| 1.0 - all(1.0 - rate);
        ReliabilityEstimate {
            tries,
            any: 1.0 - share_of_choices(runs.saturating_sub(passed), runs, tries),
            any_interval: Interval {
                low: any(low),
                high: any(high),
            },
            all: share_of_choices(passed, runs, tries),
            all_interval: Interval {
                low: all(low),
                high: all(high),
            },
        }
    };
    tries.map(estimate).collect()
}

/// The share of all choices of `chosen` among `whole` that take only of `part`.
fn share_of_choices(part: u32, whole: u32, chosen: u32) -> f64 {
    let factor = |taken: u32| f64::from(part.saturating_sub(taken)) / f64::from(whole - taken);
    (0..chosen).map(factor).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimates_count_choices() {
        let estimates = reliability(8, 10);
        let tries: Vec<u32> = estimates.iter().map(|estimate| estimate.tries).collect();
        assert_eq!(tries, [2, 3, 5, 10]);
        // 10 runs have 45 pairs: in 28 both passed, in 1 neither.
        assert!((estimates[0].all - 28.0 / 45.0).abs() < 1e-12);
        assert!((estimates[0].any - 44.0 / 45.0).abs() < 1e-12);
        assert!((estimates[3].all - 0.0).abs() < 1e-12 && (estimates[3].any - 1.0).abs() < 1e-12);
        let Interval { low, high } = exact_interval(8, 10);
        assert!((estimates[1].all_interval.low - low.powi(3)).abs() < 1e-12);
        assert!((estimates[1].any_interval.high - (1.0 - (1.0 - high).powi(3))).abs() < 1e-12);
    }

    #[test]
    fn tests_that_always_or_never_pass_are_certain() {
        for (passed, rate) in [(20, 1.0), (0, 0.0)] {
            for estimate in reliability(passed, 20) {
                assert!((estimate.any - rate).abs() < 1e-12 && (estimate.all - rate).abs() < 1e-12);
            }
        }
        assert_eq!(reliability(1, 1), []);
    }
}
