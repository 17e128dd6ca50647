//! The spread of numbers: their middle, their bounds, and their deviation from the mean.

use serde::{Deserialize, Serialize};

/// The median, the ends and the standard deviation of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The count of the numbers.
    pub count: usize,
    /// The number in the middle; of an even count the mean of the two in the middle, rounded up.
    pub median: u64,
    /// The smallest number.
    pub least: u64,
    /// The largest number.
    pub most: u64,
    /// The standard deviation of the sample (its divisor is one less than the count), rounded; 0 of a single number.
    pub deviation: u64,
}

impl Spread {
    /// The spread of `numbers`; `None` if there are none.
    pub fn of(mut numbers: Vec<u64>) -> Option<Self> {
        numbers.sort_unstable();
        let count = numbers.len();
        let least = *numbers.first()?;
        let most = *numbers.last()?;
        let upper = numbers[count / 2];
        let lower = numbers[(count - 1) / 2];
        Some(Self {
            count,
            median: lower + (upper - lower).div_ceil(2),
            least,
            most,
            deviation: deviation(&numbers),
        })
    }
}

/// The standard deviation of the sample. Distances from the smallest number are summed, so that large numbers that are close
/// together lose no digits.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a deviation is rounded, and never negative"
)]
fn deviation(sorted: &[u64]) -> u64 {
    if sorted.len() < 2 {
        return 0;
    }
    let distances = sorted.iter().map(|number| (number - sorted[0]) as f64);
    let mean = distances.clone().sum::<f64>() / sorted.len() as f64;
    let squares: f64 = distances.map(|distance| (distance - mean).powi(2)).sum();
    (squares / (sorted.len() - 1) as f64).sqrt().round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        for (numbers, expected) in [
            (vec![], None),
            (vec![7], Some((7, 7, 7, 0))),
            (vec![9, 1, 5], Some((5, 1, 9, 4))),
            (vec![4, 1, 2, 9], Some((3, 1, 9, 4))),
            (
                vec![u64::MAX, u64::MAX - 2],
                Some((u64::MAX - 1, u64::MAX - 2, u64::MAX, 1)),
            ),
        ] {
            let spread = Spread::of(numbers.clone());
            let found =
                spread.map(|spread| (spread.median, spread.least, spread.most, spread.deviation));
            assert_eq!(found, expected, "{numbers:?}");
        }
    }
}
