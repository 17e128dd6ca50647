//! A rule that passed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::level::Level;
use super::measured::Measured;
use super::rule_counts::RuleCounts;
use super::ruling::Ruling;
use ananke_base::diagnostic::Place;

/// A rule that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedRule {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: Cow<'static, str>,
    /// The scope it is defined on.
    pub level: Level,
    /// Where it was written.
    pub place: Place,
    /// The rule as it is written at that place, as YAML.
    pub written: String,
    /// The number that is within its limit, of a rule that has one.
    pub measured: Option<Measured>,
    /// What a judge decided, of a rule that asks one.
    pub ruling: Option<Ruling>,
    /// How often it was triggered, of a rule that has triggers.
    #[serde(default)]
    pub counts: Option<RuleCounts>,
    /// What it requires, in words.
    pub wanted: String,
}
