//! The end of a turn, apart from its rules.

use serde::{Deserialize, Serialize};

use super::problem::Problem;
use ananke_derive::Mask;

/// The end of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum TurnEnd {
    /// Every rule was evaluated.
    Evaluated,
    /// It could not be evaluated to its end; requirements were not evaluated.
    Problem(Problem),
    /// The run was stopped during the turn.
    Stopped,
}

impl TurnEnd {
    /// The reason why it could not be evaluated to its end.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Evaluated | Self::Stopped => None,
        }
    }

    /// The same, to be changed.
    pub fn problem_mut(&mut self) -> Option<&mut Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Evaluated | Self::Stopped => None,
        }
    }
}
