//! The kind of time that durations of a conversation are in.

use serde::{Deserialize, Serialize};

/// The kind of time that the durations of a test are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentTime {
    /// The time that passed while the test ran.
    #[default]
    Wall,
    /// The time of an agent whose delays are simulated: it passes without anything waiting for it.
    Virtual,
}
