//! The exact interval of a rate (Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of
//! the binomial", Biometrika 26, 1934).

use super::binomial::at_most;

/// The probability that each end of an interval is wrong: both together are 5 %.
const TAIL: f64 = 0.025;

/// The number of times that an interval is halved: more than a number has digits.
const HALVINGS: u32 = 60;

/// The interval of a rate with a confidence of 95 %, each end from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The exact interval of the rate of which `part` of `whole` were seen: the rates for which neither so many nor so few
/// have a probability below 2.5 %. `part` is at most `whole`; nothing is known of none.
pub fn exact_interval(part: u32, whole: u32) -> Interval {
    let low = match part {
        0 => 0.0,
        // So many or more are as improbable as so many less one, or fewer, are probable.
        _ => root(|rate| 1.0 - at_most(part - 1, whole, rate) < TAIL),
    };
    let high = if part >= whole {
        1.0
    } else {
        root(|rate| at_most(part, whole, rate) >= TAIL)
    };
    Interval { low, high }
}

/// The rate up to which `is_below` is true.
fn root(is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        *(if is_below(middle) {
            &mut low
        } else {
            &mut high
        }) = middle;
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intervals_are_those_of_published_tables() {
        for (part, whole, low, high) in [
            (0, 10, 0.0, 0.308_497),
            (10, 10, 0.691_503, 1.0),
            (5, 10, 0.187_086, 0.812_914),
            (8, 10, 0.443_905, 0.974_789),
            (1, 1, 0.025, 1.0),
            (0, 1, 0.0, 0.975),
            (81, 263, 0.252_737, 0.367_622),
            (0, 0, 0.0, 1.0),
        ] {
            let interval = exact_interval(part, whole);
            let is_near = |actual: f64, expected: f64| (actual - expected).abs() < 5e-6;
            assert!(
                is_near(interval.low, low) && is_near(interval.high, high),
                "{part}/{whole}: {interval:?}"
            );
        }
    }

    #[test]
    fn the_interval_contains_the_rate_and_is_symmetric() {
        for part in 0..=40_u32 {
            let Interval { low, high } = exact_interval(part, 40);
            let rate = f64::from(part) / 40.0;
            assert!(low <= rate && rate <= high, "{part}: {low} {high}");
            let other = exact_interval(40 - part, 40);
            assert!((other.low - (1.0 - high)).abs() < 1e-9, "{part}");
        }
    }
}
