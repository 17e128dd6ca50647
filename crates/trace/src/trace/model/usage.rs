//! The tokens that an agent reports, and their cost.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use ananke_base::text::Usd;

/// The count of one kind of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The number that was reported.
    pub counted: u64,
    /// Whether some of them were not reported.
    pub is_partial: bool,
}

/// A cost, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// The amount that is known.
    pub known: Usd,
    /// Whether the cost of some of the usage is not known.
    pub is_partial: bool,
}

/// Tokens of a run, a turn or a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that models read.
    pub input: Tokens,
    /// Input tokens that servers had in a cache; unknown if that was not reported.
    pub cached: Tokens,
    /// Tokens that models wrote.
    pub output: Tokens,
    /// The sum of both.
    pub total: Tokens,
    /// The cost of them; unknown without prices.
    pub cost: Cost,
}

/// Tokens of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUsage {
    /// The tokens.
    pub usage: Usage,
    /// The model; `None` if it is not known.
    pub model: Option<String>,
}

impl From<Usage> for ModelUsage {
    fn from(usage: Usage) -> Self {
        Self { usage, model: None }
    }
}

impl Tokens {
    /// Nothing was reported.
    pub const UNKNOWN: Self = Self {
        counted: 0,
        is_partial: true,
    };

    /// The count, if it is complete.
    pub fn whole(self) -> Option<u64> {
        Some(self.counted).filter(|_| !self.is_partial)
    }
}

impl From<Option<u64>> for Tokens {
    fn from(reported: Option<u64>) -> Self {
        reported.map_or(Self::UNKNOWN, |counted| Self {
            counted,
            is_partial: false,
        })
    }
}

impl Usage {
    /// Nothing was reported.
    pub const UNKNOWN: Self = Self {
        input: Tokens::UNKNOWN,
        cached: Tokens::UNKNOWN,
        output: Tokens::UNKNOWN,
        total: Tokens::UNKNOWN,
        cost: Cost::UNKNOWN,
    };

    /// The usage reported for one model; without a total, it is the sum of input and output.
    pub fn reported(input: Option<u64>, output: Option<u64>, total: Option<u64>) -> Self {
        let (input, output) = (Tokens::from(input), Tokens::from(output));
        let total = total.map_or(input + output, |total| Some(total).into());
        Self {
            input,
            output,
            total,
            ..Self::UNKNOWN
        }
    }

    /// The same usage, with those of its input tokens that a server had in a cache.
    #[must_use]
    pub fn with_cached(self, cached: Option<u64>) -> Self {
        let cached = Tokens::from(cached);
        Self { cached, ..self }
    }
}

impl Cost {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        known: Usd(0),
        is_partial: true,
    };

    /// The amount, if all of it is known.
    pub fn whole(self) -> Option<Usd> {
        if self.is_partial {
            None
        } else {
            Some(self.known)
        }
    }
}

/// The cost of no usage: nothing, and that is known.
impl Default for Cost {
    fn default() -> Self {
        Self {
            known: Usd(0),
            is_partial: false,
        }
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            known: self.known + more.known,
            is_partial: self.is_partial || more.is_partial,
        }
    }
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            counted: self.counted.saturating_add(more.counted),
            is_partial: self.is_partial || more.is_partial,
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            input: self.input + more.input,
            cached: self.cached + more.cached,
            output: self.output + more.output,
            total: self.total + more.total,
            cost: self.cost + more.cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_part_leaves_out_makes_the_sum_partial() {
        let whole = Usage::reported(Some(10), Some(5), None);
        assert_eq!(whole.total.whole(), Some(15));
        let sum = whole + Usage::reported(Some(1), None, Some(9));
        assert_eq!(
            (sum.input.whole(), sum.output.whole(), sum.total.whole()),
            (Some(11), None, Some(24))
        );
        assert_eq!(sum.output.counted, 5, "what is known stays known");
        assert_eq!(
            Usage::reported(Some(3), None, None).total,
            Tokens {
                counted: 3,
                is_partial: true
            }
        );
        assert_eq!((whole + Usage::UNKNOWN).total.whole(), None);
    }
}
