//! The clock that the rules about time go by.

use schemars::JsonSchema;
use serde::Deserialize;

/// Whose clock the rules about time go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EventClock {
    /// The time at which the bytes arrive, on this machine's clock.
    Arrival,
    /// Event timestamps, if every event of the turn has a valid one.
    Event,
}
