//! The times at which the agent let its user wait: their lengths, and the longest that were allowed.

use serde::{Deserialize, Serialize};

/// The waiting of one turn, in the agent's time, from the turn's start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// The moment of its first text, in microseconds; `None` if none came, or if nothing shows it.
    pub first_text_us: Option<u64>,
    /// Every stretch without a tool call in progress, in order; `None` if nothing shows them.
    pub gaps: Option<Vec<Gap>>,
    /// The limits of the waiting.
    pub limits: TimeLimits,
}

/// A stretch of a turn's time in which no call was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Its start, in microseconds.
    pub from_us: u64,
    /// Its end, in microseconds.
    pub to_us: u64,
}

/// The limits that apply to a turn, in milliseconds; `None` where there is none (SPEC 7.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimits {
    /// The limit of the turn as a whole.
    pub duration_ms: Option<u64>,
    /// The limit of each gap.
    pub idle_ms: Option<u64>,
    /// The limit of the wait for the first text.
    pub first_text_ms: Option<u64>,
    /// The limit of each call.
    pub tool_ms: Option<u64>,
}
