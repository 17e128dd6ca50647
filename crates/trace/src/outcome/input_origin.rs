//! Who said what a turn sent.

use serde::{Deserialize, Serialize};

/// Who said what a turn sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputOrigin {
    /// The test: a written turn.
    #[default]
    Static,
    /// The test: the first message of a conversation that a simulator or a person continues.
    Initial,
    /// The simulator.
    Simulator,
    /// A random walk: an action that was possible.
    Walk,
    /// A person at the terminal.
    Human,
}

impl InputOrigin {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Initial => "initial",
            Self::Simulator => "simulator",
            Self::Walk => "walk",
            Self::Human => "human",
        }
    }
}
