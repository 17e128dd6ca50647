//! Who said what a turn sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where an input came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InputSource")]
pub enum InputOrigin {
    /// From the test file.
    #[default]
    Static,
    /// From the test file, as the first message of a conversation that a simulator or a person continues.
    Initial,
    /// From the simulator.
    Simulator,
    /// From a walk: an action that was possible.
    Walk,
    /// From a person at the terminal.
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
