//! Amounts of US dollars.

use std::iter::Sum;
use std::ops::Add;

use serde_json::Number;

use super::grouped;

/// The decimals of an amount: one part is a millionth of a millionth of a dollar.
const DECIMALS: usize = 12;

/// The parts of one dollar.
const DOLLAR: u64 = 1_000_000_000_000;

/// An amount of US dollars, in parts of 10⁻¹² dollars.
///
/// An integer, since sums of binary fractions depend on their order, and a limit would then be met in one run and not in the next.
/// The part is so small because prices are per million tokens: a price with six decimals is a whole number of parts for one
/// token. More than 18 million dollars do not fit, and stay at the largest amount, as counts of tokens do.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Usd(pub u64);

impl Usd {
    /// The amount that `number` is, such as `0.25` or `2.5e-6`.
    ///
    /// # Errors
    /// If it is negative, has more than 12 decimals, or is too large; in words that follow "the amount".
    pub fn of(number: &Number) -> Result<Self, &'static str> {
        let text = number.to_string();
        if text.starts_with('-') {
            return Err("must not be negative");
        }
        // A number of JSON may have an exponent, which moves its decimal point.
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(i32::MAX)),
            None => (text.as_str(), 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Ok(Self(0));
        }

        // The amount is `significant` with so many zeros after it, counted in parts.
        let trimmed = digits.len() - significant.len();
        let zeros = i64::try_from(trimmed).unwrap_or(i64::MAX)
            + i64::try_from(DECIMALS).unwrap_or_default()
            + i64::from(exponent)
            - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let Ok(zeros) = u32::try_from(zeros) else {
            return Err(if zeros < 0 {
                "must have at most 12 decimals"
            } else {
                "is too large"
            });
        };
        if let Ok(parts) = significant.parse::<u64>()
            && let Some(scale) = 10_u64.checked_pow(zeros)
            && let Some(parts) = parts.checked_mul(scale)
        {
            return Ok(Self(parts));
        }
        Err("is too large")
    }

    /// So many times this amount.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The amount as a number of JSON, with every decimal that it has.
    pub fn number(self) -> Number {
        let text = self.decimals(DECIMALS, 0);
        // A decimal number in this form is always one of JSON.
        text.parse().unwrap_or_else(|_| Number::from(0))
    }

    /// The amount for people, with two decimals, or as many as it needs for two significant digits: `$12.30`, `$0.0042`.
    pub fn rounded(self) -> String {
        let fraction = format!("{:012}", self.0 % DOLLAR);
        let zeros = fraction.len() - fraction.trim_start_matches('0').len();
        // Before a dollar the first digit that is not zero counts, and the one after it.
        let shown = if self.0 >= DOLLAR || self.0 == 0 {
            2
        } else {
            (zeros + 2).min(DECIMALS)
        };
        let dropped = u32::try_from(DECIMALS - shown).unwrap_or_default();
        let unit = 10_u64.pow(dropped);
        let parts = self.0.saturating_add(unit / 2) / unit * unit;
        format!("${}", Self(parts).decimals(shown, shown))
    }

    /// The amount for people, with every decimal that it has, so that one beyond a limit never looks equal to it.
    pub fn exact(self) -> String {
        format!("${}", self.decimals(DECIMALS, 2))
    }

    /// The amount with at most `most` decimals, which are cut, and at least `least`.
    fn decimals(self, most: usize, least: usize) -> String {
        let fraction = format!("{:012}", self.0 % DOLLAR);
        let mut end = most;
        while end > least && fraction.as_bytes()[end - 1] == b'0' {
            end -= 1;
        }
        let dollars = self.0 / DOLLAR;
        let dollars = if least > 0 {
            usize::try_from(dollars).map_or_else(|_| dollars.to_string(), grouped)
        } else {
            dollars.to_string()
        };
        if end == 0 {
            dollars
        } else {
            format!("{dollars}.{}", &fraction[..end])
        }
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self(0), Self::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Usd, &'static str> {
        Usd::of(&text.parse().unwrap())
    }

    #[test]
    fn an_amount_keeps_every_decimal() {
        for text in [
            "0",
            "1",
            "0.1",
            "0.000000000001",
            "12.5",
            "18446744.073709551615",
        ] {
            assert_eq!(of(text).unwrap().number().to_string(), text);
        }
        assert_eq!(of("2.50").unwrap(), of("25e-1").unwrap());
        assert_eq!(of("1e3").unwrap().0, 1000 * DOLLAR);
        assert_eq!(of("0.0").unwrap(), Usd(0));
    }

    #[test]
    fn an_amount_that_is_not_held_exactly_is_refused() {
        for (text, why) in [
            ("-0.1", "must not be negative"),
            ("0.0000000000001", "must have at most 12 decimals"),
            ("1e-400", "must have at most 12 decimals"),
            ("18446745", "is too large"),
            ("1e400", "is too large"),
            ("1e99999999999", "is too large"),
        ] {
            assert_eq!(of(text), Err(why), "{text}");
        }
    }

    #[test]
    fn people_read_two_significant_digits() {
        for (text, rounded, exact) in [
            ("0", "$0.00", "$0.00"),
            ("0.000042", "$0.000042", "$0.000042"),
            ("0.0000425", "$0.000043", "$0.0000425"),
            ("0.004", "$0.0040", "$0.004"),
            ("0.0996", "$0.100", "$0.0996"),
            ("0.5", "$0.50", "$0.50"),
            ("12.305", "$12.31", "$12.305"),
            ("0.000000000001", "$0.000000000001", "$0.000000000001"),
            ("1234567.8", "$1,234,567.80", "$1,234,567.80"),
        ] {
            let amount = of(text).unwrap();
            assert_eq!(amount.rounded(), rounded);
            assert_eq!(amount.exact(), exact);
        }
    }

    #[test]
    fn sums_do_not_depend_on_their_order() {
        let tenths = std::iter::repeat_n(of("0.1").unwrap(), 10);
        assert_eq!(tenths.sum::<Usd>(), of("1").unwrap());
        assert_eq!(Usd(u64::MAX) + Usd(1), Usd(u64::MAX));
        assert_eq!(
            of("0.00000015").unwrap().times(1000),
            of("0.00015").unwrap()
        );
    }
}
