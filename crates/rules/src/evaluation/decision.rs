//! The answer to what a rule leaves to others to decide.

use ananke_trace::outcome::Ruling;

/// The answer to a question of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A script accepts: the rule passes.
    Confirmed,
    /// A script rejects, for this reason if one is given: the rule fails.
    Rejected(Option<String>),
    /// A judge answered.
    Ruled(Ruling),
    /// The judge was not asked: the rule neither passes nor fails.
    NotAsked,
}
