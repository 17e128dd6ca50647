//! Who answers what a rule cannot know by itself.

use futures_util::future::BoxFuture;

use crate::assertion::Question;
use crate::outcome::Halt;

/// The answer to a question of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The rule passes.
    Confirmed,
    /// The rule fails, for this reason if one is given.
    Rejected(Option<String>),
}

/// Answers the questions of rules: a script, a judge.
pub trait Oracle: Sync {
    /// Answers `question`.
    ///
    /// # Errors
    /// If it has no answer, which is neither a pass nor a fail.
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>>;
}
