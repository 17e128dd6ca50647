//! The origin of the input of a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// Where an input came from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "InputSource")]
    pub enum InputOrigin {
        /// From the test file.
        #[default]
        Static = "static",
        /// From the test file, as the first message of a conversation that a simulator or a person continues.
        Initial = "initial",
        /// From the simulator.
        Simulator = "simulator",
        /// From a walk: an action that was possible.
        Walk = "walk",
        /// From a person at the terminal.
        Human = "human",
    }
}
