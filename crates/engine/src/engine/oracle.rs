//! The source of answers that a rule cannot know by itself.

use futures_util::future::BoxFuture;

use ananke_rules::{Decision, Question};
use ananke_trace::outcome::Halt;

/// Answers the questions of rules: a script, a judge.
pub trait Oracle: Sync {
    /// Answers `question`.
    ///
    /// # Errors
    /// If it has no answer, which is neither a pass nor a fail.
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>>;
}
