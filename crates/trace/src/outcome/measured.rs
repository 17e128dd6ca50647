//! A number that a limit is about, and the limit.

use serde::{Deserialize, Serialize};

/// The number that was measured, and the most that was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The number: microseconds of a time, else a count.
    pub actual: u64,
    /// The largest number that passes: milliseconds of a time, else a count.
    pub limit: u64,
    /// The unit of both.
    pub unit: MeasuredUnit,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeasuredUnit {
    /// Time.
    Milliseconds,
    /// Tokens.
    Tokens,
    /// Tool calls.
    Calls,
}

impl Measured {
    /// Whether it is within the limit; equal to it is.
    pub fn is_allowed(&self) -> bool {
        let limit = match self.unit {
            MeasuredUnit::Milliseconds => self.limit.saturating_mul(1000),
            MeasuredUnit::Tokens | MeasuredUnit::Calls => self.limit,
        };
        self.actual <= limit
    }
}

impl MeasuredUnit {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Tokens => "tokens",
            Self::Calls => "calls",
        }
    }
}
