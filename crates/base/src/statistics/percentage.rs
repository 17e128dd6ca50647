//! A share of a whole, from 0 % to 100 %.
//!
//! **Invariant:** it is exact: what is written with up to four decimals is what is calculated with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of parts of 1 %.
const PARTS: u32 = 10_000;

/// The most decimals of a percentage.
const DECIMALS: usize = 4;

/// A share of a whole, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Percentage(u32);

impl Percentage {
    /// Nothing of it.
    pub const NONE: Self = Self(0);

    /// All of it.
    pub const ALL: Self = Self(100 * PARTS);

    /// So many per cent; more than 100 is all.
    pub const fn whole(percent: u32) -> Self {
        if percent > 100 {
            Self::ALL
        } else {
            Self(percent * PARTS)
        }
    }

    /// So many per cent, to four decimals; less than nothing is nothing, and more than 100 is all.
    pub fn of_percent(percent: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in range, and rounded"
        )]
        let parts = (percent.clamp(0.0, 100.0) * f64::from(PARTS)).round() as u32;
        Self(parts)
    }

    /// Reads `95%`, `99.5%` or `95`. A fraction such as `0.95` is never guessed to be 95 %.
    ///
    /// # Errors
    /// The form to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || format!("`{text}` is not a percentage; write it like `95%`");
        let (number, has_sign) = match text.trim().strip_suffix('%') {
            Some(number) => (number.trim_end(), true),
            None => (text.trim(), false),
        };
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let is_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(decimals) {
            return Err(expected());
        }
        let decimals = decimals.trim_end_matches('0');
        if decimals.len() > DECIMALS {
            return Err(format!("`{text}` has more than {DECIMALS} decimals"));
        }
        let decimals = format!("{decimals:0<DECIMALS$}")
            .parse::<u32>()
            .map_err(|_| expected())?;
        let parts = whole
            .parse::<u32>()
            .ok()
            .and_then(|whole| whole.checked_mul(PARTS)?.checked_add(decimals));
        let parts = parts.filter(|parts| *parts <= Self::ALL.0);
        let share = Self(parts.ok_or_else(|| format!("`{text}` is more than 100%"))?);
        if !has_sign && share > Self::NONE && share <= Self::whole(1) {
            let percent = Self(share.0 * 100);
            return Err(format!(
                "`{text}` may be {share} or {percent}; write it with `%`"
            ));
        }
        Ok(share)
    }

    /// The share as a number from 0 to 1.
    pub fn as_fraction(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ALL.0)
    }

    /// Whether `part` of `whole` are at least this share; none of none are.
    pub fn is_reached_by(self, part: u32, whole: u32) -> bool {
        u64::from(part) * u64::from(Self::ALL.0) >= u64::from(self.0) * u64::from(whole)
    }
}

impl fmt::Display for Percentage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:0DECIMALS$}", self.0 % PARTS);
        let decimals = decimals.trim_end_matches('0');
        let dot = if decimals.is_empty() { "" } else { "." };
        write!(formatter, "{}{dot}{decimals}%", self.0 / PARTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_read_as_it_is_written() {
        for (text, shown) in [
            ("95%", "95%"),
            ("95", "95%"),
            (" 99.5 % ", "99.5%"),
            ("99.9999%", "99.9999%"),
            ("0", "0%"),
            ("0.5%", "0.5%"),
            ("1%", "1%"),
            ("100.0%", "100%"),
            ("80.50000", "80.5%"),
        ] {
            assert_eq!(
                Percentage::parse(text)
                    .map(|read| read.to_string())
                    .as_deref(),
                Ok(shown),
                "{text}"
            );
        }
        assert!((Percentage::whole(95).as_fraction() - 0.95).abs() < 1e-12);
    }

    #[test]
    fn what_may_mean_two_things_is_not_guessed() {
        for (text, error) in [
            ("0.95", "`0.95` may be 0.95% or 95%; write it with `%`"),
            ("1", "`1` may be 1% or 100%; write it with `%`"),
            ("101%", "`101%` is more than 100%"),
            ("99999999999", "`99999999999` is more than 100%"),
            ("99.99999%", "`99.99999%` has more than 4 decimals"),
            ("", "`` is not a percentage; write it like `95%`"),
            ("-5%", "`-5%` is not a percentage; write it like `95%`"),
            ("95%%", "`95%%` is not a percentage; write it like `95%`"),
            ("high", "`high` is not a percentage; write it like `95%`"),
        ] {
            assert_eq!(Percentage::parse(text).unwrap_err(), error);
        }
    }

    #[test]
    fn a_share_is_compared_exactly() {
        let eighty = Percentage::whole(80);
        assert!(eighty.is_reached_by(4, 5) && !eighty.is_reached_by(799, 1000));
        assert!(
            Percentage::ALL.is_reached_by(u32::MAX, u32::MAX)
                && !Percentage::ALL.is_reached_by(9, 10)
        );
    }
}
