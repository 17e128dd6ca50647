//! Sums of the binomial distribution.

/// The probability that at most `most` of `trials` trials succeed, each with `probability`.
pub(super) fn at_most(most: u32, trials: u32, probability: f64) -> f64 {
    if most >= trials || probability <= 0.0 {
        return 1.0;
    }
    if probability >= 1.0 {
        return 0.0;
    }
    // The logarithm of the first term; each further one differs by a simple factor, so that no factorial is needed.
    let odds = probability.ln() - (-probability).ln_1p();
    let mut term = f64::from(trials) * (-probability).ln_1p();
    let mut sum = term.exp();
    for successes in 0..most {
        term += (f64::from(trials - successes) / f64::from(successes + 1)).ln() + odds;
        sum += term.exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sums_are_those_of_a_table() {
        for (most, trials, probability, expected) in [
            (0, 10, 0.5, 0.000_976_562_5),
            (5, 10, 0.5, 0.623_046_875),
            (3, 20, 0.2, 0.411_448_862_0),
            (19, 20, 0.95, 0.641_514_077_6),
            (10, 10, 0.3, 1.0),
            (3, 10, 0.0, 1.0),
            (3, 10, 1.0, 0.0),
        ] {
            let sum = at_most(most, trials, probability);
            assert!((sum - expected).abs() < 1e-9, "{most} of {trials}: {sum}");
        }
    }

    #[test]
    fn a_sum_over_many_trials_neither_overflows_nor_vanishes() {
        let half = at_most(4999, 10_000, 0.5);
        assert!((half - 0.496_010_6).abs() < 1e-6, "{half}");
    }
}
