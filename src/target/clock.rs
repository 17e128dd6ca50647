//! Whose clock the rules about time go by.

use schemars::JsonSchema;
use serde::Deserialize;

/// Whose clock the rules about time go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EventClock {
    /// That of this machine, when the bytes arrive.
    Arrival,
    /// The agent's own: the time stamps of its events, in a turn in which every event has a sane one.
    Event,
}
