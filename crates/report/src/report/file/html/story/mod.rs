//! The turns of a test, as the script of the page reads them.

mod findings;
mod lines;
mod turn;

pub(super) use findings::{ProblemStory, RuleStory, findings, is_zero, not_shown, passed};
pub(super) use lines::tools;
pub(super) use turn::{TurnStory, turns};
