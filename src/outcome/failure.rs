//! A rule that failed, and what was seen instead.

use serde::{Deserialize, Serialize};

use super::level::Level;
use super::measured::Measured;
use crate::diagnostic::{Difference, Excerpt, Place};

/// A rule that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: String,
    /// The scope it is defined on.
    pub level: Level,
    /// Where it was written.
    pub place: Place,
    /// The rule as it is written at that place, as YAML.
    pub written: String,
    /// The lines at that place as they are written, with variables not filled.
    pub excerpt: Excerpt,
    /// The whole finding on one line: `` `charge_card` was called 2 times, expected exactly 1 ``.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// The number that exceeds its limit, of a rule that has one.
    pub measured: Option<Measured>,
    /// What was seen instead, one line per entry: the nearest candidates with arguments and results.
    pub seen: Vec<String>,
    /// The difference from what was expected, if both are texts of several lines.
    pub difference: Option<Difference>,
    /// What to do about it, if that does not follow from the rule.
    pub help: Option<String>,
    /// The numbers of the events that show it, ascending.
    pub events: Vec<u32>,
}
